// Says that the server does not answer, and when the page tries again.
import { make, setText } from '../viewer/dom.js';
import { counted } from '../viewer/text.js';

export class TroubleBar {
  /** @param {() => void} onHurry */
  constructor(onHurry) {
    /** @type {import('./connection.js').Trouble | null} */
    this.trouble = null;
    this.reason = make('span', { role: 'status' });
    this.countdown = make('span', { class: 'countdown' });
    this.element = make(
      'div',
      { class: 'trouble', hidden: true },
      this.reason,
      this.countdown,
      make('button', { type: 'button', class: 'small', onclick: onHurry }, 'Try now'),
    );
    setInterval(() => this.draw(), 500);
  }

  /** @param {import('./connection.js').Trouble | null} trouble */
  show(trouble) {
    this.trouble = trouble;
    this.element.hidden = !trouble;
    // Once, not at every attempt: screen readers would say it again and again.
    setText(this.reason, trouble?.reason ?? '');
    this.draw();
  }

  draw() {
    if (!this.trouble) return;
    const seconds = Math.ceil((this.trouble.next - Date.now()) / 1000);
    const when = seconds > 0 ? `in ${counted(seconds, 'second')}` : 'now';
    setText(this.countdown, `Nothing is lost; the page tries again ${when}.`);
  }
}
