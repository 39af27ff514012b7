// The viewer: holds the state, and draws the views when it changes.
import { Address } from './address.js';
import { chosen, firstState, isLoaded, load, settledState } from './choice.js';
import { Controls, SentencePicker } from './controls.js';
import { Recording } from './data.js';
import { make, setText, styleValue } from './dom.js';
import { tableOf } from './figures.js';
import { FlowView, flowLegend } from './flow.js';
import { keysOf, legendOf, mapOf, remembering } from './frame.js';
import { HeadTableView } from './head_table.js';
import { Keyboard } from './keyboard.js';
import { layOut, nameButton, themeButton } from './layout.js';
import { LegendBar } from './legend.js';
import { MatrixView } from './matrix.js';
import { OverviewView } from './overview.js';
import { Readout, TextTable, notesOf } from './reading.js';
import { shortcutsOf } from './shortcuts.js';
import { Store, readHash, writeHash } from './state.js';
import { saveFile } from './svg.js';
import { visible } from './text.js';
import { TrainingView } from './training.js';

/** @typedef {import('./frame.js').Frame} Frame */
/** @typedef {import('./state.js').State} State */
/** @template T @typedef {(key: string, compute: () => T) => T} Remember */

/**
 * A view: an element, drawn anew for each frame, and the same as a picture.
 * @typedef {{
 *   element: HTMLElement, draw: (frame: Frame) => void, svg?: (frame: Frame) => string,
 * }} View
 */

/**
 * `hash` keeps the state in the URL's hash. `onSwitch` gets the heads that the user switches off or
 * on; without it there is no such switch. `part` says that the viewer is a part of a larger page,
 * which has a heading of its own and decides on colours (by `data-theme`); keys then work only
 * inside of the viewer.
 * @typedef {{
 *   hash?: boolean, onSwitch?: import('./head_table.js').Switch, part?: boolean,
 * }} Options
 */

/**
 * Shows a recording in an element. What cannot be shown is said there.
 * @param {HTMLElement} root @param {() => any} read @param {Options} [options]
 */
export function mountViewer(root, read, options = {}) {
  try {
    const viewer = new Viewer(root, new Recording(read()), options);
    viewer.start().catch((error) => showError(root, error));
    return viewer;
  } catch (error) {
    showError(root, error);
    return null;
  }
}

/** @param {HTMLElement} root @param {unknown} error */
function showError(root, error) {
  const text = error instanceof Error ? error.message : String(error);
  root.replaceChildren(
    make('p', { class: 'error', role: 'alert' }, `Cannot show this: ${visible(text)}`),
  );
}

export class Viewer {
  /** @param {HTMLElement} root @param {Recording} recording @param {Options} options */
  constructor(root, recording, options) {
    this.root = root;
    this.recording = recording;
    this.options = options;
    this.store = new Store(firstState(recording));
    this.defaults = this.store.state;
    this.dark = window.matchMedia('(prefers-color-scheme: dark)');
    this.printing = false;
    this.ticket = 0;
    /** What has changed since the last drawing. @type {Set<string>} */
    this.waiting = new Set();
    this.address = new Address();
    /** @type {Map<string, import('./frame.js').Colours>} */
    this.knownColours = new Map();
    /** @type {Remember<{map: import('./shown.js').ShownMap, top: number}>} */
    this.rememberMap = remembering(12);
    /** @type {Remember<import('./data.js').HeadTable>} */
    this.rememberTable = remembering(12);
    this.sortKey = '';
    this.words = this.makeWords();
    this.views = this.makeViews();
    this.keyboard = new Keyboard(shortcutsOf(this), options.part ? root : document);
  }

  makeViews() {
    const { store } = this;
    return {
      picker: new SentencePicker(store),
      controls: new Controls(store),
      readout: new Readout(),
      flow: new FlowView(store),
      matrix: new MatrixView(store),
      overview: new OverviewView(store),
      heads: new HeadTableView(store, this.options.onSwitch),
      text: new TextTable(),
      training: this.recording.overTime ? new TrainingView(store) : null,
    };
  }

