// The hash of the page's address. Browsers refuse more than a hundred changes in half a minute, so
// a burst of them (a slider that is dragged) is written when it is over.

const [MOST_WRITES, PERIOD] = [30, 10000];

export class Address {
  constructor() {
    this.hash = window.location.hash;
    this.writes = 0;
    this.begun = 0;
    this.later = 0;
  }

  /** @param {string} hash with its #, or nothing */
  show(hash) {
    if (hash === this.hash) return;
    this.hash = hash;
    const now = performance.now();
    if (now - this.begun > PERIOD) [this.begun, this.writes] = [now, 0];
    clearTimeout(this.later);
    if (this.writes < MOST_WRITES) this.write();
    else this.later = window.setTimeout(() => this.write(), this.begun + PERIOD - now);
  }

  write() {
    this.writes += 1;
    const { pathname, search } = window.location;
    window.history.replaceState(null, '', this.hash || pathname + search);
  }
}
