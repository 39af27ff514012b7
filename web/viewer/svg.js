// SVG documents for export: self-contained, every text escaped, no reference to anything outside.
import { escapeXml, isolated } from './text.js';

const FONT = "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', sans-serif";

/** @typedef {Record<string, string | number | undefined>} SvgAttributes */

/** Collects the elements of a picture. */
export class SvgDrawing {
  /** @param {number} width @param {number} height @param {{ground: string, ink: string}} colours */
  constructor(width, height, { ground, ink }) {
    this.width = Math.ceil(width);
    this.height = Math.ceil(height);
    this.ink = ink;
    /** @type {string[]} */
    this.elements = [];
    this.add('rect', { width: this.width, height: this.height, fill: ground });
  }

  /** @param {string} tag @param {SvgAttributes} attributes @param {string} [content] escaped */
  add(tag, attributes, content) {
    const text = Object.entries(attributes)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => ` ${name}="${escapeXml(rounded(value))}"`)
      .join('');
    this.elements.push(
      content === undefined ? `<${tag}${text}/>` : `<${tag}${text}>${content}</${tag}>`,
    );
  }

  /**
   * @param {number} x @param {number} y @param {string} text @param {SvgAttributes} [attributes]
   */
  text(x, y, text, attributes = {}) {
    this.add('text', { x, y, fill: this.ink, ...attributes }, escapeXml(isolated(text)));
  }

  /** @param {string} title what the picture shows, for screen readers */
  document(title) {
    return [
      `<svg xmlns="http://www.w3.org/2000/svg" width="${this.width}" height="${this.height}"`,
      ` viewBox="0 0 ${this.width} ${this.height}" font-family="${escapeXml(FONT)}"`,
      ` font-size="13" role="img">\n<title>${escapeXml(isolated(title))}</title>\n`,
      `${this.elements.join('\n')}\n</svg>\n`,
    ].join('');
  }
}

/** @param {string | number | undefined} value */
const rounded = (value) =>
  typeof value === 'number' ? String(Math.round(value * 100) / 100) : String(value);

/**
 * A legend: a bar of the palette with its ends named.
 * @param {SvgDrawing} drawing @param {number} x @param {number} y @param {Legend} legend
 */
export function drawLegend(drawing, x, y, legend) {
  const steps = 32;
  legend.sample(steps).forEach((colour, i) => {
    drawing.add('rect', {
      x: x + i * 4,
      y,
      width: 4,
      height: 10,
      fill: colour,
      'shape-rendering': 'crispEdges',
    });
  });
  drawing.text(x, y + 24, legend.low, { 'font-size': 11 });
  drawing.text(x + steps * 4, y + 24, legend.high, { 'font-size': 11, 'text-anchor': 'end' });
  drawing.text(x + steps * 4 + 12, y + 9, legend.name, { 'font-size': 11 });
}

/** @typedef {{name: string, low: string, high: string, sample: (n: number) => string[]}} Legend */

/** Gives a file to the user. @param {string} name @param {string} text */
export function saveFile(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
