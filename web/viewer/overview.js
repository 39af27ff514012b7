// Overview: a small map for every head of the part, in its place or sorted by a figure.
import { keepFocus, make } from './dom.js';
import { imageOf, legendOf } from './frame.js';
import { sameHead } from './data.js';
import { shownMap } from './shown.js';
import { SvgDrawing, drawLegend } from './svg.js';
import { numberText } from './text.js';

/** @typedef {import('./frame.js').Frame} Frame */
/** @typedef {import('./data.js').HeadRow} HeadRow */
/**
 * @typedef {{row: HeadRow, button: HTMLButtonElement, canvas: HTMLCanvasElement, caption:
 * HTMLElement}} Thumbnail
 */

/** Pixels on a side; larger maps are averaged. */
const SIDE = 72;
/** Milliseconds of drawing before the page gets a turn. */
const TURN = 10;

/** The heads of the part that is shown, in the order that was chosen. @param {Frame} frame */
export function sortedRows({ table, part, state }) {
  const rows = Array.from({ length: part.layers * part.heads }, (_, i) => {
    const name = { part: part.name, layer: Math.floor(i / part.heads), head: i % part.heads };
    return table.rows.find((row) => sameHead(row, name)) ?? { ...name, role: '', figures: {} };
  });
  if (state.sort === 'position') return state.descending ? rows.reverse() : rows;
  const sign = state.descending ? -1 : 1;
  const { sort } = state;
  return rows.sort((a, b) => {
    if (sort === 'role') return sign * a.role.localeCompare(b.role);
    const [x, y] = [a.figures[sort], b.figures[sort]];
    // Heads without the figure come last in either order.
    if (!Number.isFinite(x) || !Number.isFinite(y))
      return Number.isFinite(y) ? 1 : Number.isFinite(x) ? -1 : 0;
    return sign * (x - y);
  });
}

/** @param {Frame} frame @param {HeadRow} row */
function captionText({ state, table }, row) {
  const column = table.columns.find((each) => each.key === state.sort);
  if (state.sort === 'role') return row.role || '–';
  if (!column) return '';
  const value = row.figures[column.key];
  return Number.isFinite(value) ? numberText(value) : '–';
}

/** @param {import('./data.js').HeadName} row */
export const headText = (row) => `${row.layer + 1}·${row.head + 1}`;

/** A head's name, in short to look at and in full to listen to. */
/** @param {import('./data.js').HeadName} name */
export const headLabel = (name) => [
  make('span', { class: 'hidden' }, `Layer ${name.layer + 1}, head ${name.head + 1}`),
  make('span', { 'aria-hidden': 'true' }, headText(name)),
];

export class OverviewView {
  /** @param {import('./state.js').Store} store */
  constructor(store) {
    this.store = store;
    this.element = make('div', { class: 'overview', role: 'group', 'aria-label': 'Heads' });
    this.element.addEventListener('keydown', (event) => this.onKey(event));
    /** @type {Thumbnail[]} */
    this.thumbnails = [];
    this.turn = 0;
    this.sorting = '';
    /** @type {Frame | null} */
    this.frame = null;
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = this.thumbnails.findIndex(({ button }) => button === document.activeElement);
    const columns = this.rowLength();
    /** @type {Record<string, number>} */
    const moves = {
      ArrowLeft: at - 1,
      ArrowRight: at + 1,
      ArrowUp: at - columns,
      ArrowDown: at + columns,
      Home: 0,
      End: this.thumbnails.length - 1,
    };
    if (at < 0 || !(event.key in moves)) return;
    this.thumbnails[moves[event.key]]?.button.focus();
    event.preventDefault();
    event.stopPropagation();
  }

  /** How many thumbnails the page shows in a row. */
  rowLength() {
    const top = this.thumbnails[0]?.button.offsetTop;
    const end = this.thumbnails.findIndex(({ button }) => button.offsetTop !== top);
    return end < 0 ? this.thumbnails.length : end;
  }

  /** @param {Frame} frame */
  draw(frame) {
    const before = this.frame;
    this.frame = frame;
    const { state } = frame;
    const sorting = [frame.part.where, state.step, state.sort, state.descending].join(' ');
    if (
      sorting !== this.sorting ||
      before?.table !== frame.table ||
      before.recording !== frame.recording
    ) {
      this.sorting = sorting;
      keepFocus(this.element, () => this.build(frame));
      this.paint(frame);
    } else if (before?.lookKey !== frame.lookKey) {
      this.paint(frame);
    }
    for (const { row, button } of this.thumbnails) {
      const chosen = state.layer === row.layer && state.head === row.head;
      button.setAttribute('aria-pressed', String(chosen));
      button.tabIndex = chosen ? 0 : -1;
    }
    const reachable = this.thumbnails.some(({ button }) => button.tabIndex === 0);
    if (!reachable && this.thumbnails[0]) this.thumbnails[0].button.tabIndex = 0;
  }

