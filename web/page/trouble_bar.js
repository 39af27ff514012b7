// Says that the server does not answer, and when the page tries again.
import { make, setText } from '../viewer/dom.js';
import { counted } from '../viewer/text.js';

export class TroubleBar {
  /** @param {import('./status.js').Status} status @param {() => void} onHurry */
  constructor(status, onHurry) {
    this.status = status;
    /** Where the focus came from. @type {EventTarget | null} */
    this.before = null;
    /** @type {import('./connection.js').Trouble | null} */
    this.trouble = null;
    this.reason = make('span', { class: 'reason' });
    this.countdown = make('span', { class: 'countdown' });
    this.element = make(
      'div',
      {
        class: 'trouble',
        hidden: true,
        onfocusin: (/** @type {FocusEvent} */ event) => (this.before = event.relatedTarget),
      },
      this.reason,
      this.countdown,
      make('button', { type: 'button', class: 'small', onclick: onHurry }, 'Try now'),
    );
    setInterval(() => this.draw(), 500);
  }

  /** @param {import('./connection.js').Trouble | null} trouble */
  show(trouble) {
    // Once, not at every attempt: screen readers would say it again and again.
    if (trouble && trouble.reason !== this.trouble?.reason) this.status.say(trouble.reason);
    if (this.trouble && !trouble) this.status.say('The server answers again.');
    this.trouble = trouble;
    const hadFocus = this.element.contains(document.activeElement);
    this.element.hidden = !trouble;
    if (hadFocus && !trouble && this.before instanceof HTMLElement) this.before.focus();
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
