// Matrix: a cell per value, queries down, keys across. One canvas covers what is scrolled into
// view; the labels stay in sight.
import { hexColour, isBright } from './colour.js';
import { make, setText, sizedContext } from './dom.js';
import { axisText, captionOf, colourOf, imageOf, legendOf, valueAt } from './frame.js';
import { SvgDrawing, drawLegend } from './svg.js';
import { numberText, textWidth, visible } from './text.js';

/** @typedef {import('./frame.js').Frame} Frame */
/** @typedef {import('./state.js').Spot} Spot */
/** Where things are, in CSS pixels: the cells begin at (left, top). */
/** @typedef {{left: number, top: number, cell: number, font: number, steep: boolean}} Geometry */

const FONT_FAMILY = "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', sans-serif";
const [LARGEST_CELL, LARGEST_ZOOM, CELL_WITH_NUMBER] = [44, 48, 34];
/** Larger maps are exported as an image inside the SVG, not as a rectangle per cell. */
const MOST_RECTANGLES = 16384;

export class MatrixView {
  /** @param {import('./state.js').Store} store */
  constructor(store) {
    this.store = store;
    this.canvas = make('canvas', { 'aria-hidden': 'true' });
    this.spacer = make('div', { class: 'matrix-size' }, this.canvas);
    this.scroller = make(
      'div',
      {
        class: 'matrix-scroll',
        tabindex: 0,
        role: 'application',
        'aria-roledescription': 'matrix',
        'aria-describedby': 'readout',
      },
      this.spacer,
    );
    this.tip = make('div', { class: 'tip', 'aria-hidden': 'true', hidden: true });
    this.zoomText = make('span', { class: 'note' });
    this.element = make(
      'div',
      { class: 'matrix' },
      this.scroller,
      this.tip,
      make(
        'div',
        { class: 'matrix-zoom' },
        zoomButton('Smaller cells', '−', () => this.zoomBy(1 / 1.5)),
        zoomButton('Larger cells', '+', () => this.zoomBy(1.5)),
        zoomButton('Fit the map', 'Fit', () => this.zoomBy(null)),
        this.zoomText,
      ),
    );
    this.image = document.createElement('canvas');
    /** @type {number | null} null fits the map into the view */
    this.zoom = null;
    /** @type {Geometry} */
    this.geometry = { left: 0, top: 0, cell: 1, font: 12, steep: false };
    this.cursor = { query: 0, key: 0 };
    this.listen();
  }

  listen() {
    const { scroller, store } = this;
    scroller.addEventListener('scroll', () => this.drawCells());
    scroller.addEventListener('pointermove', (event) => this.onPointer(event));
    scroller.addEventListener('pointerleave', () => {
      this.tip.hidden = true;
      store.point(null);
    });
    scroller.addEventListener('click', (event) => {
      const spot = this.spotAt(event);
      if (spot) store.pin(spot);
    });
    scroller.addEventListener('focus', () => {
      if (scroller.matches(':focus-visible')) this.moveTo(this.cursor);
    });
    scroller.addEventListener('blur', () => store.point(null));
    scroller.addEventListener('keydown', (event) => this.onKey(event));
    new ResizeObserver(() => this.layOut()).observe(this.element);
  }

