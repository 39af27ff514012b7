// What screen readers say: results once typing has come to rest, and what a button has done.
import { make } from '../viewer/dom.js';

const REST = 700;

export class Status {
  constructor() {
    this.element = make('p', { class: 'hidden', role: 'status' });
    this.later = 0;
  }

  /** @param {string} text */
  say(text) {
    clearTimeout(this.later);
    this.element.textContent = text;
  }

  /** Says it when nothing else has come for a moment. @param {string} text */
  sayAtRest(text) {
    clearTimeout(this.later);
    this.later = window.setTimeout(() => this.say(text), REST);
  }
}