  makeWords() {
    const sort = make('select', {
      id: 'sort',
      onchange: () => this.store.set({ sort: sort.value, descending: false }),
    });
    return {
      sort,
      notes: make('p', { class: 'note rules' }),
      flowLegend: new LegendBar(),
      matrixLegend: new LegendBar(),
      theme: themeButton(() => this.nextTheme()),
    };
  }

  async start() {
    const { recording } = this;
    await load(recording, this.defaults);
    this.defaults = settledState(recording, this.defaults, new Set(['part']));
    const first = { ...this.defaults, ...recording.first };
    this.defaults = settledState(recording, first, new Set());
    layOut(this);
    this.store.subscribe((_, changed) => this.onChange(changed));
    this.dark.addEventListener('change', () => this.onChange(new Set(['theme'])));
    window.addEventListener('beforeprint', () => this.print(true));
    window.addEventListener('afterprint', () => this.print(false));
    if (this.options.hash) {
      window.addEventListener('hashchange', () => this.ask(readHash(window.location.hash)));
    }
    await this.ask(this.options.hash ? readHash(window.location.hash) : {});
    this.root.dataset.ready = 'true';
  }

  /** Shows another recording, as far as it can with the choices made. @param {any} json */
  async show(json) {
    this.recording = new Recording(json);
    this.rememberMap = remembering(12);
    this.rememberTable = remembering(12);
    await this.ask(this.store.state);
  }

  /** Shows the defaults but for what is asked. @param {Partial<State>} asked */
  async ask(asked) {
    const state = { ...this.defaults, ...asked };
    const bare = !('layer' in asked) && !('head' in asked);
    const changed = bare && state.part !== this.defaults.part ? ['part'] : [];
    this.store.state = state;
    this.address.hash = window.location.hash;
    await this.onChange(new Set([...changed, 'asked']));
  }

  /** Draws what has changed, once it is unpacked. @param {Set<string>} changed */
  async onChange(changed) {
    for (const name of changed) this.waiting.add(name);
    const { state } = this.store;
    if (!isLoaded(this.recording, state)) {
      const ticket = ++this.ticket;
      try {
        await load(this.recording, state);
      } catch (error) {
        showError(this.root, error);
        return;
      }
      // A later change waits for its own bytes, and draws this one with it.
      if (ticket !== this.ticket) return;
    }
    this.proceed();
  }

  proceed() {
    const spotOnly = [...this.waiting].every((name) => ['hover', 'query', 'key'].includes(name));
    const { recording, store } = this;
    if (!spotOnly) store.state = settledState(recording, store.state, this.waiting);
    this.waiting.clear();
    this.redraw(spotOnly);
  }

  /** Paper is light. A page that this is a part of decides for itself. */
  /** @param {boolean} printing */
  print(printing) {
    this.printing = printing && !this.options.part;
    this.onChange(new Set(['theme']));
  }

  /** @returns {import('./colour.js').Scheme} */
  get scheme() {
    if (this.options.part) return pageScheme();
    if (this.printing) return 'light';
    const { theme } = this.store.state;
    return theme === 'auto' ? (this.dark.matches ? 'dark' : 'light') : theme;
  }

  /** Draws the present state. @param {boolean} spotOnly only what is lit has changed */
  redraw(spotOnly) {
    document.documentElement.dataset.theme = this.scheme;
    const frame = this.frame();
    const { readout, flow, matrix, ...others } = this.views;
    for (const view of [readout, flow, matrix]) view.draw(frame);
    if (!spotOnly) {
      for (const view of Object.values(others)) view?.draw(frame);
      this.drawWords(frame);
    }
    if (this.options.hash) this.address.show(writeHash(this.store.state, this.defaults));
  }

