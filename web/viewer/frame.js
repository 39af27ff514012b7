// Everything a view needs to draw: the choice, the map it stands for and its colours. Views are
// functions of a frame.
import { hexColour, paletteIndex, paletteOf } from './colour.js';
import { commonTop, shownMap } from './shown.js';
import { numberText, visible } from './text.js';

/** @typedef {import('./data.js').Recording} Recording */
/** @typedef {import('./data.js').Part} Part */
/** @typedef {import('./data.js').HeadTable} HeadTable */
/** @typedef {import('./data.js').HeadRow} HeadRow */
/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').Spot} Spot */
/** @typedef {import('./shown.js').ShownMap} ShownMap */
/** @typedef {import('./colour.js').Scheme} Scheme */

/** The colours of the page that drawings on canvas and in SVG share with its style. */
/**
 * @typedef {{
 *   ground: string, ink: string, quiet: string, line: string, accent: string,
 *   positive: string, negative: string,
 * }} Colours
 */

/**
 * `mapKey` names what the map depends on, `lookKey` what any drawing of a part's heads depends on:
 * views redraw when they change.
 * @typedef {{
 *   recording: Recording, step: import('./data.js').Step, sentence: import('./data.js').Sentence,
 *   part: Part, table: HeadTable, state: State, lit: Spot, map: ShownMap, top: number,
 *   scheme: Scheme, colours: Colours, mapKey: string, lookKey: string,
 * }} Frame
 */

const KIND_NAMES = { weights: 'Weight', norms: 'Norm', gradients: 'Gradient' };

/** @param {State} state @param {Scheme} scheme */
export function keysOf(state, scheme) {
  const { step, sentence, part, kind, unit, special, scale, layer, head } = state;
  const lookKey = [step, sentence, part, kind, unit, special, scale, scheme].join(' ');
  return { lookKey, mapKey: `${lookKey} ${layer} ${head}` };
}

/** Remembers the last few results of a function by a text key. */
/** @template T @param {number} most */
export function remembering(most) {
  /** @type {Map<string, T>} */
  const known = new Map();
  return (/** @type {string} */ key, /** @type {() => T} */ compute) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const value = compute();
    if (known.size >= most) known.delete(/** @type {string} */ (known.keys().next().value));
    known.set(key, value);
    return value;
  };
}

/** The map of a frame and the end of its scale. */
/** @param {Part} part @param {State} state */
export function mapOf(part, state) {
  const map = shownMap(part, state.kind, state, state);
  if (state.scale === 'head') return { map, top: map.top };
  const key = [state.kind, state.unit, state.special].join(' ');
  const top = part.tops.get(key) ?? commonTop(part, state.kind, state);
  part.tops.set(key, top);
  return { map, top };
}

/** The name of the head (or mean) that is shown. @param {State} state */
export function choiceText({ layer, head }) {
  if (layer === null) return 'mean of all heads';
  return head === null
    ? `layer ${layer + 1}, mean of heads`
    : `layer ${layer + 1}, head ${head + 1}`;
}

/** What an axis is called: "Source · keys". @param {Part} part @param {'queries' | 'keys'} axis */
export function axisText(part, axis) {
  const { title } = part[axis];
  return visible(title.toLowerCase() === axis ? title : `${title} · ${axis}`);
}

/** @param {State} state */
export const kindText = (state) => KIND_NAMES[state.kind];

/** @param {Frame} frame */
export function headRow({ table, state }) {
  return table.rows.find(
    (row) => row.part === state.part && row.layer === state.layer && row.head === state.head,
  );
}

/** One sentence that says what is shown. @param {Frame} frame */
export function captionOf(frame) {
  return `${frame.part.title}, ${choiceText(frame.state)}`;
}

/** @param {Frame} frame @param {number} query @param {number} key */
export const valueAt = ({ map }, query, key) => map.values[query * map.keys.length + key];

/** @param {Frame} frame @returns {import('./svg.js').Legend} */
export function legendOf({ map, top, scheme, state }) {
  const { colours } = paletteOf(scheme, map.signed);
  const scale = state.scale === 'common' ? 'one scale for all heads' : 'scale of this head';
  return {
    name: `${kindText(state)}, ${scale}`,
    low: numberText(map.signed ? -top : 0),
    high: numberText(top),
    sample: (n) =>
      Array.from({ length: n }, (_, i) => hexColour(colours[Math.round((255 * i) / (n - 1))])),
  };
}

/** The colour of a value. @param {Frame} frame @param {number} value */
export function colourOf({ map, top, scheme }, value) {
  return paletteOf(scheme, map.signed).colours[paletteIndex(value, top, map.signed)];
}

/**
 * A map as an image, one pixel per value.
 * @param {ShownMap} map @param {number} top @param {Scheme} scheme
 */
export function imageOf({ queries, keys, values, signed }, top, scheme) {
  const image = new ImageData(Math.max(keys.length, 1), Math.max(queries.length, 1));
  const pixels = new Uint32Array(image.data.buffer);
  const { words } = paletteOf(scheme, signed);
  for (let i = 0; i < values.length; ++i) pixels[i] = words[paletteIndex(values[i], top, signed)];
  return image;
}
