// The viewer: puts the views together and redraws them when the state changes.
import { styleValue, make, icon, setText } from './dom.js';
import { Recording } from './data.js';
import { bestHead, tableOf } from './figures.js';
import { keysOf, legendOf, mapOf, remembering } from './frame.js';
import { FlowView, flowLegend } from './flow.js';
import { MatrixView } from './matrix.js';
import { OverviewView } from './overview.js';
import { HeadTableView } from './head_table.js';
import { TrainingView } from './training.js';
import { Controls, SentencePicker, hasWords } from './controls.js';
import { Readout, TextTable, notesOf } from './reading.js';
import { Keyboard } from './keyboard.js';
import { Store, readHash, writeHash } from './state.js';
import { saveFile } from './svg.js';
import { visible } from './text.js';

/** @typedef {import('./frame.js').Frame} Frame */
/** @typedef {import('./state.js').State} State */
/** @typedef {import('./data.js').Part} Part */
/** @typedef {import('./data.js').Sentence} Sentence */

/** A view: an element, drawn anew for each frame, and the same as a picture. */
/** @typedef {{element: HTMLElement, draw: (frame: Frame) => void, svg?: (frame: Frame) => string}} View */

/**
 * `hash` keeps the state in the URL's hash. `onSwitch` gets the heads that the user switches off or
 * on; without it there is no such switch.
 * @typedef {{hash?: boolean, onSwitch?: import('./head_table.js').Switch}} Options
 */

const SAVE = 'M8 2v8M4.5 7 8 10.5 11.5 7M3 13.5h10';
const THEME = 'M8 2a6 6 0 1 0 0 12zM8 2a6 6 0 0 1 0 12';
const HELP =
  'M8 14.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM6.2 6a1.8 1.8 0 1 1 2.6 1.7c-.6.3-.8.6-.8 1.3M8 11.2v.3';

const ABOUT = [
  'Attention shows where the model looked, not why it answered as it did. A weight says how much of ' +
    'a token’s vector was taken, not what was in it or whether it mattered: a large weight on a ' +
    'short vector does little, and later layers may undo it.',
  'Norms show how much each token really contributed, gradients how the output would change with a ' +
    'weight, and switching a head off what the model does without it. Where they agree, trust the picture more.',
];

