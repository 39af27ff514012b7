// The text to translate. Behind the text area lies a mirror of the text, which makes the area as
// high as the text needs and lights up words.
import { make, setText } from '../viewer/dom.js';
import { iconButton } from './parts.js';

/** @typedef {import('./result.js').Span} Span */

const CLEAR_ICON = 'M4 4l8 8M12 4l-8 8';

export class SourcePane {
  /**
   * @param {{
   *   onInput: (text: string, pasted: boolean) => void, onSend: () => void,
   *   onPoint: (offset: number | null) => void,
   * }} hooks onPoint gets the place in the text that the pointer or the caret is at
   */
  constructor({ onInput, onSend, onPoint }) {
    this.limit = Infinity;
    this.onInput = onInput;
    this.area = make('textarea', {
      id: 'source',
      dir: 'auto',
      rows: 1,
      spellcheck: 'true',
      placeholder: 'Type or paste a text',
      'aria-label': 'Text to translate',
      'aria-describedby': 'count',
      oninput: (/** @type {InputEvent} */ event) => this.changed(event.inputType),
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
          event.preventDefault();
          onSend();
        }
      },
      onkeyup: () => onPoint(this.area.selectionStart),
      onclick: () => onPoint(this.area.selectionStart),
      onblur: () => onPoint(null),
      onpointermove: (/** @type {PointerEvent} */ event) => onPoint(offsetAt(event)),
      onpointerleave: () => onPoint(null),
    });
    this.mirror = make('div', { class: 'mirror', dir: 'auto', 'aria-hidden': 'true' });
    this.count = make('span', { id: 'count', class: 'count' });
    this.clear = iconButton(CLEAR_ICON, 'Clear the text', () => {
      this.show('');
      this.onInput('', true);
      this.area.focus();
    });
    this.element = make(
      'div',
      { class: 'pane source-pane' },
      make(
        'div',
        { class: 'pane-scroll' },
        make('div', { class: 'editor' }, this.mirror, this.area),
      ),
      make('div', { class: 'pane-foot' }, this.count, this.clear),
    );
    this.mirrored = '';
    this.show('');
  }

  /** @param {string} [how] */
  changed(how) {
    this.draw();
    this.onInput(this.area.value, how === 'insertFromPaste' || how === 'insertFromDrop');
  }

  /** @param {string} text @param {string} [lang] */
  show(text, lang) {
    if (this.area.value !== text) this.area.value = text;
    if (lang) this.area.lang = lang;
    else this.area.removeAttribute('lang');
    this.draw();
  }

  draw() {
    const text = this.area.value;
    const length = [...text].length;
    const most = Number.isFinite(this.limit) ? ` / ${this.limit.toLocaleString('en')}` : '';
    setText(this.count, `${length.toLocaleString('en')}${most} characters`);
    this.count.classList.toggle('over', length > this.limit);
    this.clear.hidden = !text;
    this.light([]);
  }

  get isTooLong() {
    return [...this.area.value].length > this.limit;
  }

  /** Lights words up. @param {Span[]} spans in order */
  light(spans) {
    const text = this.area.value;
    const key = `${spans.map(({ begin }) => begin)} ${text}`;
    if (key === this.mirrored) return;
    this.mirrored = key;
    /** @type {(Node | string)[]} */
    const nodes = [];
    let at = 0;
    for (const { begin, end } of spans) {
      nodes.push(text.slice(at, begin), make('mark', {}, text.slice(begin, end)));
      at = end;
    }
    // A line break at the end needs something after it to take up room.
    this.mirror.replaceChildren(...nodes, `${text.slice(at)}\u200b`);
  }
}

/** The place in the text under the pointer. @param {PointerEvent} event @returns {number | null} */
function offsetAt({ clientX, clientY, target }) {
  /** @type {any} */
  const page = document;
  const position = page.caretPositionFromPoint?.(clientX, clientY);
  return position?.offsetNode === target ? position.offset : null;
}
