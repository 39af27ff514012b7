// Tabs, as screen readers and keyboards know them.
import { make } from '../viewer/dom.js';

/** @typedef {{name: string, title: string, panel: HTMLElement}} Tab */

export class Tabs {
  /** @param {Tab[]} tabs @param {(name: string) => void} onChoose */
  constructor(tabs, onChoose) {
    this.tabs = tabs;
    this.onChoose = onChoose;
    this.buttons = tabs.map(({ name, title }) =>
      make(
        'button',
        {
          type: 'button',
          id: `tab-${name}`,
          class: 'tab',
          role: 'tab',
          'aria-controls': `panel-${name}`,
          dataset: { title },
          onclick: () => onChoose(name),
        },
        title,
      ),
    );
    this.element = make(
      'div',
      {
        class: 'tabs',
        role: 'tablist',
        'aria-label': 'What to do',
        onkeydown: (/** @type {KeyboardEvent} */ event) => this.onKey(event),
      },
      ...this.buttons,
    );
    this.panels = tabs.map(({ name, panel }) =>
      make(
        'div',
        { id: `panel-${name}`, role: 'tabpanel', 'aria-labelledby': `tab-${name}`, class: 'panel' },
        panel,
      ),
    );
  }

  /** @param {string} name */
  show(name) {
    this.tabs.forEach((tab, i) => {
      const chosen = tab.name === name;
      this.buttons[i].setAttribute('aria-selected', String(chosen));
      this.buttons[i].tabIndex = chosen ? 0 : -1;
      this.panels[i].hidden = !chosen;
    });
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const at = this.buttons.indexOf(/** @type {HTMLButtonElement} */ (event.target));
    const last = this.buttons.length - 1;
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: last };
    if (at < 0 || !(event.key in next)) return;
    event.preventDefault();
    const to = (next[/** @type {keyof next} */ (event.key)] + last + 1) % (last + 1);
    this.buttons[to].focus();
    this.onChoose(this.tabs[to].name);
  }
}