/** Shows a recording in an element. @param {HTMLElement} root @param {() => any} read @param {Options} [options] */
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
    this.ticket = 0;
    /** What has changed since the last drawing. @type {Set<string>} */
    this.waiting = new Set();
    this.hash = '';
    this.sortKey = '';
    /** @type {{scheme: string, colours: import('./frame.js').Colours} | null} */
    this.coloursOf = null;
    this.parts = {
      sort: make('select', {
        id: 'sort',
        onchange: () => this.store.set({ sort: this.parts.sort.value, descending: false }),
      }),
      notes: make('p', { class: 'note rules' }),
      flowLegend: emptyLegend(),
      matrixLegend: emptyLegend(),
      theme: make(
        'button',
        { type: 'button', class: 'round', onclick: () => this.nextTheme() },
        icon(THEME),
      ),
    };
    /** @type {(key: string, compute: () => {map: import('./shown.js').ShownMap, top: number}) => {map: import('./shown.js').ShownMap, top: number}} */
    this.rememberMap = remembering(12);
    /** @type {(key: string, compute: () => import('./data.js').HeadTable) => import('./data.js').HeadTable} */
    this.rememberTable = remembering(12);
    this.views = this.makeViews();
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

  async start() {
    const asked = this.options.hash ? readHash(window.location.hash) : {};
    const { first } = this.recording;
    await this.load(this.defaults);
    this.defaults = this.settled(this.defaults, new Set(['part']));
    if (first) this.defaults = this.settled({ ...this.defaults, ...first }, new Set());
    this.layOut();
    this.store.subscribe((state, changed) => this.onChange(changed));
    this.dark.addEventListener('change', () => this.redraw());
    if (this.options.hash) {
      window.addEventListener('hashchange', () => this.ask(readHash(window.location.hash)));
    }
    await this.ask(asked);
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
    const elsewhere =
      state.part !== this.defaults.part && !('layer' in asked) && !('head' in asked);
    await this.load(state);
    this.store.state = this.settled(state, new Set(elsewhere ? ['part'] : []));
    this.redraw();
  }

  /** What a state names, or the nearest that exists. @param {State} state */
  chosen(state) {
    const { steps } = this.recording;
    const step = Math.min(state.step, steps.length - 1);
    const sentence = Math.min(state.sentence, steps[step].sentences.length - 1);
    const part = partOf(steps[step].sentences[sentence], state.part);
    const kind = part.blocks.has(state.kind) ? state.kind : /** @type {const} */ ('weights');
    return { step, sentence, part, kind, heads: steps[step].heads };
  }

  /** Unpacks what a state shows. @param {State} state */
  async load(state) {
    const { part, kind } = this.chosen(state);
    await Promise.all([part.load(kind), part.load('weights')]);
  }

  /**
   * A state that the recording can show: what does not exist is replaced by the nearest that does,
   * and a new part begins with its best head.
   * @param {State} wanted @param {Set<string>} changed @returns {State}
   */
  settled(wanted, changed) {
    const { step, sentence, part, kind, heads } = this.chosen(wanted);
    const state = { ...wanted, step, sentence, kind, part: part.name };
    const named = changed.has('layer') || changed.has('head');
    if (changed.has('part') && !named) Object.assign(state, bestHead(part, heads));
    if (state.layer !== null) state.layer = Math.min(state.layer, part.layers - 1);
    if (state.head !== null) state.head = Math.min(state.head, part.heads - 1);
    if (state.layer === null) state.head = null;
    if (['part', 'unit', 'special', 'sentence'].some((name) => changed.has(name))) {
      state.query = null;
      state.key = null;
    }
    return state;
  }

  /** @param {Set<string>} changed */
  onChange(changed) {
    for (const name of changed) this.waiting.add(name);
    const { part, kind } = this.chosen(this.store.state);
    if (part.packed.has(kind) && part.packed.has('weights')) return this.proceed();
    const ticket = ++this.ticket;
    this.load(this.store.state)
      .then(() => ticket === this.ticket && this.proceed())
      .catch((error) => showError(this.root, error));
  }

  /** Draws what has changed. */
  proceed() {
    const spotOnly = [...this.waiting].every((name) => ['hover', 'query', 'key'].includes(name));
    if (!spotOnly) this.store.state = this.settled(this.store.state, this.waiting);
    this.waiting.clear();
    this.redraw(spotOnly);
  }

  get scheme() {
    const { theme } = this.store.state;
    return theme === 'auto' ? (this.dark.matches ? 'dark' : 'light') : theme;
  }

  /** Draws the present state. `spotOnly`: only what is lit has changed. @param {boolean} [spotOnly] */
  redraw(spotOnly = false) {
    const { state } = this.store;
    document.documentElement.dataset.theme = this.scheme;
    const frame = this.frame(state);
    const { readout, flow, matrix, ...others } = this.views;
    for (const view of [readout, flow, matrix]) view.draw(frame);
    if (!spotOnly) {
      for (const view of Object.values(others)) view?.draw(frame);
      this.drawWords(frame);
    }
    if (this.options.hash) this.writeHash(state);
  }

  /** @param {State} state */
  writeHash(state) {
    const hash = writeHash(state, this.defaults);
    if (hash === this.hash) return;
    this.hash = hash;
    window.history.replaceState(
      null,
      '',
      hash || window.location.pathname + window.location.search,
    );
  }

  /** @param {State} state @returns {Frame} */
  frame(state) {
    const { scheme } = this;
    const keys = keysOf(state, scheme);
    const step = this.recording.steps[state.step];
    const sentence = step.sentences[state.sentence];
    const part = partOf(sentence, state.part);
    const { map, top } = this.rememberMap(keys.mapKey, () => mapOf(part, state));
    const table = this.tableFor(step, part, keys.lookKey);
    const lit = clampSpot(this.store.lit, map);
    return {
      recording: this.recording,
      step,
      sentence,
      part,
      table,
      state,
      lit,
      map,
      top,
      scheme,
      colours: this.colours(scheme),
      ...keys,
    };
  }

  /** The table of the recording, or one made from the sentence. */
  /** @param {import('./data.js').Step} step @param {Part} part @param {string} key */
  tableFor(step, part, key) {
    const given = step.heads?.rows.some((row) => row.part === part.name) ? step.heads : null;
    return given ?? this.rememberTable(`${part.where} ${key.split(' ')[0]}`, () => tableOf(part));
  }

  /** @param {'light' | 'dark'} scheme @returns {import('./frame.js').Colours} */
  colours(scheme) {
    if (this.coloursOf?.scheme !== scheme) {
      this.coloursOf = {
        scheme,
        colours: {
          ground: styleValue('--card'),
          ink: styleValue('--ink'),
          quiet: styleValue('--quiet'),
          line: styleValue('--line'),
          accent: styleValue('--accent'),
          positive: styleValue('--positive'),
          negative: styleValue('--negative'),
        },
      };
    }
    return this.coloursOf.colours;
  }

  /** @param {Frame} frame */
  drawWords(frame) {
    const notes = notesOf(frame);
    setText(this.parts.notes, notes.join(' '));
    this.parts.notes.hidden = !notes.length;
    showLegend(this.parts.matrixLegend, legendOf(frame));
    showLegend(this.parts.flowLegend, flowLegend(frame));
    const { sort } = this.parts;
    const options = [
      ['position', 'Layer and head'],
      ...frame.table.columns.map(({ key, name }) => [key, name]),
    ];
    const key = options.join('\n');
    if (key !== this.sortKey) {
      this.sortKey = key;
      sort.replaceChildren(
        ...options.map(([value, text]) => make('option', { value }, visible(text))),
      );
    }
    sort.value = frame.state.sort;
    const { theme } = frame.state;
    this.parts.theme.setAttribute(
      'aria-label',
      `Colours: ${theme === 'auto' ? 'as the system' : theme}`,
    );
    this.parts.theme.title = `Colours: ${theme === 'auto' ? 'as the system' : theme}`;
  }

  layOut() {
    const { picker, controls, readout, flow, matrix, overview, heads, text, training } = this.views;
    this.keyboard = new Keyboard(this.shortcuts());
    const help = make(
      'button',
      {
        type: 'button',
        class: 'round',
        'aria-label': 'Keyboard help',
        title: 'Keyboard help',
        onclick: () => this.keyboard?.open(),
      },
      icon(HELP),
    );
    const sorting = make(
      'div',
      { class: 'field' },
      make('label', { for: 'sort' }, 'Sorted by'),
      this.parts.sort,
    );
    this.root.replaceChildren(
      make(
        'header',
        { class: 'top' },
        make(
          'div',
          { class: 'brand' },
          make('span', { class: 'heed', 'aria-hidden': 'true' }, 'heed'),
          make(
            'h1',
            {},
            'Attention',
            this.recording.title &&
              make('bdi', { dir: 'auto', class: 'model' }, visible(this.recording.title)),
          ),
        ),
        make('div', { class: 'buttons' }, this.parts.theme, help),
      ),
      make(
        'main',
        {},
        picker.element,
        controls.element,
        training && training.player,
        readout.element,
        this.parts.notes,
        make(
          'div',
          { class: 'maps' },
          this.card('flow', 'Flow', flow, this.parts.flowLegend),
          this.card('matrix', 'Matrix', matrix, this.parts.matrixLegend),
        ),
        this.card('overview', 'Overview', overview, null, sorting),
        training && this.card('training', 'Over training', training),
        this.card('heads', 'Heads', heads),
        text.element,
        make(
          'section',
          { class: 'about', 'aria-label': 'What attention explains' },
          make('h2', {}, 'What this shows, and what it does not'),
          ...ABOUT.map((each) => make('p', {}, each)),
        ),
      ),
      this.keyboard.dialog,
    );
  }

  /**
   * @param {string} id @param {string} title @param {View} view @param {HTMLElement | null} [legend]
   * @param {HTMLElement} [extra]
   */
  card(id, title, view, legend, extra) {
    const save =
      view.svg &&
      make(
        'button',
        {
          type: 'button',
          class: 'save',
          'aria-label': `Save ${title} as SVG`,
          onclick: () => this.save(id, view),
        },
        icon(SAVE),
        'SVG',
      );
    return make(
      'section',
      { class: `card ${id}-card`, 'aria-labelledby': `${id}-title`, dataset: { view: id } },
      make(
        'div',
        { class: 'card-head' },
        make('h2', { id: `${id}-title` }, title),
        make('div', { class: 'card-tools' }, extra, save),
      ),
      view.element,
      legend,
    );
  }

  /** @param {string} id @param {View} view */
  save(id, view) {
    const frame = this.frame(this.store.state);
    const { layer, head } = frame.state;
    const place = [
      frame.part.name,
      layer === null ? 'all' : layer + 1,
      head === null ? 'mean' : head + 1,
    ];
    const name = place.join('-').replace(/[^\p{L}\p{N}-]+/gu, '_');
    if (view.svg) saveFile(`attention-${id}-${name}.svg`, view.svg(frame));
  }

  nextTheme() {
    const order = /** @type {State['theme'][]} */ (
      this.dark.matches ? ['auto', 'light', 'dark'] : ['auto', 'dark', 'light']
    );
    this.store.set({ theme: order[(order.indexOf(this.store.state.theme) + 1) % 3] });
  }

  /** @returns {import('./keyboard.js').Shortcut[]} */
  shortcuts() {
    const { store } = this;
    const part = () =>
      partOf(
        this.recording.steps[store.state.step].sentences[store.state.sentence],
        store.state.part,
      );
    const turn = (/** @type {any[]} */ values, /** @type {any} */ value) =>
      values[(values.indexOf(value) + 1) % values.length];
    const cycle = (
      /** @type {'layer' | 'head'} */ name,
      /** @type {number} */ size,
      /** @type {number} */ by,
    ) => {
      const now = store.state[name] ?? (by > 0 ? -1 : size);
      const layer = name === 'head' && store.state.layer === null ? { layer: 0 } : {};
      store.set({ ...layer, [name]: (now + by + size) % size });
    };
    const sentences = () => this.recording.steps[store.state.step].sentences;
    const step = (/** @type {number} */ by) =>
      store.set({
        step: Math.min(Math.max(store.state.step + by, 0), this.recording.steps.length - 1),
      });
    const focus = (/** @type {string} */ selector) =>
      /** @type {HTMLElement | null} */ (this.root.querySelector(selector))?.focus();
    const time = this.recording.overTime
      ? [
          { keys: [','], text: 'One step of training back', run: () => step(-1) },
          { keys: ['.'], text: 'One step of training on', run: () => step(1) },
          { keys: [' '], text: 'Play or pause', run: () => this.views.training?.toggle() },
        ]
      : [];
    return [
      { keys: ['['], text: 'The head before', run: () => cycle('head', part().heads, -1) },
      { keys: [']'], text: 'The next head', run: () => cycle('head', part().heads, 1) },
      { keys: ['{'], text: 'The layer before', run: () => cycle('layer', part().layers, -1) },
      { keys: ['}'], text: 'The next layer', run: () => cycle('layer', part().layers, 1) },
      { keys: ['m'], text: 'The mean of the layer’s heads, or back', run: () => this.toggleMean() },
      {
        keys: ['b'],
        text: 'The head to look at first',
        run: () => store.set(bestHead(part(), this.recording.steps[store.state.step].heads)),
      },
      {
        keys: ['p'],
        text: 'The next part',
        run: () =>
          store.set({
            part: turn(
              sentences()[store.state.sentence].parts.map(({ name }) => name),
              store.state.part,
            ),
          }),
      },
      {
        keys: ['k'],
        text: 'Weights, norms or gradients',
        run: () => store.set({ kind: turn([...part().blocks.keys()], store.state.kind) }),
      },
      {
        keys: ['w'],
        text: 'Words or pieces',
        run: () => store.set({ unit: turn(['words', 'pieces'], store.state.unit) }),
      },
      {
        keys: ['s'],
        text: 'Special tokens shown or hidden',
        run: () => store.set({ special: !store.state.special }),
      },
      {
        keys: ['c'],
        text: 'Scale of this head, or of all heads',
        run: () => store.set({ scale: turn(['head', 'common'], store.state.scale) }),
      },
      {
        keys: ['n'],
        text: 'The next sentence',
        run: () => store.set({ sentence: (store.state.sentence + 1) % sentences().length }),
      },
      {
        keys: ['N'],
        text: 'The sentence before',
        run: () =>
          store.set({
            sentence: (store.state.sentence + sentences().length - 1) % sentences().length,
          }),
      },
      ...time,
      { keys: ['1'], text: 'To the flow', run: () => focus('.flow [tabindex="0"]') },
      { keys: ['2'], text: 'To the matrix', run: () => focus('.matrix-scroll') },
      { keys: ['3'], text: 'To the overview', run: () => focus('.overview [tabindex="0"]') },
      { keys: ['4'], text: 'To the table of heads', run: () => focus('.heads button') },
      {
        keys: ['e'],
        text: 'Save the view with the focus, or the matrix, as SVG',
        run: () => this.saveFocused(),
      },
      { keys: ['t'], text: 'Light or dark colours', run: () => this.nextTheme() },
      {
        keys: ['Escape'],
        text: 'Let go of what is pinned',
        run: () => store.set({ query: null, key: null }),
      },
      { keys: ['?'], text: 'This list', run: () => this.keyboard?.open() },
    ];
  }

  toggleMean() {
    const { head } = this.store.state;
    if (head !== null) this.lastHead = head;
    this.store.set(
      head === null
        ? { head: this.lastHead ?? 0, layer: this.store.state.layer ?? 0 }
        : { head: null },
    );
  }

  saveFocused() {
    const card = document.activeElement?.closest('[data-view]');
    const id = card instanceof HTMLElement ? (card.dataset.view ?? 'matrix') : 'matrix';
    /** @type {Record<string, View | null>} */
    const views = {
      flow: this.views.flow,
      matrix: this.views.matrix,
      overview: this.views.overview,
      training: this.views.training,
    };
    const view = views[id] ?? this.views.matrix;
    this.save(views[id] ? id : 'matrix', view);
  }
}

