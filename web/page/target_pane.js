// The translation, word by word: words light up with those they come from, and a click shows what
// else could stand there.
import { make, setText } from '../viewer/dom.js';
import { visible } from '../viewer/text.js';
import { copyButton } from './parts.js';

/** @typedef {import('./result.js').Result} Result */
/** @typedef {{sentence: number, word: number}} Place */

export class TargetPane {
  /**
   * @param {import('./status.js').Status} status
   * @param {{onPoint: (place: Place | null) => void, onChoose: (place: Place) => void}} hooks
   */
  constructor(status, { onPoint, onChoose }) {
    this.onPoint = onPoint;
    this.onChoose = onChoose;
    this.copied = '';
    /** @type {Map<string, HTMLElement>} */
    this.words = new Map();
    /** @type {HTMLElement[]} */
    this.order = [];
    this.text = make('div', {
      class: 'translation',
      dir: 'auto',
      role: 'group',
      'aria-label': 'Translation',
      onpointerover: (/** @type {Event} */ event) => onPoint(placeOf(event.target)),
      onpointerleave: () => onPoint(null),
      onfocusin: (/** @type {Event} */ event) => onPoint(placeOf(event.target)),
      onfocusout: () => onPoint(null),
      onclick: (/** @type {Event} */ event) => this.clicked(event.target),
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.onKey(event),
    });
    this.note = make('span', { class: 'note' });
    this.copy = copyButton('Copy the translation', () => this.copied, status);
    this.element = make(
      'div',
      { class: 'pane target-pane' },
      make('div', { class: 'busy-bar' }),
      make('div', { class: 'pane-scroll' }, this.text),
      make('div', { class: 'pane-foot' }, this.note, this.copy),
    );
    this.show(null, new Set());
  }

  /** @param {boolean} busy */
  setBusy(busy) {
    this.element.classList.toggle('busy', busy);
    this.text.setAttribute('aria-busy', String(busy));
  }

  /**
   * @param {Result | null} result @param {Set<string>} changed keys of words that are new
   * @param {string} [lang]
   */
  show(result, changed, lang) {
    const focused = this.order.findIndex((word) => word === document.activeElement);
    this.copied = result?.target ?? '';
    this.copy.hidden = !this.copied;
    this.words.clear();
    this.order = [];
    if (lang) this.text.lang = lang;
    else this.text.removeAttribute('lang');
    if (result) this.text.replaceChildren(...this.nodesOf(result, changed));
    else this.text.replaceChildren(make('span', { class: 'placeholder' }, 'Translation'));
    if (this.order.length) this.order[Math.max(0, focused)]?.setAttribute('tabindex', '0');
    if (focused >= 0) this.order[Math.min(focused, this.order.length - 1)]?.focus();
  }

  /** @param {Result} result @param {Set<string>} changed */
  nodesOf({ target, sentences }, changed) {
    /** @type {(Node | string)[]} */
    const nodes = [];
    let at = 0;
    sentences.forEach(({ targetWords }, sentence) => {
      targetWords.forEach((span, word) => {
        nodes.push(between(target.slice(at, span.begin)));
        nodes.push(this.word(target.slice(span.begin, span.end), { sentence, word }, changed));
        at = span.end;
      });
    });
    return [...nodes, between(target.slice(at))];
  }

  /** @param {string} text @param {Place} place @param {Set<string>} changed */
  word(text, { sentence, word }, changed) {
    const key = `${sentence} ${word}`;
    const element = make(
      'span',
      {
        class: changed.has(key) ? 'target-word changed' : 'target-word',
        role: 'button',
        tabindex: -1,
        'aria-haspopup': 'listbox',
        dataset: { sentence, word },
      },
      visible(text),
    );
    this.words.set(key, element);
    this.order.push(element);
    return element;
  }

  /** @param {Place} place */
  elementOf({ sentence, word }) {
    return this.words.get(`${sentence} ${word}`) ?? null;
  }

  /** Lights words up. @param {Place[]} places */
  light(places) {
    const keys = new Set(places.map(({ sentence, word }) => `${sentence} ${word}`));
    for (const [key, element] of this.words) element.classList.toggle('lit', keys.has(key));
  }

  /** @param {EventTarget | null} target */
  clicked(target) {
    const place = placeOf(target);
    // Who drags over words wants to select them.
    if (place && window.getSelection()?.isCollapsed !== false) this.onChoose(place);
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const at = this.order.indexOf(/** @type {HTMLElement} */ (event.target));
    if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const rightToLeft = getComputedStyle(this.text).direction === 'rtl';
    const steps = { ArrowRight: rightToLeft ? -1 : 1, ArrowLeft: rightToLeft ? 1 : -1 };
    const ends = { Home: 0, End: this.order.length - 1 };
    if (event.key in steps) this.focus(at + steps[/** @type {keyof steps} */ (event.key)], at);
    else if (event.key in ends) this.focus(ends[/** @type {keyof ends} */ (event.key)], at);
    else if (['Enter', ' ', 'ArrowDown'].includes(event.key)) this.clicked(event.target);
    else return;
    event.preventDefault();
  }

  /** @param {number} to @param {number} from */
  focus(to, from) {
    const next = this.order[to];
    if (!next) return;
    this.order[from].setAttribute('tabindex', '-1');
    next.setAttribute('tabindex', '0');
    next.focus();
  }

  /** @param {string} text */
  say(text) {
    setText(this.note, text);
  }
}

/** What stands between words: white space as it is. @param {string} text */
const between = (text) => text.replace(/\S+/gu, visible);

/** @param {EventTarget | null} target @returns {Place | null} */
function placeOf(target) {
  const word = target instanceof Element ? target.closest('.target-word') : null;
  if (!(word instanceof HTMLElement)) return null;
  return { sentence: Number(word.dataset.sentence), word: Number(word.dataset.word) };
}
