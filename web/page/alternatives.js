// What else could stand in the place of a word: a list beneath it.
import { foreign, make } from '../viewer/dom.js';
import { isAbort, wordsOf } from './failure.js';

/**
 * Another way to go on: the words up to and with the one that differs, and a whole sentence.
 * @typedef {{word: string, rest: string, answer: import('./result.js').Answer}} Alternative
 */

const MARGIN = 8;

export class AlternativesList {
  /** @param {import('./status.js').Status} status */
  constructor(status) {
    this.status = status;
    this.list = make('ul', {
      role: 'listbox',
      'aria-label': 'What else could stand here',
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.onKey(event),
    });
    this.note = make('p', { class: 'note' });
    this.element = make('div', { class: 'alternatives-list', hidden: true }, this.note, this.list);
    /** @type {HTMLElement | null} */
    this.anchor = null;
    /** @type {AbortController | null} */
    this.asking = null;
    document.addEventListener('pointerdown', ({ target }) => {
      const inside = target instanceof Node && this.element.contains(target);
      if (!inside && !this.anchor?.contains(/** @type {Node} */ (target))) this.close();
    });
    document.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && !this.element.hidden) this.close(true);
    });
    window.addEventListener('resize', () => this.place());
    // The text scrolls inside of its pane, and the list goes with its word.
    document.addEventListener('scroll', () => this.place(), { capture: true, passive: true });
  }

  /**
   * Opens beneath a word.
   * @param {HTMLElement} anchor @param {string} lang
   * @param {(signal: AbortSignal) => Promise<Alternative[]>} find
   * @param {(alternative: Alternative) => void} onChoose
   */
  async open(anchor, lang, find, onChoose) {
    this.close();
    this.anchor = anchor;
    this.asking = new AbortController();
    anchor.setAttribute('aria-expanded', 'true');
    this.element.lang = lang;
    this.list.dir = getComputedStyle(anchor).direction;
    this.list.replaceChildren();
    this.list.hidden = true;
    this.say('Looking for other words …');
    this.element.hidden = false;
    this.place();
    try {
      this.fill(await find(this.asking.signal), onChoose);
    } catch (error) {
      if (!isAbort(error)) this.say(wordsOf(error));
    }
    this.place();
    if (this.anchor === anchor) this.element.scrollIntoView({ block: 'nearest' });
  }

  /** @param {string} text */
  say(text) {
    this.note.textContent = text;
    this.note.hidden = !text;
    if (text) this.status.say(text);
  }

  /** @param {Alternative[]} alternatives @param {(alternative: Alternative) => void} onChoose */
  fill(alternatives, onChoose) {
    if (!alternatives.length) {
      this.say('The model knows no other word for this place.');
      return;
    }
    this.say('');
    this.list.hidden = false;
    this.list.replaceChildren(
      ...alternatives.map((each, i) =>
        make(
          'li',
          {
            role: 'option',
            tabindex: i ? -1 : 0,
            'aria-selected': 'false',
            onclick: () => {
              this.close(true);
              onChoose(each);
            },
          },
          foreign(each.word, { class: 'other-word' }),
          foreign(each.rest, { class: 'other-rest' }),
        ),
      ),
    );
    this.items[0].focus({ preventScroll: true });
  }

  /** @returns {HTMLElement[]} */
  get items() {
    return /** @type {HTMLElement[]} */ ([...this.list.children]);
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const { items } = this;
    const at = items.indexOf(/** @type {HTMLElement} */ (event.target));
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 };
    if (event.key in next) {
      items[next[/** @type {keyof next} */ (event.key)]]?.focus();
    } else if (event.key === 'Enter' || event.key === ' ') {
      items[at]?.click();
    } else if (event.key === 'Tab') {
      this.close(true);
      return;
    } else {
      return;
    }
    event.preventDefault();
  }

  /** Beneath the word, and inside of the window. */
  place() {
    const box = this.anchor?.getBoundingClientRect();
    const around = this.element.parentElement?.getBoundingClientRect();
    if (!box || !around || this.element.hidden) return;
    const room = document.documentElement.clientWidth - this.element.offsetWidth - MARGIN;
    const left = Math.max(MARGIN, Math.min(box.left, room));
    this.element.style.setProperty('left', `${left - around.left}px`);
    this.element.style.setProperty('top', `${box.bottom - around.top + 6}px`);
  }

  /** @param {boolean} [returnFocus] */
  close(returnFocus = false) {
    if (this.element.hidden) return;
    this.asking?.abort();
    this.element.hidden = true;
    this.anchor?.removeAttribute('aria-expanded');
    if (returnFocus) this.anchor?.focus({ preventScroll: true });
    this.anchor = null;
  }
}
