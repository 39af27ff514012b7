// Text as people may see it: nothing that a token holds can act on the page, on a picture or on the
// direction of its neighbours.

const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g;
const LAYOUT = /[\u2028-\u202e\u2066-\u2069]/g;
const NOT_XML = /[\ufffe\uffff]/g;
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** @param {string} character @param {number} digits */
const code = (character, digits) => character.charCodeAt(0).toString(16).padStart(digits, '0');

/**
 * Control characters as \x1b, characters that change the direction of text as \u202e: the same
 * notation as in heed's terminal output.
 * @param {string} text
 */
export function visible(text) {
  return text
    .replace(CONTROL, (c) => `\\x${code(c, 2)}`)
    .replace(LAYOUT, (c) => `\\u${code(c, 4)}`)
    .replace(NOT_XML, '\ufffd')
    .replace(LONE_SURROGATE, '\ufffd');
}

/**
 * Visible text that keeps its direction to itself: for canvas and SVG, which have no <bdi>.
 * @param {string} text
 */
export const isolated = (text) => `\u2068${visible(text)}\u2069`;

/** @param {string} text */
export function escapeXml(text) {
  const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (c) => entities[/** @type {keyof entities} */ (c)]);
}

/** A value with about three digits. @param {number} value */
export function numberText(value) {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (size >= 10000) return value.toExponential(2);
  if (size >= 100) return withMinus(value.toFixed(0));
  if (size >= 10) return withMinus(value.toFixed(1));
  if (size >= 0.0005) return withMinus(value.toFixed(3));
  return withMinus(value.toExponential(1));
}

/** @param {string} text */
const withMinus = (text) => text.replace('-', '−');

/** @param {number} count @param {string} one @param {string} [many] */
export const counted = (count, one, many = `${one}s`) =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

/** The width of a text in the page's font, roughly. @param {string} text @param {number} font */
export function textWidth(text, font) {
  let width = 0;
  for (const character of text) {
    width += /** @type {number} */ (character.codePointAt(0)) > 0x2e80 ? 1 : 0.56;
  }
  return width * font;
}
