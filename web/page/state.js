// What the user chose on the page: one object, one place where it changes, and its form in the
// URL's hash, which browsers never send to a server.

/**
 * Heads that are switched off are named as the API names them: "cross:1:2" is the second head of
 * the first layer. `sentence` counts from 0.
 * @typedef {{
 *   tab: string, text: string, from: string, to: string, without: string[],
 *   attention: boolean, sentence: number,
 * }} PageState
 */

/** @typedef {(state: PageState, changed: Set<string>) => void} PageListener */

/** @type {PageState} */
export const FIRST_STATE = {
  tab: 'text',
  text: '',
  from: 'auto',
  to: '',
  without: [],
  attention: false,
  sentence: 0,
};

export class PageStore {
  /** @param {PageState} state */
  constructor(state) {
    this.state = state;
    /** @type {PageListener[]} */
    this.listeners = [];
  }

  /** @param {PageListener} listener */
  subscribe(listener) {
    this.listeners.push(listener);
  }

  /** @param {Partial<PageState>} patch */
  set(patch) {
    const before = /** @type {Record<string, any>} */ (this.state);
    const changed = new Set(
      Object.entries(patch)
        .filter(([name, value]) => String(before[name]) !== String(value))
        .map(([name]) => name),
    );
    if (!changed.size) return;
    this.state = { ...this.state, ...patch };
    for (const listener of this.listeners) listener(this.state, changed);
  }
}

/** A text that makes the address longer than some programs take is left out of it. */
const LONGEST_TEXT = 5000;
const HEAD_NAME = /^[a-z]{1,20}:[1-9][0-9]{0,3}:[1-9][0-9]{0,3}$/;

/**
 * How a field is written into the hash, and read again (undefined if it makes no sense).
 * @type {Record<string, {write: (value: any) => string, read: (text: string) => any}>}
 */
const FIELDS = {
  tab: { write: String, read: oneOf('text', 'documents', 'training', 'api') },
  from: { write: String, read: shortText },
  to: { write: String, read: shortText },
  without: {
    write: (names) => names.join(','),
    read: (text) => text.split(',').filter((name) => HEAD_NAME.test(name)),
  },
  attention: { write: (open) => (open ? 'shown' : 'hidden'), read: (text) => text === 'shown' },
  sentence: {
    write: (index) => String(index + 1),
    read: (text) => (/^[1-9][0-9]{0,5}$/.test(text) ? Number(text) - 1 : undefined),
  },
  text: { write: (text) => (text.length > LONGEST_TEXT ? '' : text), read: String },
};

/** @param {...string} values */
function oneOf(...values) {
  return (/** @type {string} */ text) => (values.includes(text) ? text : undefined);
}

/** @param {string} text */
function shortText(text) {
  return text.length <= 200 ? text : undefined;
}

/** What differs from the first state, as `#from=en&to=de&text=…`. @param {PageState} state */
export function writePageHash(state) {
  const [now, first] = /** @type {Record<string, any>[]} */ ([state, FIRST_STATE]);
  const entries = Object.entries(FIELDS)
    .map(([name, field]) => [name, field.write(now[name]), field.write(first[name])])
    .filter(([, value, usual]) => value !== usual)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return entries.length ? `#${entries.join('&')}` : '';
}

/** What a hash asks for; what it does not name, or names wrongly, is as at first. */
/** @param {string} hash @returns {PageState} */
export function readPageHash(hash) {
  /** @type {Record<string, any>} */
  const state = { ...FIRST_STATE };
  for (const [name, text] of new URLSearchParams(hash.replace(/^#/, ''))) {
    const value = Object.hasOwn(FIELDS, name) ? FIELDS[name].read(text) : undefined;
    if (value !== undefined) state[name] = value;
  }
  return /** @type {PageState} */ (state);
}
