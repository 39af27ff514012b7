// The legend of a view: a bar of its colours with the values at its ends.
import { make } from './dom.js';

/** @typedef {import('./svg.js').Legend} Legend */

export class LegendBar {
  constructor() {
    this.element = make('div', { class: 'legend' });
    this.key = '';
  }

  /** @param {Legend} legend */
  show(legend) {
    const key = JSON.stringify([legend, legend.sample(5)]);
    if (key === this.key) return;
    this.key = key;
    const bar = make('canvas', { width: 160, height: 1, 'aria-hidden': 'true' });
    const context = /** @type {CanvasRenderingContext2D} */ (bar.getContext('2d'));
    legend.sample(160).forEach((colour, i) => {
      context.fillStyle = colour;
      context.fillRect(i, 0, 1, 1);
    });
    this.element.replaceChildren(
      make('span', { class: 'low' }, legend.low),
      bar,
      make('span', { class: 'high' }, legend.high),
      make('span', { class: 'name' }, legend.name),
    );
  }
}