  /** @returns {Frame} */
  frame() {
    const { scheme, recording } = this;
    const { state } = this.store;
    const keys = keysOf(state, scheme);
    const { step, sentence, part } = chosen(recording, state);
    const { map, top } = this.rememberMap(keys.mapKey, () => mapOf(part, state));
    const given = step.heads?.rows.some((row) => row.part === part.name) ? step.heads : null;
    const table = given ?? this.rememberTable(`${state.step} ${part.where}`, () => tableOf(part));
    const lit = litWithin(this.store.lit, map);
    const colours = this.colours(scheme);
    return {
      recording,
      step,
      sentence,
      part,
      table,
      state,
      lit,
      map,
      top,
      scheme,
      colours,
      ...keys,
    };
  }

  /** @param {string} scheme @returns {import('./frame.js').Colours} */
  colours(scheme) {
    const known = this.knownColours.get(scheme);
    if (known) return known;
    const colours = {
      ground: styleValue('--card'),
      ink: styleValue('--ink'),
      quiet: styleValue('--quiet'),
      line: styleValue('--line'),
      accent: styleValue('--accent'),
      positive: styleValue('--positive'),
      negative: styleValue('--negative'),
    };
    this.knownColours.set(scheme, colours);
    return colours;
  }

  /** @param {Frame} frame */
  drawWords(frame) {
    const { words } = this;
    const notes = notesOf(frame);
    setText(words.notes, notes.join(' '));
    words.notes.hidden = !notes.length;
    words.matrixLegend.show(legendOf(frame));
    words.flowLegend.show(flowLegend(frame));
    this.drawOrders(frame);
    const { theme } = frame.state;
    nameButton(words.theme, `Colours: ${theme === 'auto' ? 'as the system' : theme}`);
  }

  /** The orders in which heads can be sorted. @param {Frame} frame */
  drawOrders({ table, state }) {
    const { sort } = this.words;
    const roles = table.rows.some(({ role }) => role) ? [['role', 'Role']] : [];
    const figures = table.columns.map(({ key, name }) => [key, name]);
    const orders = [['position', 'Layer and head'], ...roles, ...figures];
    const key = orders.join('\n');
    if (key !== this.sortKey) {
      this.sortKey = key;
      sort.replaceChildren(
        ...orders.map(([value, text]) => make('option', { value }, visible(text))),
      );
    }
    sort.value = state.sort;
  }

  /** @param {string} id @param {View} view */
  save(id, view) {
    const frame = this.frame();
    const { layer, head } = frame.state;
    const numbers = [layer === null ? 'all' : layer + 1, head === null ? 'mean' : head + 1];
    const name = [frame.part.name, ...numbers].join('-').replace(/[^\p{L}\p{N}-]+/gu, '_');
    if (view.svg) saveFile(`attention-${id}-${name}.svg`, view.svg(frame));
  }

  /** Saves the view that has the focus, or else the matrix. */
  saveFocused() {
    const { flow, matrix, overview, training } = this.views;
    /** @type {Record<string, View | null>} */
    const views = { flow, matrix, overview, training };
    const card = document.activeElement?.closest('[data-view]');
    const id = card instanceof HTMLElement ? String(card.dataset.view) : 'matrix';
    const view = views[id];
    if (view) this.save(id, view);
    else this.save('matrix', matrix);
  }

  nextTheme() {
    const dark = /** @type {const} */ (['auto', 'light', 'dark']);
    const light = /** @type {const} */ (['auto', 'dark', 'light']);
    const order = this.dark.matches ? dark : light;
    this.store.set({ theme: order[(order.indexOf(this.store.state.theme) + 1) % 3] });
  }
}

const pageScheme = () => (document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light');

/** @param {import('./state.js').Spot} spot @param {import('./shown.js').ShownMap} map */
const litWithin = ({ query, key }, map) => ({
  query: query !== null && query < map.queries.length ? query : null,
  key: key !== null && key < map.keys.length ? key : null,
});
