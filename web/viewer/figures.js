// Figures per head for recordings that bring no table of heads, and the head to look at first.
import { shownMap } from './shown.js';

/** @typedef {import('./data.js').Part} Part */
/** @typedef {import('./data.js').HeadTable} HeadTable */
/** @typedef {import('./data.js').HeadRow} HeadRow */
/** @typedef {import('./data.js').Column} Column */

/** @type {Column[]} */
const COLUMNS = [
  {
    key: 'entropy',
    name: 'Entropy',
    best: '',
    help: 'How widely a row is spread, in bits: 0 when one key has all the weight.',
  },
  {
    key: 'confidence',
    name: 'Confidence',
    best: 'high',
    help: 'The mean of the largest weight of each row.',
  },
  {
    key: 'distance',
    name: 'Distance',
    best: '',
    help: 'The mean distance, in tokens, between a query and what it attends to.',
  },
];

/**
 * The figures of a part: those of the table, or those that the page computes.
 * @param {Part} part @param {HeadTable | null} table
 */
export const columnsOf = (part, table) =>
  table?.rows.some((row) => row.part === part.name) ? table.columns : COLUMNS;

/**
 * The table of one part, from the weights of the sentence that is shown.
 * @param {Part} part @returns {HeadTable}
 */
export function tableOf(part) {
  /** @type {HeadRow[]} */
  const rows = [];
  for (let layer = 0; layer < part.layers; ++layer) {
    for (let head = 0; head < part.heads; ++head) {
      rows.push({
        part: part.name,
        layer,
        head,
        role: '',
        figures: headFigures(part, layer, head),
      });
    }
  }
  return { columns: COLUMNS, rows };
}

/** @param {Part} part @param {number} layer @param {number} head */
function headFigures(part, layer, head) {
  const { values, keys, queries } = shownMap(
    part,
    'weights',
    { layer, head },
    { unit: 'pieces', special: true },
  );
  let [entropy, confidence, distance, rows] = [0, 0, 0, 0];
  for (let q = 0; q < queries.length; ++q) {
    let [sum, largest, logs, far] = [0, 0, 0, 0];
    for (let k = 0; k < keys.length; ++k) {
      const value = Math.abs(values[q * keys.length + k]);
      if (value === 0) continue;
      sum += value;
      largest = Math.max(largest, value);
      logs += value * Math.log2(value);
      far += value * Math.abs(q - k);
    }
    if (sum === 0) continue;
    // The entropy of the row divided by its sum.
    entropy += Math.log2(sum) - logs / sum;
    confidence += largest / sum;
    distance += far / sum;
    rows += 1;
  }
  const each = Math.max(rows, 1);
  return { entropy: entropy / each, confidence: confidence / each, distance: distance / each };
}

/**
 * The head to show first: the lowest alignment error if it is known, else the head whose words
 * attend most clearly to other words.
 * @param {Part} part @param {HeadTable | null} table
 */
export function bestHead(part, table) {
  const rows = (table?.rows ?? []).filter((row) => row.part === part.name);
  const measured = rows.filter((row) => Number.isFinite(row.figures.aer));
  if (measured.length) {
    const { layer, head } = measured.reduce((a, b) => (b.figures.aer < a.figures.aer ? b : a));
    return { layer, head };
  }
  let best = { layer: 0, head: 0, clarity: -1 };
  for (let layer = 0; layer < part.layers; ++layer) {
    for (let head = 0; head < part.heads; ++head) {
      const clarity = clarityOf(part, layer, head);
      if (clarity > best.clarity) best = { layer, head, clarity };
    }
  }
  return { layer: best.layer, head: best.head };
}

/** The mean over words of the largest weight on a word. */
/** @param {Part} part @param {number} layer @param {number} head */
function clarityOf(part, layer, head) {
  const { values, queries, keys } = shownMap(
    part,
    'weights',
    { layer, head },
    { unit: 'pieces', special: true },
  );
  let [total, rows] = [0, 0];
  queries.forEach((query, q) => {
    if (query.special) return;
    let largest = 0;
    keys.forEach((key, k) => {
      if (!key.special) largest = Math.max(largest, values[q * keys.length + k]);
    });
    total += largest;
    rows += 1;
  });
  return total / Math.max(rows, 1);
}