/** @param {Sentence} sentence @param {string} name */
function partOf(sentence, name) {
  return (
    sentence.parts.find((each) => each.name === name) ?? sentence.parts[sentence.parts.length - 1]
  );
}

/** @param {import('./state.js').Spot} spot @param {import('./shown.js').ShownMap} map */
const clampSpot = ({ query, key }, map) => ({
  query: query !== null && query < map.queries.length ? query : null,
  key: key !== null && key < map.keys.length ? key : null,
});

/** @param {Recording} recording @returns {State} */
function firstState(recording) {
  const step = recording.steps.length - 1;
  const [sentence] = recording.steps[step].sentences;
  const part = partOf(sentence, recording.first?.part ?? 'cross');
  const words = hasWords({ part });
  return {
    step,
    sentence: 0,
    part: part.name,
    layer: 0,
    head: 0,
    kind: 'weights',
    unit: words ? 'words' : 'pieces',
    special: true,
    scale: 'head',
    sort: 'position',
    descending: false,
    chart: '',
    theme: 'auto',
    query: null,
    key: null,
  };
}

const emptyLegend = () => make('div', { class: 'legend' });

/** @param {HTMLElement} element @param {import('./svg.js').Legend} legend */
function showLegend(element, legend) {
  const key = JSON.stringify([legend, legend.sample(5)]);
  if (element.dataset.key === key) return;
  element.dataset.key = key;
  const bar = make('canvas', { width: 160, height: 1, 'aria-hidden': 'true' });
  const context = /** @type {CanvasRenderingContext2D} */ (bar.getContext('2d'));
  legend.sample(160).forEach((colour, i) => {
    context.fillStyle = colour;
    context.fillRect(i, 0, 1, 1);
  });
  element.replaceChildren(
    make('span', { class: 'low' }, legend.low),
    bar,
    make('span', { class: 'high' }, legend.high),
    make('span', { class: 'name' }, legend.name),
  );
}
