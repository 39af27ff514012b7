// The switches above the views. They show the state and change it; they know nothing of drawing.
import { foreign, make } from './dom.js';
import { counted, numberText, visible } from './text.js';

/** @typedef {import('./frame.js').Frame} Frame */
/** @typedef {import('./state.js').Store} Store */
/** @typedef {{value: string, text: string, title?: string}} Option */

const KIND_OPTIONS = [
  { value: 'weights', text: 'Weights', title: 'How much of each key a query takes' },
  { value: 'norms', text: 'Norms', title: 'How long the vector is that each key contributes' },
  { value: 'gradients', text: 'Gradients', title: 'How a weight acts on the score of the output' },
];

/** One of a few, as native radio buttons. */
class Segmented {
  /** @param {string} name @param {string} legend @param {(value: string) => void} onchange */
  constructor(name, legend, onchange) {
    this.name = name;
    this.onchange = onchange;
    this.row = make('div', { class: 'segments' });
    this.element = make('fieldset', { class: 'segmented' }, make('legend', {}, legend), this.row);
    this.key = '';
  }

  /** @param {Option[]} options @param {string} value */
  show(options, value) {
    const key = JSON.stringify(options);
    if (key !== this.key) {
      this.key = key;
      this.row.replaceChildren(...options.map((option) => this.segment(option)));
      this.element.hidden = options.length < 2;
    }
    for (const input of this.row.querySelectorAll('input')) input.checked = input.value === value;
  }

  /** @param {Option} option */
  segment({ value, text, title }) {
    return make(
      'label',
      { title },
      make('input', {
        type: 'radio',
        name: this.name,
        value,
        onchange: () => this.onchange(value),
      }),
      make('span', {}, visible(text)),
    );
  }
}

/** One of many. */
class Chooser {
  /** @param {string} id @param {string} label @param {(value: string) => void} onchange */
  constructor(id, label, onchange) {
    this.select = make('select', { id, onchange: () => onchange(this.select.value) });
    this.element = make('div', { class: 'field' }, make('label', { for: id }, label), this.select);
    this.key = '';
  }

  /** @param {Option[]} options @param {string} value */
  show(options, value) {
    const key = JSON.stringify(options);
    if (key !== this.key) {
      this.key = key;
      this.select.replaceChildren(
        ...options.map((each) =>
          make('option', { value: each.value, dir: 'auto' }, visible(each.text)),
        ),
      );
    }
    this.select.value = value;
  }
}

/** The part and the head, and how their values are shown. */
export class Controls {
  /** @param {Store} store */
  constructor(store) {
    const set = (/** @type {string} */ name) => (/** @type {any} */ value) =>
      store.set({ [name]: value });
    const number = (/** @type {string} */ text) => (text === 'mean' ? null : Number(text));
    this.part = new Segmented('part', 'Part', set('part'));
    this.layer = new Chooser('layer', 'Layer', (text) => {
      const layer = number(text);
      store.set(layer === null ? { layer, head: null } : { layer });
    });
    this.head = new Chooser('head', 'Head', (text) => {
      const head = number(text);
      store.set(head !== null && store.state.layer === null ? { head, layer: 0 } : { head });
    });
    this.kind = new Segmented('kind', 'Show', set('kind'));
    this.unit = new Segmented('unit', 'Tokens', set('unit'));
    this.scale = new Segmented('scale', 'Scale', set('scale'));
    this.special = make('input', {
      type: 'checkbox',
      id: 'special',
      onchange: () => store.set({ special: this.special.checked }),
    });
    this.element = make(
      'form',
      {
        class: 'controls',
        'aria-label': 'What is shown',
        onsubmit: (/** @type {Event} */ event) => event.preventDefault(),
      },
      this.part.element,
      make('div', { class: 'pair' }, this.layer.element, this.head.element),
      this.kind.element,
      this.unit.element,
      this.scale.element,
      make('label', { class: 'check' }, this.special, make('span', {}, 'Special tokens')),
    );
  }

