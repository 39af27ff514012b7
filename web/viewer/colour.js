// Colours for numbers. Equal steps of a value look equal, because perceived lightness (Oklab) is
// linear in it. On a dark page the map is that of heed's pictures: from dark violet to yellow. On a
// light page it has the same hues in the other order: nothing is paper, much is dark violet.

/** Lightness, chroma and hue in degrees. @typedef {[number, number, number]} Perceived */
/** @typedef {[number, number, number]} Rgb */
/** @typedef {'light' | 'dark'} Scheme */

/** @type {Record<Scheme, Perceived[]>} */
const SEQUENTIAL = {
  dark: [
    [0.24, 0.095, 305],
    [0.355, 0.125, 282],
    [0.47, 0.115, 250],
    [0.585, 0.1, 205],
    [0.7, 0.13, 160],
    [0.815, 0.17, 128],
    [0.93, 0.18, 104],
  ],
  light: [
    [0.975, 0.008, 150],
    [0.855, 0.07, 168],
    [0.735, 0.095, 195],
    [0.615, 0.105, 232],
    [0.495, 0.13, 262],
    [0.375, 0.14, 285],
    [0.255, 0.105, 305],
  ],
};

/** From zero to the most negative value, and to the most positive. */
/** @type {Record<Scheme, {negative: Perceived[], positive: Perceived[]}>} */
const DIVERGING = {
  dark: {
    negative: [
      [0.26, 0, 250],
      [0.53, 0.11, 250],
      [0.8, 0.11, 240],
    ],
    positive: [
      [0.26, 0, 45],
      [0.53, 0.13, 48],
      [0.8, 0.13, 65],
    ],
  },
  light: {
    negative: [
      [0.975, 0, 245],
      [0.69, 0.105, 245],
      [0.405, 0.14, 258],
    ],
    positive: [
      [0.975, 0, 55],
      [0.69, 0.13, 52],
      [0.405, 0.12, 38],
    ],
  },
};

/**
 * @param {Scheme} scheme @param {number} unit from 0 (the most negative) to 1 @returns {Perceived}
 */
function diverging(scheme, unit) {
  const { negative, positive } = DIVERGING[scheme];
  return unit < 0.5 ? between(negative, 1 - 2 * unit) : between(positive, 2 * unit - 1);
}

/** @param {Perceived[]} points @param {number} unit @returns {Perceived} */
function between(points, unit) {
  const position = Math.min(Math.max(unit, 0), 1) * (points.length - 1);
  const index = Math.min(Math.floor(position), points.length - 2);
  const share = position - index;
  const [from, to] = [points[index], points[index + 1]];
  /** @param {number} i */
  const mix = (i) => from[i] + (to[i] - from[i]) * share;
  return [mix(0), mix(1), mix(2)];
}

/** Linear light to the stored value of an sRGB channel. @param {number} light */
function encodeLight(light) {
  const clamped = Math.min(Math.max(light, 0), 1);
  const encoded = clamped <= 0.0031308 ? 12.92 * clamped : 1.055 * clamped ** (1 / 2.4) - 0.055;
  return Math.round(255 * encoded);
}

/** From Oklab to sRGB, with the model's published matrices. @param {Perceived} colour */
function toSrgb([lightness, chroma, hue]) {
  const angle = (hue * Math.PI) / 180;
  const a = chroma * Math.cos(angle);
  const b = chroma * Math.sin(angle);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  /** @type {Rgb} */
  const rgb = [
    encodeLight(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    encodeLight(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    encodeLight(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
  return rgb;
}

/** 256 colours as one 32-bit word each, in the byte order of ImageData. */
/** @typedef {{words: Uint32Array, colours: Rgb[]}} Palette */

/** @type {Map<string, Palette>} */
const palettes = new Map();

/** @param {Scheme} scheme @param {boolean} signed @returns {Palette} */
export function paletteOf(scheme, signed) {
  const name = `${scheme} ${signed}`;
  const known = palettes.get(name);
  if (known) return known;
  const colours = Array.from({ length: 256 }, (_, i) =>
    toSrgb(signed ? diverging(scheme, i / 255) : between(SEQUENTIAL[scheme], i / 255)),
  );
  const bytes = new Uint8Array(colours.flatMap(([r, g, b]) => [r, g, b, 255]));
  const palette = { words: new Uint32Array(bytes.buffer), colours };
  palettes.set(name, palette);
  return palette;
}

/**
 * The place of a value in a palette, 0 to 255. The scale goes from 0 to `top`, or from −top to top.
 * @param {number} value @param {number} top @param {boolean} signed
 */
export function paletteIndex(value, top, signed) {
  if (!(top > 0)) return signed ? 128 : 0;
  const unit = signed ? (value / top + 1) / 2 : value / top;
  return Math.round(255 * Math.min(Math.max(unit, 0), 1));
}

/** @param {Rgb} rgb */
export const hexColour = ([r, g, b]) =>
  `#${[r, g, b].map((part) => part.toString(16).padStart(2, '0')).join('')}`;

/** Whether dark text reads better than light text on this colour. @param {Rgb} rgb */
export const isBright = ([r, g, b]) => 0.2126 * r + 0.7152 * g + 0.0722 * b > 128;
