// What single keys do, anywhere on the page.
import { chosen } from './choice.js';
import { bestHead } from './figures.js';

/** @typedef {import('./viewer.js').Viewer} Viewer */
/** @typedef {import('./keyboard.js').Shortcut} Shortcut */

/** The value after this one, the first after the last. @param {any[]} values @param {any} value */
const following = (values, value) => values[(values.indexOf(value) + 1) % values.length];

/** @param {Viewer} viewer @returns {Shortcut[]} */
export function shortcutsOf(viewer) {
  return [
    ...headKeys(viewer),
    ...lookKeys(viewer),
    ...(viewer.recording.overTime ? timeKeys(viewer) : []),
    ...placeKeys(viewer),
  ];
}

/** @param {Viewer} viewer @returns {Shortcut[]} */
function headKeys(viewer) {
  const { store } = viewer;
  const part = () => chosen(viewer.recording, store.state).part;
  /** @param {'layer' | 'head'} name @param {number} by */
  const cycle = (name, by) => {
    const size = name === 'layer' ? part().layers : part().heads;
    const now = store.state[name] ?? (by > 0 ? -1 : size);
    const layer = name === 'head' && store.state.layer === null ? { layer: 0 } : {};
    store.set({ ...layer, [name]: (now + by + size) % size });
  };
  let last = 0;
  const toggleMean = () => {
    const { layer, head } = store.state;
    if (head !== null) last = head;
    store.set(head === null ? { head: last, layer: layer ?? 0 } : { head: null });
  };
  const first = () => store.set(bestHead(part(), chosen(viewer.recording, store.state).step.heads));
  return [
    { keys: ['['], text: 'The head before', run: () => cycle('head', -1) },
    { keys: [']'], text: 'The next head', run: () => cycle('head', 1) },
    { keys: ['{'], text: 'The layer before', run: () => cycle('layer', -1) },
    { keys: ['}'], text: 'The next layer', run: () => cycle('layer', 1) },
    { keys: ['m'], text: 'The mean of the layer’s heads, or back', run: toggleMean },
    { keys: ['b'], text: 'The head to look at first', run: first },
  ];
}

/** @param {Viewer} viewer @returns {Shortcut[]} */
function lookKeys(viewer) {
  const { store } = viewer;
  const now = () => chosen(viewer.recording, store.state);
  /** @param {number} by */
  const sentence = (by) => {
    const size = viewer.recording.sentences.length;
    store.set({ sentence: (store.state.sentence + by + size) % size });
  };
  const part = () =>
    following(
      now().sentence.parts.map(({ name }) => name),
      store.state.part,
    );
  const kind = () => following([...now().part.blocks.keys()], store.state.kind);
  const unit = () => following(['words', 'pieces'], store.state.unit);
  const scale = () => following(['head', 'common'], store.state.scale);
  const special = () => !store.state.special;
  return [
    { keys: ['p'], text: 'The next part', run: () => store.set({ part: part() }) },
    { keys: ['k'], text: 'Weights, norms or gradients', run: () => store.set({ kind: kind() }) },
    { keys: ['w'], text: 'Words or pieces', run: () => store.set({ unit: unit() }) },
    { keys: ['s'], text: 'Special tokens or not', run: () => store.set({ special: special() }) },
    { keys: ['c'], text: 'Scale: this head, all heads', run: () => store.set({ scale: scale() }) },
    { keys: ['n'], text: 'The next sentence', run: () => sentence(1) },
    { keys: ['N'], text: 'The sentence before', run: () => sentence(-1) },
  ];
}

/** @param {Viewer} viewer @returns {Shortcut[]} */
function timeKeys(viewer) {
  const { store } = viewer;
  /** @param {number} by */
  const step = (by) => {
    const steps = viewer.recording.stepsOf(store.state.sentence);
    const place = steps.indexOf(store.state.step) + by;
    if (place >= 0 && place < steps.length) store.set({ step: steps[place] });
  };
  return [
    { keys: [','], text: 'One step of training back', run: () => step(-1) },
    { keys: ['.'], text: 'One step of training on', run: () => step(1) },
    { keys: [' '], text: 'Play or pause', run: () => viewer.views.training?.toggle() },
  ];
}

/** @param {Viewer} viewer @returns {Shortcut[]} */
function placeKeys(viewer) {
  /** @param {string} selector */
  const focus = (selector) =>
    /** @type {HTMLElement | null} */ (viewer.root.querySelector(selector))?.focus();
  const letGo = () => viewer.store.set({ query: null, key: null });
  return [
    { keys: ['1'], text: 'To the flow', run: () => focus('.flow [tabindex="0"]') },
    { keys: ['2'], text: 'To the matrix', run: () => focus('.matrix-scroll') },
    { keys: ['3'], text: 'To the overview', run: () => focus('.overview [tabindex="0"]') },
    { keys: ['4'], text: 'To the table of heads', run: () => focus('.heads button') },
    { keys: ['e'], text: 'Save the view as SVG', run: () => viewer.saveFocused() },
    ...(viewer.options.part ? [] : [themeKey(viewer)]),
    { keys: ['Escape'], text: 'Let go of what is pinned', run: letGo },
    { keys: ['?'], text: 'This list', run: () => viewer.keyboard.open() },
  ];
}

/** @param {Viewer} viewer @returns {Shortcut} */
const themeKey = (viewer) => ({
  keys: ['t'],
  text: 'Light or dark colours',
  run: () => viewer.nextTheme(),
});
