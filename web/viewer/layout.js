// Where everything stands on the page.
import { icon, make } from './dom.js';
import { visible } from './text.js';

/** @typedef {import('./viewer.js').Viewer} Viewer */
/** @typedef {import('./viewer.js').View} View */

const SAVE_ICON = 'M8 2v8M4.5 7 8 10.5 11.5 7M3 13.5h10';
const THEME_ICON = 'M8 2a6 6 0 1 0 0 12zM8 2a6 6 0 0 1 0 12';
const HELP_ICON =
  'M8 14.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13z' +
  'M6.2 6a1.8 1.8 0 1 1 2.6 1.7c-.6.3-.8.6-.8 1.3M8 11.2v.3';

const ABOUT = [
  'Attention shows where the model looked, not why it answered as it did. A weight says how much ' +
    'of a token’s vector was taken, not what was in it or whether it mattered: a large weight on ' +
    'a short vector does little, and later layers may undo it.',
  'Norms show how much each token really contributed, gradients how the output would change with ' +
    'a weight, and switching a head off what the model does without it. Where they agree, trust ' +
    'the picture more.',
];

/** Fills the viewer's element. @param {Viewer} viewer */
export function layOut(viewer) {
  const { views, words } = viewer;
  const maps = make(
    'div',
    { class: 'maps' },
    card(viewer, 'flow', 'Flow', views.flow, { below: words.flowLegend.element }),
    card(viewer, 'matrix', 'Matrix', views.matrix, { below: words.matrixLegend.element }),
  );
  const sorting = make(
    'div',
    { class: 'field' },
    make('label', { for: 'sort' }, 'Sorted by'),
    words.sort,
  );
  viewer.root.replaceChildren(
    viewer.options.part ? partHeader(viewer) : header(viewer),
    make(
      viewer.options.part ? 'div' : 'main',
      {},
      views.picker.element,
      views.controls.element,
      views.training?.player,
      views.readout.element,
      words.notes,
      maps,
      card(viewer, 'overview', 'Overview', views.overview, { beside: sorting }),
      views.training && card(viewer, 'training', 'Over training', views.training),
      card(viewer, 'heads', 'Heads', views.heads),
      views.text.element,
      about(),
    ),
    viewer.keyboard.dialog,
  );
}

/** @param {Viewer} viewer */
function header({ words, recording, keyboard }) {
  const title =
    recording.title && make('bdi', { dir: 'auto', class: 'model' }, visible(recording.title));
  const brand = make(
    'div',
    { class: 'brand' },
    make('span', { class: 'heed', 'aria-hidden': 'true' }, 'heed'),
    make('h1', {}, 'Attention', title),
  );
  return make(
    'header',
    { class: 'top' },
    brand,
    make('div', { class: 'buttons' }, words.theme, helpButton(keyboard)),
  );
}

/** On a larger page, which has the heading and the choice of colours. @param {Viewer} viewer */
const partHeader = ({ keyboard }) => make('div', { class: 'part-tools' }, helpButton(keyboard));

/** @param {import('./keyboard.js').Keyboard} keyboard */
function helpButton(keyboard) {
  const help = roundButton(HELP_ICON, () => keyboard.open());
  nameButton(help, 'Keyboard help');
  return help;
}

/** @param {string} path @param {() => void} onclick */
const roundButton = (path, onclick) =>
  make('button', { type: 'button', class: 'round', onclick }, icon(path));

/** @param {() => void} onclick */
export const themeButton = (onclick) => roundButton(THEME_ICON, onclick);

/** @param {HTMLElement} button @param {string} name */
export function nameButton(button, name) {
  button.setAttribute('aria-label', name);
  button.title = name;
}

const about = () =>
  make(
    'section',
    { class: 'about', 'aria-labelledby': 'about-title' },
    make('h2', { id: 'about-title' }, 'What this shows, and what it does not'),
    ...ABOUT.map((each) => make('p', {}, each)),
  );

/**
 * A view in its frame, with a button that saves it.
 * @param {Viewer} viewer @param {string} id @param {string} title @param {View} view
 * @param {{below?: HTMLElement, beside?: HTMLElement}} [more]
 */
function card(viewer, id, title, view, { below, beside } = {}) {
  const onclick = () => viewer.save(id, view);
  const name = `Save ${title} as SVG`;
  const save =
    view.svg &&
    make(
      'button',
      { type: 'button', class: 'save', 'aria-label': name, onclick },
      icon(SAVE_ICON),
      'SVG',
    );
  const head = make(
    'div',
    { class: 'card-head' },
    make('h2', { id: `${id}-title` }, title),
    make('div', { class: 'card-tools' }, beside, save),
  );
  return make(
    'section',
    { class: `card ${id}-card`, 'aria-labelledby': `${id}-title`, dataset: { view: id } },
    head,
    view.element,
    below,
  );
}
