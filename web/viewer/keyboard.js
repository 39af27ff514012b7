// Keys that work anywhere on the page, or in the viewer's part of it, and the list of them.
import { make } from './dom.js';

/** @typedef {{keys: string[], text: string, run?: () => void}} Shortcut */

/** What the views themselves do with keys. */
/** @type {Shortcut[]} */
const VIEW_KEYS = [
  { keys: ['Tab'], text: 'To the next control or view' },
  { keys: ['↑', '↓', '←', '→'], text: 'From word to word, cell to cell, head to head' },
  { keys: ['Enter'], text: 'Pin the word or cell, or let it go' },
];

export class Keyboard {
  /** @param {Shortcut[]} shortcuts @param {HTMLElement | Document} where they work */
  constructor(shortcuts, where) {
    this.shortcuts = shortcuts;
    this.enabled = make('input', { type: 'checkbox', id: 'single-keys', checked: true });
    const close = { type: 'button', class: 'primary', onclick: () => this.dialog.close() };
    this.dialog = make(
      'dialog',
      { class: 'help', 'aria-labelledby': 'help-title' },
      make(
        'div',
        { class: 'card-head' },
        make('h2', { id: 'help-title' }, 'Keyboard'),
        make('button', close, 'Close'),
      ),
      make('dl', {}, ...[...VIEW_KEYS, ...shortcuts].map(shortcutItem)),
      make('label', { class: 'check' }, this.enabled, make('span', {}, 'Single-key shortcuts')),
    );
    where.addEventListener('keydown', (event) => this.onKey(/** @type {KeyboardEvent} */ (event)));
  }

  open() {
    this.dialog.showModal();
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (!this.enabled.checked || this.dialog.open || event.defaultPrevented) return;
    if (event.ctrlKey || event.metaKey || event.altKey || wantsKey(event)) return;
    const shortcut = this.shortcuts.find(({ keys }) => keys.includes(event.key));
    if (!shortcut?.run) return;
    event.preventDefault();
    shortcut.run();
  }
}

/** @param {Shortcut} shortcut */
function shortcutItem({ keys, text }) {
  const names = keys.map((key) => make('kbd', {}, key === ' ' ? 'Space' : key));
  return make('div', {}, make('dt', {}, ...names), make('dd', {}, text));
}

/** Whether the element with the focus has a use for the key. @param {KeyboardEvent} event */
function wantsKey({ key, target }) {
  if (!(target instanceof HTMLElement)) return false;
  if (target.matches('select, textarea, input:not([type=checkbox], [type=radio], [type=range])')) {
    return key !== 'Escape';
  }
  return key === ' ' && target.matches('button, summary, input, [role=option]');
}
