// What the browser keeps for the page. Where it keeps nothing, as with cookies blocked, the page
// works without.

const MEMORY = /** @type {Map<string, string>} */ (new Map());

/** @param {'local' | 'session'} where */
const storageOf = (where) => (where === 'local' ? window.localStorage : window.sessionStorage);

/** What is kept under a name; nothing if there is none. */
/** @param {'local' | 'session'} where @param {string} name */
export function kept(where, name) {
  try {
    return storageOf(where).getItem(name) ?? '';
  } catch {
    return MEMORY.get(name) ?? '';
  }
}

/** @param {'local' | 'session'} where @param {string} name @param {string} value */
export function keep(where, name, value) {
  MEMORY.set(name, value);
  try {
    storageOf(where).setItem(name, value);
  } catch {
    // It is kept until the page is left.
  }
}
