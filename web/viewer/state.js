// What the user chose: one object, one place where it changes, and its form in the URL's hash.

/**
 * Indices count from 0. A layer or head of null means the mean over all of them. `query` and `key`
 * are the pinned row and column of the map that is shown.
 * @typedef {{
 *   step: number, sentence: number, part: string, layer: number | null, head: number | null,
 *   kind: import('./data.js').Kind, unit: 'words' | 'pieces', special: boolean,
 *   scale: 'head' | 'common', sort: string, descending: boolean, chart: string,
 *   theme: 'auto' | 'light' | 'dark', query: number | null, key: number | null,
 * }} State
 */

/** What the pointer or the keyboard is at, for as long as it is there. */
/** @typedef {{query: number | null, key: number | null}} Spot */

/** @typedef {(state: State, changed: Set<string>) => void} Listener */

export class Store {
  /** @param {State} state */
  constructor(state) {
    this.state = state;
    /** @type {Spot | null} */
    this.hover = null;
    /** @type {Listener[]} */
    this.listeners = [];
  }

  /** @param {Listener} listener */
  subscribe(listener) {
    this.listeners.push(listener);
  }

  /** @param {Partial<State>} patch */
  set(patch) {
    const before = /** @type {Record<string, any>} */ (this.state);
    const changed = new Set(
      Object.entries(patch)
        .filter(([k, v]) => before[k] !== v)
        .map(([k]) => k),
    );
    if (!changed.size) return;
    this.state = { ...this.state, ...patch };
    this.tell(changed);
  }

  /** @param {Spot | null} spot */
  point(spot) {
    if (this.hover?.query === spot?.query && this.hover?.key === spot?.key) return;
    this.hover = spot;
    this.tell(new Set(['hover']));
  }

  /** Pins a spot, or lets it go if it is pinned already. @param {Spot} spot */
  pin({ query, key }) {
    const pinned = this.state.query === query && this.state.key === key;
    this.set(pinned ? { query: null, key: null } : { query, key });
  }

  /** What lights up: what the pointer is at, else what is pinned. @returns {Spot} */
  get lit() {
    return this.hover ?? { query: this.state.query, key: this.state.key };
  }

  /** @param {Set<string>} changed */
  tell(changed) {
    for (const listener of this.listeners) listener(this.state, changed);
  }
}

/** @param {number | null} value */
const numbered = (value) => (value === null ? 'mean' : String(value + 1));

/**
 * The entries of the hash: how a field is written, and read again (undefined if it makes no sense).
 * @type {Record<string, {write: (value: any) => string, read: (text: string) => any}>}
 */
const FIELDS = {
  sentence: { write: numbered, read: readIndex },
  step: { write: numbered, read: readIndex },
  part: { write: String, read: String },
  layer: { write: numbered, read: (text) => (text === 'mean' ? null : readIndex(text)) },
  head: { write: numbered, read: (text) => (text === 'mean' ? null : readIndex(text)) },
  kind: { write: String, read: oneOf('weights', 'norms', 'gradients') },
  unit: { write: String, read: oneOf('words', 'pieces') },
  special: { write: (value) => (value ? 'shown' : 'hidden'), read: readShown },
  scale: { write: String, read: oneOf('head', 'common') },
  sort: { write: String, read: String },
  descending: { write: String, read: (text) => text === 'true' },
  chart: { write: String, read: String },
  theme: { write: String, read: oneOf('auto', 'light', 'dark') },
  query: { write: numbered, read: readIndex },
  key: { write: numbered, read: readIndex },
};

const PLACE = ['part', 'layer', 'head'];

/** @param {string} text */
function readIndex(text) {
  return /^[1-9][0-9]{0,8}$/.test(text) ? Number(text) - 1 : undefined;
}

/** @param {string} text */
function readShown(text) {
  return text === 'shown' ? true : text === 'hidden' ? false : undefined;
}

/** @param {...string} values */
function oneOf(...values) {
  return (/** @type {string} */ text) => (values.includes(text) ? text : undefined);
}

/**
 * What differs from the defaults, as `#part=cross&layer=2&head=1`.
 * @param {State} state @param {State} defaults
 */
export function writeHash(state, defaults) {
  const [now, usual] = /** @type {Record<string, any>[]} */ ([state, defaults]);
  // A head is named in full, or not at all.
  const moved = PLACE.some((name) => now[name] !== usual[name]);
  const entries = Object.entries(FIELDS)
    .filter(([name]) => now[name] !== usual[name] || (moved && PLACE.includes(name)))
    .map(([name, field]) => `${name}=${encodeURIComponent(field.write(now[name]))}`);
  return entries.length ? `#${entries.join('&')}` : '';
}

/** What a hash asks for. What it does not name, or names wrongly, is left out. */
/** @param {string} hash @returns {Partial<State>} */
export function readHash(hash) {
  /** @type {Record<string, any>} */
  const patch = {};
  for (const [name, text] of new URLSearchParams(hash.replace(/^#/, ''))) {
    const value = Object.hasOwn(FIELDS, name) ? FIELDS[name].read(text) : undefined;
    if (value !== undefined) patch[name] = value;
  }
  return patch;
}