  /** @param {Frame} frame */
  draw(frame) {
    const { state, sentence, part } = frame;
    this.part.show(
      sentence.parts.map(({ name, title }) => ({ value: name, text: title })),
      state.part,
    );
    const numbers = (/** @type {number} */ n) =>
      Array.from({ length: n }, (_, i) => ({ value: String(i), text: String(i + 1) }));
    this.layer.show(
      [...numbers(part.layers), { value: 'mean', text: 'All' }],
      String(state.layer ?? 'mean'),
    );
    this.head.show(
      [...numbers(part.heads), { value: 'mean', text: 'Mean' }],
      String(state.head ?? 'mean'),
    );
    this.layer.element.hidden = part.layers < 2;
    this.head.element.hidden = part.layers * part.heads < 2;
    this.kind.show(
      KIND_OPTIONS.filter(({ value }) => part.blocks.has(/** @type {any} */ (value))),
      state.kind,
    );
    this.unit.show(
      hasWords(frame)
        ? [
            { value: 'words', text: 'Words' },
            { value: 'pieces', text: 'Pieces' },
          ]
        : [],
      state.unit,
    );
    this.scale.show(
      [
        {
          value: 'head',
          text: 'This head',
          title: 'Colours reach to the largest value of this head',
        },
        {
          value: 'common',
          text: 'All heads',
          title: 'Colours reach to the largest value of the part',
        },
      ],
      state.scale,
    );
    this.special.checked = state.special;
    const label = /** @type {HTMLElement} */ (this.special.closest('label'));
    label.hidden = !hasSpecial(frame);
  }
}

/** Whether pieces and words differ. @param {{part: import('./data.js').Part}} frame */
export const hasWords = ({ part }) =>
  [part.queries, part.keys].some(({ pieces, words }) =>
    words.some((word, i) => word >= 0 && (word === words[i - 1] || pieces[i].startsWith('▁'))),
  );

/** @param {Frame} frame */
export const hasSpecial = ({ part }) =>
  [part.queries, part.keys].some(({ words }) => words.some((word) => word < 0));

/** The sentence, its translation and what else was found. */
export class SentencePicker {
  /** @param {Store} store */
  constructor(store) {
    this.store = store;
    this.chooser = new Chooser('sentence', 'Sentence', (text) =>
      store.set({ sentence: Number(text) }),
    );
    /** @type {import('./data.js').Sentence | null} */
    this.sentence = null;
    this.texts = make('div', { class: 'texts' });
    this.element = make('div', { class: 'sentences' }, this.chooser.element, this.texts);
  }

  /** @param {Frame} frame */
  draw(frame) {
    const { sentences } = frame.recording;
    this.chooser.element.hidden = sentences.length < 2;
    this.chooser.show(
      sentences.map((each, i) => ({
        value: String(i),
        text: `${each.of === null ? `${i + 1}. ` : '↳ '}${each.name}`,
      })),
      String(frame.state.sentence),
    );
    if (this.sentence === frame.sentence) return;
    this.sentence = frame.sentence;
    this.texts.replaceChildren(...this.textLines(frame.sentence));
    this.element.hidden = sentences.length < 2 && !this.texts.firstChild;
  }

  /** @param {import('./data.js').Sentence} sentence */
  textLines({ tokens, score, alternatives }) {
    const lines = tokens
      .filter(({ text }) => text)
      .map(({ title, text }) =>
        make(
          'p',
          { class: 'text' },
          make('span', { class: 'axis' }, visible(title)),
          foreign(text, { class: 'sentence' }),
        ),
      );
    if (score !== null) {
      lines[lines.length - 1]?.append(
        make(
          'span',
          { class: 'score', title: 'Log-probability per token' },
          `score ${numberText(score)}`,
        ),
      );
    }
    if (!alternatives.length) return lines;
    const items = alternatives.map((each) =>
      make(
        'li',
        {},
        each.sentence === null
          ? foreign(each.text)
          : make(
              'button',
              {
                type: 'button',
                class: 'link',
                onclick: () => this.store.set({ sentence: /** @type {number} */ (each.sentence) }),
              },
              foreign(each.text),
            ),
        each.score !== null && make('span', { class: 'score' }, `score ${numberText(each.score)}`),
      ),
    );
    return [
      ...lines,
      make(
        'details',
        { class: 'alternatives' },
        make('summary', {}, counted(alternatives.length, 'other translation')),
        make('ol', {}, ...items),
      ),
    ];
  }
}
