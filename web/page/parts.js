// Small parts of the page: buttons, notices, places to copy from.
import { icon, make, setText } from '../viewer/dom.js';

const COPY_ICON = 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z';
const DONE_ICON = 'M3 8.5 6.5 12 13 4.5';
const COPIED_TIME = 1500;

/**
 * A button with a drawing and a name, which is its tooltip.
 * @param {string} path @param {string} name @param {() => void} onclick
 */
export const iconButton = (path, name, onclick) =>
  make(
    'button',
    { type: 'button', class: 'quiet-button', 'aria-label': name, title: name, onclick },
    icon(path),
  );

/**
 * A button that copies a text, and shows for a moment that it has.
 * @param {string} name @param {() => string} text @param {import('./status.js').Status} status
 */
export function copyButton(name, text, status) {
  const button = iconButton(COPY_ICON, name, async () => {
    const copied = await copy(text());
    status.say(copied ? 'Copied' : 'The browser did not allow to copy');
    if (!copied) return;
    button.replaceChildren(icon(DONE_ICON));
    button.classList.add('done');
    setTimeout(() => {
      button.replaceChildren(icon(COPY_ICON));
      button.classList.remove('done');
    }, COPIED_TIME);
  });
  return button;
}

/** @param {string} text */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/** Where there is no clipboard to write to, as on pages without TLS. @param {string} text */
function copyBySelection(text) {
  const focused = /** @type {HTMLElement | null} */ (document.activeElement);
  const area = make('textarea', { class: 'hidden', 'aria-hidden': 'true' });
  area.value = text;
  document.body.append(area);
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  focused?.focus();
  return copied;
}

/** A place for an error, in words, near to what it is about. */
export class Notice {
  constructor() {
    this.words = make('span', {});
    this.tools = make('span', { class: 'notice-tools' });
    this.element = make(
      'div',
      { class: 'notice', role: 'alert', hidden: true },
      this.words,
      this.tools,
    );
  }

  /** @param {string} text nothing hides it @param {...HTMLElement} tools */
  show(text, ...tools) {
    setText(this.words, text);
    this.tools.replaceChildren(...tools);
    this.element.hidden = !text;
  }
}

/**
 * A form that asks for an API key.
 * @param {string} id @param {(key: string) => void} onKey
 */
export function keyForm(id, onKey) {
  const input = make('input', { id, type: 'password', autocomplete: 'off', class: 'text-input' });
  return make(
    'form',
    {
      class: 'key-form',
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        if (input.value) onKey(input.value);
      },
    },
    make('label', { for: id }, 'API key'),
    input,
    make('button', { class: 'small' }, 'Use this key'),
  );
}
