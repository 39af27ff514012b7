// From what was recorded to what is shown: one map of values, its rows and columns named.
//
// - A layer's or the part's mean is the mean over heads of the values.
// - Words: the values of a key word's pieces are added, those of a query word's averaged.
// - Hidden special tokens: their rows and columns go, and each row of weights that is left is
//   divided by its sum. Norms and gradients stay as they are.

/** @typedef {import('./data.js').Part} Part */
/** @typedef {import('./data.js').Kind} Kind */
/** @typedef {import('./data.js').Tokens} Tokens */

/** A row or column: a piece or a word, with the pieces from `begin` to before `end`. */
/** @typedef {{label: string, begin: number, end: number, special: boolean}} Unit */
/** @typedef {{unit: 'words' | 'pieces', special: boolean}} Grouping */

/** A map as it is shown. `values` is (queries, keys), row by row. */
/**
 * @typedef {{
 *   queries: Unit[], keys: Unit[], values: Float32Array, top: number, signed: boolean,
 * }} ShownMap
 */

/** Layers and heads are counted from 0; null stands for the mean over all of them. */
/** @typedef {{layer: number | null, head: number | null}} Choice */

/** @param {Tokens} tokens @param {Grouping} grouping @returns {Unit[]} */
export function unitsOf(tokens, { unit, special }) {
  /** @type {Unit[]} */
  const units = [];
  tokens.pieces.forEach((piece, i) => {
    const word = tokens.words[i];
    if (word < 0 && !special) return;
    const last = units[units.length - 1];
    const continues =
      unit === 'words' && word >= 0 && last?.end === i && tokens.words[i - 1] === word;
    if (continues) {
      const { continuation } = tokens;
      last.label += piece.startsWith(continuation) ? piece.slice(continuation.length) : piece;
      last.end = i + 1;
    } else {
      units.push({ label: piece, begin: i, end: i + 1, special: word < 0 });
    }
  });
  // SentencePiece marks the beginning of a word; among words the mark says nothing.
  if (unit === 'words') for (const each of units) each.label = wordLabel(each.label);
  return units;
}

/** @param {string} label */
function wordLabel(label) {
  const bare = label.replace(/^▁/u, '').replace(/▁/gu, ' ');
  return bare.trim() ? bare : label;
}

/** Which heads a choice stands for, over all layers. @param {Part} part @param {Choice} choice */
export function headsOf(part, { layer, head }) {
  const all = Array.from({ length: part.layers * part.heads }, (_, i) => i);
  return all.filter(
    (i) =>
      (layer === null || Math.floor(i / part.heads) === layer) &&
      (head === null || i % part.heads === head),
  );
}

/**
 * Adds a head's values, times `factor`, to the map of units.
 * @param {Part} part @param {Kind} kind @param {number} index @param {number} factor
 * @param {Unit[]} queries @param {Int32Array} columns the column of each key, −1 for none
 * @param {number} width @param {Float32Array} values
 */
function addHead(part, kind, index, factor, queries, columns, width, values) {
  const packed = part.values(kind);
  const { bytes } = packed;
  const base = index * part.area;
  const keys = part.keys.pieces.length;
  const unit = packed.unit(index) * factor;
  queries.forEach((row, r) => {
    const share = unit / (row.end - row.begin);
    for (let q = row.begin; q < row.end; ++q) {
      const start = base + (part.causal ? (q * (q + 1)) / 2 : q * keys);
      const seen = part.causal ? q + 1 : keys;
      for (let k = 0; k < seen; ++k) {
        const column = columns[k];
        if (column >= 0) values[r * width + column] += bytes[start + k] * share;
      }
    }
  });
}

/** @param {Float32Array} values @param {number} width */
function renormalise(values, width) {
  for (let start = 0; start < values.length; start += width) {
    let sum = 0;
    for (let k = start; k < start + width; ++k) sum += values[k];
    if (sum > 0) for (let k = start; k < start + width; ++k) values[k] /= sum;
  }
}

/**
 * The map of a choice. `top` is its largest value (for signed values, the largest size).
 * @param {Part} part @param {Kind} kind @param {Choice} choice @param {Grouping} grouping
 * @returns {ShownMap}
 */
export function shownMap(part, kind, choice, grouping) {
  const queries = unitsOf(part.queries, grouping);
  const keys = unitsOf(part.keys, grouping);
  const columns = new Int32Array(part.keys.pieces.length).fill(-1);
  keys.forEach((each, column) => columns.fill(column, each.begin, each.end));
  const values = new Float32Array(queries.length * keys.length);
  const heads = headsOf(part, choice);
  for (const index of heads) {
    addHead(part, kind, index, 1 / heads.length, queries, columns, keys.length, values);
  }
  const { signed } = part.values(kind);
  if (!grouping.special && kind === 'weights' && !signed) renormalise(values, keys.length);
  let top = 0;
  for (const value of values) top = Math.max(top, Math.abs(value));
  return { queries, keys, values, top, signed };
}

/** The largest value over all heads of a part. */
/** @param {Part} part @param {Kind} kind @param {Grouping} grouping */
export function commonTop(part, kind, grouping) {
  let top = 0;
  for (let layer = 0; layer < part.layers; ++layer) {
    for (let head = 0; head < part.heads; ++head) {
      top = Math.max(top, shownMap(part, kind, { layer, head }, grouping).top);
    }
  }
  return top;
}

/**
 * The places of a row's (or column's) largest values, largest first.
 * @param {ShownMap} map @param {'query' | 'key'} axis @param {number} index @param {number} most
 */
export function strongest(map, axis, index, most) {
  const width = map.keys.length;
  const others = axis === 'query' ? width : map.queries.length;
  const at = (/** @type {number} */ other) =>
    map.values[axis === 'query' ? index * width + other : other * width + index];
  return Array.from({ length: others }, (_, other) => ({ other, value: at(other) }))
    .filter((each) => each.value !== 0)
    .sort((a, b) => Math.abs(b.value) - Math.abs(a.value))
    .slice(0, most);
}
