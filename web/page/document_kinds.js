// Documents that can be translated, and how they are cut into requests and put together again.

/** @typedef {'text' | 'html' | 'po'} DocumentKind */

/** Lines and characters of one request. */
const MOST_LINES = 100;
const MOST_CHARACTERS = 20000;

const ENDINGS = /** @type {Record<string, DocumentKind>} */ ({
  txt: 'text',
  text: 'text',
  html: 'html',
  htm: 'html',
  xhtml: 'html',
  po: 'po',
  pot: 'po',
});

export const ACCEPTED = Object.keys(ENDINGS)
  .map((ending) => `.${ending}`)
  .join(',');

/** @param {string} name @returns {DocumentKind | null} */
export function kindOf(name) {
  const ending = name.toLowerCase().match(/\.([a-z]+)$/)?.[1] ?? '';
  return Object.hasOwn(ENDINGS, ending) ? ENDINGS[ending] : null;
}

/** The name of the translated file. @param {string} name @param {string} to */
export function translatedName(name, to) {
  const [, stem, ending] = name.match(/^(.*?)(\.[^.]*)?$/s) ?? [];
  return `${stem ?? name}.${to}${ending ?? ''}`;
}

/**
 * The lines of a plain text, in groups that fit a request.
 * @param {string} text @param {number} limit how many characters the server takes at once
 */
export function groupsOf(text, limit) {
  const most = Math.min(MOST_CHARACTERS, limit);
  /** @type {string[][]} */
  const groups = [];
  let characters = Infinity;
  for (const line of text.split('\n')) {
    const last = groups[groups.length - 1];
    const full = !last || last.length >= MOST_LINES || characters + line.length > most;
    if (full) [groups[groups.length], characters] = [[], 0];
    groups[groups.length - 1].push(line);
    characters += line.length;
  }
  return groups;
}

/** The text of a file. An Error if it is not in UTF-8. @param {ArrayBuffer} bytes */
export const textOf = (bytes) => new TextDecoder('utf-8', { fatal: true }).decode(bytes);