  /** @param {Frame} frame */
  build(frame) {
    const inPlace = frame.state.sort === 'position';
    this.element.classList.toggle('in-place', inPlace);
    this.element.style.setProperty('--heads', String(frame.part.heads));
    this.thumbnails = sortedRows(frame).map((row) => this.thumbnail(frame, row));
    this.element.replaceChildren(...this.thumbnails.map(({ button }) => button));
  }

  /** @param {Frame} frame @param {HeadRow} row @returns {Thumbnail} */
  thumbnail(frame, row) {
    const canvas = make('canvas', { width: SIDE, height: SIDE, 'aria-hidden': 'true' });
    const caption = make('span', { class: 'figure' }, captionText(frame, row));
    const off = frame.recording.isOff(row);
    const button = make(
      'button',
      {
        type: 'button',
        class: off ? 'thumbnail off' : 'thumbnail',
        'aria-pressed': 'false',
        dataset: { key: headText(row) },
        title: [row.role, off && 'switched off'].filter(Boolean).join(', ') || undefined,
        onclick: () => this.store.set({ layer: row.layer, head: row.head }),
      },
      canvas,
      make('span', { class: 'label' }, ...headLabel(row), caption),
    );
    return { row, button, canvas, caption };
  }

  /** Draws the maps a few at a time, so that the page answers meanwhile. @param {Frame} frame */
  paint(frame) {
    const turn = ++this.turn;
    const waiting = [...this.thumbnails];
    const next = () => {
      const start = performance.now();
      while (waiting.length && performance.now() - start < TURN) {
        const each = /** @type {Thumbnail} */ (waiting.shift());
        paintThumbnail(each.canvas, frame, each.row);
      }
      if (waiting.length && turn === this.turn) requestAnimationFrame(next);
      else if (turn === this.turn) this.element.dataset.painted = frame.lookKey;
    };
    requestAnimationFrame(next);
  }

  /** @param {Frame} frame @returns {string} */
  svg(frame) {
    const rows = sortedRows(frame);
    const columns = frame.state.sort === 'position' ? frame.part.heads : Math.min(8, rows.length);
    const [side, step, top, left] = [64, 92, 84, 24];
    const lines = Math.ceil(rows.length / columns);
    const { colours, state } = frame;
    const drawing = new SvgDrawing(
      Math.max(left * 2 + columns * (side + 14), 460),
      top + lines * step + 56,
      colours,
    );
    const sorted = frame.table.columns.find((each) => each.key === state.sort);
    drawing.text(left, 30, `${frame.part.title}, all heads`, {
      'font-size': 17,
      'font-weight': 600,
    });
    drawing.text(
      left,
      52,
      sorted ? `Sorted by ${sorted.name.toLowerCase()}` : 'A row for each layer',
      { 'font-size': 11, fill: colours.quiet },
    );
    const canvas = make('canvas', { width: SIDE, height: SIDE });
    rows.forEach((row, i) => {
      const [x, y] = [left + (i % columns) * (side + 14), top + Math.floor(i / columns) * step];
      paintThumbnail(canvas, frame, row);
      const chosen = row.layer === state.layer && row.head === state.head;
      drawing.add('image', {
        x,
        y,
        width: side,
        height: side,
        href: canvas.toDataURL('image/png'),
        preserveAspectRatio: 'none',
      });
      drawing.add('rect', {
        x,
        y,
        width: side,
        height: side,
        fill: 'none',
        stroke: chosen ? colours.accent : colours.line,
        'stroke-width': chosen ? 2.5 : 1,
      });
      const label = [headText(row), captionText(frame, row)].filter(Boolean).join('  ');
      drawing.text(x, y + side + 15, label, { 'font-size': 11 });
    });
    drawLegend(drawing, left, top + lines * step + 12, overviewLegend(frame));
    return drawing.document(`${frame.part.title}: all heads`);
  }
}

/** @param {Frame} frame */
function overviewLegend(frame) {
  const common = frame.state.scale === 'common';
  const ends = common ? {} : { low: '0', high: 'largest' };
  const name = common ? 'One scale for all heads' : 'Each head on its own scale';
  return { ...legendOf(frame), ...ends, name };
}

const scratch = document.createElement('canvas');

/** @param {HTMLCanvasElement} canvas @param {Frame} frame @param {HeadRow} row */
function paintThumbnail(canvas, frame, row) {
  const { part, state, scheme } = frame;
  const map = shownMap(part, state.kind, row, state);
  const image = imageOf(map, state.scale === 'common' ? frame.top : map.top, scheme);
  scratch.width = image.width;
  scratch.height = image.height;
  scratch.getContext('2d')?.putImageData(image, 0, 0);
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  context.imageSmoothingEnabled = Math.max(image.width, image.height) > SIDE;
  context.imageSmoothingQuality = 'medium';
  context.drawImage(scratch, 0, 0, canvas.width, canvas.height);
}
