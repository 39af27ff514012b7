// From which language into which: two menus, and a button that swaps them.
import { icon, make } from '../viewer/dom.js';
import { visible } from '../viewer/text.js';

/** @typedef {import('./languages.js').Languages} Languages */
/** @typedef {import('./state.js').PageStore} PageStore */

const SWAP_ICON = 'M2.5 5.5h10M9.5 2.5l3 3-3 3M13.5 10.5h-10M6.5 7.5l-3 3 3 3';

export class LanguageBar {
  /**
   * @param {string} id @param {PageStore} store @param {Languages} languages
   * @param {() => void} onSwap
   */
  constructor(id, store, languages, onSwap) {
    this.store = store;
    this.languages = languages;
    /** The language that the server found the text to be in. */
    this.detected = '';
    this.sure = true;
    this.from = make('select', { id: `${id}-from`, onchange: () => this.choose() });
    this.to = make('select', { id: `${id}-to`, onchange: () => this.choose() });
    this.swap = make(
      'button',
      {
        type: 'button',
        class: 'round',
        'aria-label': 'Swap languages',
        title: 'Swap languages',
        onclick: onSwap,
      },
      icon(SWAP_ICON),
    );
    this.element = make(
      'div',
      { class: 'language-bar' },
      make('label', { for: `${id}-from`, class: 'hidden' }, 'Translate from'),
      this.from,
      this.swap,
      make('label', { for: `${id}-to`, class: 'hidden' }, 'Translate into'),
      this.to,
    );
    this.key = '';
  }

  choose() {
    this.store.set(this.languages.settled(this.from.value, this.to.value));
  }

  /** What the text was found to be in, for `auto`; nothing if it is not known. */
  /** @param {string} code @param {boolean} sure whether the text itself says so */
  detect(code, sure) {
    this.detected = code;
    this.sure = sure;
    this.draw();
  }

  draw() {
    const { from, to } = this.store.state;
    const { languages, detected } = this;
    const how = this.sure ? 'detected' : 'assumed';
    const auto = detected ? `${languages.nameOf(detected)} – ${how}` : 'Detect language';
    const sources = [['auto', auto], ...this.named(languages.sources)];
    const targets = this.named(languages.targetsOf(from));
    const key = JSON.stringify([sources, targets]);
    if (key !== this.key) {
      this.key = key;
      this.from.replaceChildren(...sources.map(option));
      this.to.replaceChildren(...targets.map(option));
    }
    this.from.value = from;
    this.to.value = to;
    this.swap.disabled = !languages.has(to, from === 'auto' ? detected : from);
  }

  /** @param {string[]} codes */
  named(codes) {
    return codes.map((code) => [code, this.languages.nameOf(code)]);
  }
}

/** @param {string[]} entry */
const option = ([value, text]) => make('option', { value }, visible(text));
