// Elements of the page. Text enters only as text nodes; nothing here parses markup.
import { visible } from './text.js';

/** @typedef {Node | string | null | undefined | false} Child */
/** @typedef {Record<string, any>} Attributes */

/**
 * An element with attributes, listeners (`onclick`, …), properties of `dataset` and children.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag @param {Attributes} [attributes] @param {...Child} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  setAttributes(element, attributes);
  append(element, children);
  return element;
}

const SVG = 'http://www.w3.org/2000/svg';

/** @param {string} tag @param {Attributes} [attributes] @param {...Child} children */
export function makeSvg(tag, attributes = {}, ...children) {
  const element = /** @type {SVGElement} */ (document.createElementNS(SVG, tag));
  setAttributes(element, attributes);
  append(element, children);
  return element;
}

/** @param {Element & {dataset?: DOMStringMap}} element @param {Attributes} attributes */
function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === 'dataset') Object.assign(element.dataset ?? {}, value);
    else if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
}

/** @param {Element} element @param {Child[]} children */
function append(element, children) {
  for (const child of children) if (child) element.append(child);
}

/** A text of the user's, whatever its direction. @param {string} text @param {Attributes} [more] */
export const foreign = (text, more = {}) => make('bdi', { dir: 'auto', ...more }, visible(text));

/** @param {HTMLElement} element @param {string} text */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Makes the children of an element anew. What had the focus has it again, known by its `data-key`.
 * @param {HTMLElement} element @param {() => void} rebuild
 */
export function keepFocus(element, rebuild) {
  const { activeElement: focused } = document;
  const key =
    focused instanceof HTMLElement && element.contains(focused) ? focused.dataset.key : undefined;
  rebuild();
  if (key === undefined) return;
  const again = element.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (again instanceof HTMLElement) again.focus({ preventScroll: true });
}

/** A small line drawing, 16 × 16. @param {string} path */
export const icon = (path) =>
  makeSvg(
    'svg',
    { viewBox: '0 0 16 16', class: 'icon', 'aria-hidden': 'true' },
    makeSvg('path', { d: path }),
  );

/**
 * A canvas that has as many pixels as it covers on the screen, ready to draw in CSS pixels.
 * @param {HTMLCanvasElement} canvas @param {number} width @param {number} height
 */
export function sizedContext(canvas, width, height) {
  const ratio = Math.min(window.devicePixelRatio || 1, 3);
  const [columns, rows] = [Math.max(1, Math.round(width * ratio)), Math.round(height * ratio)];
  if (canvas.width !== columns || canvas.height !== rows) {
    canvas.width = columns;
    canvas.height = Math.max(1, rows);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

/** The value of a custom property of the page's style. @param {string} name */
export const styleValue = (name) =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();