  /** @param {PointerEvent} event */
  onPointer(event) {
    const spot = this.spotAt(event);
    this.store.point(spot);
    this.tip.hidden = !spot || spot.query === null || spot.key === null;
    if (this.tip.hidden || !this.frame || !spot) return;
    const { map } = this.frame;
    const [query, key] = [spot.query ?? 0, spot.key ?? 0];
    this.tip.replaceChildren(
      make('bdi', { dir: 'auto' }, visible(map.queries[query].label)),
      ' → ',
      make('bdi', { dir: 'auto' }, visible(map.keys[key].label)),
      ' ',
      make('strong', {}, numberText(valueAt(this.frame, query, key))),
    );
    const near = event.clientX > window.innerWidth - 220;
    this.tip.style.left = `${event.clientX + (near ? -14 : 14)}px`;
    this.tip.style.top = `${event.clientY + 16}px`;
    this.tip.classList.toggle('left', near);
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (!this.frame || event.ctrlKey || event.metaKey || event.altKey) return;
    const { query, key } = this.cursor;
    const page = 10;
    /** @type {Record<string, {query: number, key: number}>} */
    const moves = {
      ArrowUp: { query: query - 1, key },
      ArrowDown: { query: query + 1, key },
      ArrowLeft: { query, key: key - 1 },
      ArrowRight: { query, key: key + 1 },
      PageUp: { query: query - page, key },
      PageDown: { query: query + page, key },
      Home: { query, key: 0 },
      End: { query, key: Infinity },
    };
    if (event.key in moves) this.moveTo(moves[event.key]);
    else if (event.key === 'Enter' || event.key === ' ') this.store.pin({ query, key });
    else if (event.key === '+' || event.key === '=') this.zoomBy(1.5);
    else if (event.key === '-') this.zoomBy(1 / 1.5);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /**
   * Puts the keyboard's cell somewhere and scrolls it into view.
   * @param {{query: number, key: number}} to
   */
  moveTo({ query, key }) {
    if (!this.frame) return;
    const { map } = this.frame;
    const inside = (/** @type {number} */ at, /** @type {number} */ size) =>
      Math.min(Math.max(at, 0), size - 1);
    this.cursor = { query: inside(query, map.queries.length), key: inside(key, map.keys.length) };
    const { cell, left, top } = this.geometry;
    const { scroller } = this;
    const [x, y] = [this.cursor.key * cell, this.cursor.query * cell];
    const [wide, high] = [scroller.clientWidth - left, scroller.clientHeight - top];
    scroller.scrollLeft = Math.min(x, Math.max(scroller.scrollLeft, x + cell - wide));
    scroller.scrollTop = Math.min(y, Math.max(scroller.scrollTop, y + cell - high));
    this.store.point({ ...this.cursor });
  }

  /** @param {MouseEvent} event @returns {Spot | null} */
  spotAt(event) {
    if (!this.frame) return null;
    const { left, top, cell } = this.geometry;
    const box = this.scroller.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const { map } = this.frame;
    const index = (
      /** @type {number} */ at,
      /** @type {number} */ start,
      /** @type {number} */ scrolled,
      /** @type {number} */ size,
    ) => {
      const found = Math.floor((at - start + scrolled) / cell);
      return at >= start && found < size ? found : null;
    };
    const key = index(x, left, this.scroller.scrollLeft, map.keys.length);
    const query = index(y, top, this.scroller.scrollTop, map.queries.length);
    return key === null && query === null ? null : { query, key };
  }

  /** @param {number | null} factor */
  zoomBy(factor) {
    const cell = factor === null ? null : this.geometry.cell * factor;
    this.zoom = cell === null ? null : Math.min(Math.max(cell, 1), LARGEST_ZOOM);
    this.layOut();
  }

  /** @param {Frame} frame */
  draw(frame) {
    const before = this.frame;
    this.frame = frame;
    const same = before?.mapKey === frame.mapKey && before.recording === frame.recording;
    if (same) return this.drawCells();
    this.paintImage(frame);
    const { cursor } = this;
    cursor.query = Math.min(cursor.query, Math.max(frame.map.queries.length - 1, 0));
    cursor.key = Math.min(cursor.key, Math.max(frame.map.keys.length - 1, 0));
    this.scroller.setAttribute(
      'aria-label',
      `${captionOf(frame)}: ${frame.map.queries.length} ` +
        `queries by ${frame.map.keys.length} keys. Arrow keys move from cell to cell.`,
    );
    this.layOut();
  }

  /** @param {Frame} frame */
  paintImage(frame) {
    const pixels = imageOf(frame.map, frame.top, frame.scheme);
    this.image.width = pixels.width;
    this.image.height = pixels.height;
    this.image.getContext('2d')?.putImageData(pixels, 0, 0);
  }

  layOut() {
    if (!this.frame || !this.element.clientWidth) return;
    const { map } = this.frame;
    const wide = this.element.clientWidth;
    const high = Math.max(Math.min(window.innerHeight * 0.78, 680), 300);
    this.geometry = fitGeometry(map, wide, high, this.zoom);
    const { left, top, cell } = this.geometry;
    // For programs that drive the page: where the cells are.
    this.scroller.dataset.geometry = [left, top, cell].join(' ');
    const [width, height] = [left + map.keys.length * cell, top + map.queries.length * cell];
    this.spacer.style.width = `${width + (this.geometry.steep ? 0 : 40)}px`;
    this.spacer.style.height = `${height}px`;
    this.scroller.style.height = `${Math.min(height + 2, high)}px`;
    setText(this.zoomText, cell < 8 ? 'Zoom in to read every label.' : '');
    this.drawCells();
  }

  drawCells() {
    if (!this.frame) return;
    const { scroller, frame } = this;
    const context = sizedContext(this.canvas, scroller.clientWidth, scroller.clientHeight);
    const { left, top, cell } = this.geometry;
    const { map, colours } = frame;
    const [dx, dy] = [left - scroller.scrollLeft, top - scroller.scrollTop];
    const [width, height] = [scroller.clientWidth, scroller.clientHeight];
    context.save();
    context.beginPath();
    context.rect(left, top, width, height);
    context.clip();
    // Cells smaller than a pixel are averaged, larger ones keep their edges.
    context.imageSmoothingEnabled = cell < 1;
    context.drawImage(this.image, dx, dy, map.keys.length * cell, map.queries.length * cell);
    if (cell >= CELL_WITH_NUMBER) this.drawNumbers(context, dx, dy);
    this.drawLit(context, dx, dy);
    context.restore();
    context.strokeStyle = colours.line;
    context.strokeRect(
      left - 0.5,
      top - 0.5,
      Math.min(map.keys.length * cell, width - left) + 1,
      Math.min(map.queries.length * cell, height - top) + 1,
    );
    this.drawLabels(context, dx, dy, width, height);
  }

  /** @param {CanvasRenderingContext2D} context @param {number} dx @param {number} dy */
  drawNumbers(context, dx, dy) {
    const frame = /** @type {Frame} */ (this.frame);
    const { map } = frame;
    const { cell } = this.geometry;
    context.font = `${Math.min(12, cell * 0.3)}px ${FONT_FAMILY}`;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    const [width, height] = [this.scroller.clientWidth, this.scroller.clientHeight];
    for (let q = Math.max(0, Math.floor(-dy / cell)); q < map.queries.length; ++q) {
      const y = dy + (q + 0.5) * cell;
      if (y > height + cell) break;
      for (let k = Math.max(0, Math.floor(-dx / cell)); k < map.keys.length; ++k) {
        const x = dx + (k + 0.5) * cell;
        if (x > width + cell) break;
        const value = valueAt(frame, q, k);
        if (Math.abs(value) < 0.005) continue;
        context.fillStyle = isBright(colourOf(frame, value)) ? '#16121c' : '#fdfcff';
        context.fillText(shortNumber(value), x, y);
      }
    }
  }

  /** @param {CanvasRenderingContext2D} context @param {number} dx @param {number} dy */
  drawLit(context, dx, dy) {
    const { map, lit, colours } = /** @type {Frame} */ (this.frame);
    const { cell } = this.geometry;
    const [width, height] = [map.keys.length * cell, map.queries.length * cell];
    // A pale line inside a dark one is seen on every colour.
    const outline = (/** @type {number[]} */ [x, y, w, h]) => {
      context.strokeStyle = colours.ground;
      context.lineWidth = 3;
      context.strokeRect(x, y, w, h);
      context.strokeStyle = colours.ink;
      context.lineWidth = 1.25;
      context.strokeRect(x, y, w, h);
    };
    const both = lit.query !== null && lit.key !== null;
    if (both && cell >= 3) {
      context.fillStyle = colours.ink;
      context.globalAlpha = 0.1;
      context.fillRect(dx, dy + /** @type {number} */ (lit.query) * cell, width, cell);
      context.fillRect(dx + /** @type {number} */ (lit.key) * cell, dy, cell, height);
      context.globalAlpha = 1;
      outline([
        dx + /** @type {number} */ (lit.key) * cell,
        dy + /** @type {number} */ (lit.query) * cell,
        cell,
        cell,
      ]);
      return;
    }
    if (lit.query !== null) outline([dx, dy + lit.query * cell, width, cell]);
    if (lit.key !== null) outline([dx + lit.key * cell, dy, cell, height]);
  }

  /**
   * @param {CanvasRenderingContext2D} context @param {number} dx @param {number} dy
   * @param {number} width @param {number} height
   */
  drawLabels(context, dx, dy, width, height) {
    const { map, lit, colours, part } = /** @type {Frame} */ (this.frame);
    const { left, top, cell, font, steep } = this.geometry;
    const every = cell >= 8 ? 1 : Math.ceil(13 / cell);
    context.textBaseline = 'middle';
    const style = (/** @type {boolean} */ on) => {
      context.fillStyle = on ? colours.ink : colours.quiet;
      context.font = `${on ? '600 ' : ''}${on ? Math.max(font, 12) : font}px ${FONT_FAMILY}`;
    };
    map.queries.forEach((unit, q) => {
      const y = dy + (q + 0.5) * cell;
      const on = lit.query === q;
      if (y < top || y > height || !(on || (q % every === 0 && !nearLit(lit.query, q, cell))))
        return;
      style(on);
      context.textAlign = 'right';
      fitText(context, unit.label, left - 8, y, left - 18);
    });
    map.keys.forEach((unit, k) => {
      const x = dx + (k + 0.5) * cell;
      const on = lit.key === k;
      if (x < left || x > width || !(on || (k % every === 0 && !nearLit(lit.key, k, cell)))) return;
      style(on);
      context.save();
      context.translate(x, top - 7);
      context.rotate(steep ? -Math.PI / 2 : -Math.PI / 4);
      context.textAlign = 'left';
      fitText(context, unit.label, 0, 0, (top - 26) * (steep ? 1 : 1.3));
      context.restore();
    });
    context.fillStyle = colours.quiet;
    context.font = `11px ${FONT_FAMILY}`;
    context.textAlign = 'left';
    context.fillText(`${axisText(part, 'keys')} →`, left, 8);
    context.save();
    context.translate(8, top);
    context.rotate(-Math.PI / 2);
    context.textAlign = 'right';
    context.fillText(`← ${axisText(part, 'queries')}`, 0, 0);
    context.restore();
  }

  /** @param {Frame} frame @returns {string} */
  svg(frame) {
    const { map, colours, lit } = frame;
    const geometry = fitGeometry(map, 900, 900, null);
    const cell = Math.max(geometry.cell, map.values.length > MOST_RECTANGLES ? 1 : 8);
    const [left, top] = [geometry.left + 12, geometry.top + 48];
    const [width, height] = [map.keys.length * cell, map.queries.length * cell];
    const drawing = new SvgDrawing(Math.max(left + width + 90, 420), top + height + 64, colours);
    drawing.text(20, 30, captionOf(frame), { 'font-size': 17, 'font-weight': 600 });
    if (map.values.length > MOST_RECTANGLES) this.drawImageInto(drawing, left, top, width, height);
    else drawRectangles(drawing, frame, left, top, cell);
    drawing.add('rect', { x: left, y: top, width, height, fill: 'none', stroke: colours.line });
    const band = { fill: 'none', stroke: colours.ink, 'stroke-width': 1.25 };
    if (lit.query !== null) {
      drawing.add('rect', { x: left, y: top + lit.query * cell, width, height: cell, ...band });
    }
    if (lit.key !== null) {
      drawing.add('rect', { x: left + lit.key * cell, y: top, width: cell, height, ...band });
    }
    const size = Math.min(geometry.font, cell);
    if (cell >= 7) {
      map.queries.forEach((unit, q) =>
        drawing.text(left - 8, top + (q + 0.5) * cell + size * 0.35, unit.label, {
          'text-anchor': 'end',
          'font-size': size,
          'font-weight': lit.query === q ? 700 : undefined,
        }),
      );
      const angle = geometry.steep ? -90 : -45;
      map.keys.forEach((unit, k) => {
        const [x, y] = [left + (k + 0.5) * cell + size * 0.3, top - 7];
        drawing.text(x, y, unit.label, {
          transform: `rotate(${angle} ${x.toFixed(1)} ${y.toFixed(1)})`,
          'font-size': size,
          'font-weight': lit.key === k ? 700 : undefined,
        });
      });
    }
    const axis = { 'font-size': 11, fill: colours.quiet };
    drawing.text(left, 52, `${axisText(frame.part, 'keys')} →`, axis);
    drawing.text(16, top, `← ${axisText(frame.part, 'queries')}`, {
      ...axis,
      transform: `rotate(-90 16 ${top})`,
      'text-anchor': 'end',
    });
    drawLegend(drawing, left, top + height + 22, legendOf(frame));
    return drawing.document(`${captionOf(frame)}: matrix`);
  }

  /**
   * @param {SvgDrawing} drawing @param {number} x @param {number} y @param {number} width
   * @param {number} height
   */
  drawImageInto(drawing, x, y, width, height) {
    drawing.add('image', {
      x,
      y,
      width,
      height,
      href: this.image.toDataURL('image/png'),
      preserveAspectRatio: 'none',
      'image-rendering': 'pixelated',
    });
  }
}

/**
 * @param {SvgDrawing} drawing @param {Frame} frame @param {number} left @param {number} top
 * @param {number} cell
 */
function drawRectangles(drawing, frame, left, top, cell) {
  const { map } = frame;
  for (let q = 0; q < map.queries.length; ++q) {
    for (let k = 0; k < map.keys.length; ++k) {
      const value = valueAt(frame, q, k);
      drawing.add('rect', {
        x: left + k * cell,
        y: top + q * cell,
        width: cell,
        height: cell,
        fill: hexColour(colourOf(frame, value)),
        'data-value': value.toFixed(4),
      });
      if (cell >= CELL_WITH_NUMBER && Math.abs(value) >= 0.005) {
        drawing.text(left + (k + 0.5) * cell, top + (q + 0.5) * cell + 4, shortNumber(value), {
          'text-anchor': 'middle',
          'font-size': 11,
          fill: isBright(colourOf(frame, value)) ? '#16121c' : '#fdfcff',
        });
      }
    }
  }
}

/** @param {number | null} lit @param {number} index @param {number} cell */
const nearLit = (lit, index, cell) =>
  lit !== null && lit !== index && Math.abs(lit - index) * cell < 10 && cell < 10;

/** Without the zero before the point: it fits into a cell. @param {number} value */
const shortNumber = (value) =>
  Math.abs(value) >= 1 ? value.toFixed(1) : value.toFixed(2).replace('0.', '.').replace('-', '−');

/** @param {string} name @param {string} text @param {() => void} onclick */
const zoomButton = (name, text, onclick) =>
  make(
    'button',
    { type: 'button', class: 'small', 'aria-label': name, title: name, onclick },
    text,
  );

/**
 * @param {import('./shown.js').ShownMap} map @param {number} wide @param {number} high
 * @param {number | null} zoom @returns {Geometry}
 */
function fitGeometry({ queries, keys }, wide, high, zoom) {
  const widest = (/** @type {{label: string}[]} */ units, /** @type {number} */ font) =>
    units.reduce((most, { label }) => Math.max(most, textWidth(visible(label), font)), 0);
  const font = 13;
  const left = Math.min(widest(queries, font) + 30, wide * 0.3);
  const spaceAbove = Math.min(widest(keys, font), 110);
  const across = (wide - left - 12) / Math.max(keys.length, 1);
  const down = (high - spaceAbove - 30) / Math.max(queries.length, 1);
  // A map that is far from square may be higher than the view, and scroll.
  const fitted = Math.min(across, Math.max(down, Math.min(across, 9)), LARGEST_CELL);
  const cell = zoom ?? Math.max(fitted, 1);
  const steep = cell < 20;
  return {
    left: Math.round(left),
    top: Math.round((steep ? spaceAbove : spaceAbove * 0.78) + 28),
    cell: zoom === null && cell > 16 ? Math.floor(cell) : cell,
    font: Math.min(font, Math.max(cell * 0.95, 8.5)),
    steep,
  };
}

/**
 * Text that ends in an ellipsis where there is no room for more.
 * @param {CanvasRenderingContext2D} context @param {string} text @param {number} x
 * @param {number} y @param {number} room
 */
function fitText(context, text, x, y, room) {
  let shown = visible(text);
  if (context.measureText(shown).width > room) {
    const characters = [...shown];
    while (characters.length > 1 && context.measureText(`${characters.join('')}…`).width > room) {
      characters.pop();
    }
    shown = `${characters.join('')}…`;
  }
  context.fillText(`\u2068${shown}\u2069`, x, y);
}
