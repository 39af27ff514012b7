// Flow: queries on the left, keys on the right, a line for each weight. Words are elements; lines
// are drawn on a canvas that covers only what is scrolled into view.
import { foreign, make, setText, sizedContext } from './dom.js';
import { axisText, captionOf, kindText, legendOf, valueAt } from './frame.js';
import { strongest } from './shown.js';
import { SvgDrawing, drawLegend } from './svg.js';
import { numberText, textWidth, visible } from './text.js';

/** @typedef {import('./frame.js').Frame} Frame */
/** @typedef {import('./shown.js').Unit} Unit */
/** @typedef {{item: HTMLElement, amount: HTMLElement, ground: string}} Word */
/** A line from a query to a key; `share` is its value as a share of the scale. */
/** @typedef {{query: number, key: number, share: number, lit: boolean}} FlowLine */

/** More lines than this would be a grey mass. */
const MOST_LINES = 2500;
/** Lines thinner than this share of the scale cannot be seen. */
const LEAST_SHARE = 0.04;
/** How many words get a number when another is lit, and from which share of the scale on. */
const [NUMBERED, LEAST_NAMED] = [5, 0.02];
const SIDES = /** @type {('query' | 'key')[]} */ (['query', 'key']);

/** The lines that are drawn when nothing is lit: the strongest, from the share `least` up. */
/** @param {Frame} frame @returns {{least: number, lines: FlowLine[]}} */
function strongLines({ map, top }) {
  const least = leastShare(map.values, top);
  /** @type {FlowLine[]} */
  const lines = [];
  for (let query = 0, i = 0; query < map.queries.length; ++query) {
    for (let key = 0; key < map.keys.length; ++key, ++i) {
      const share = map.values[i] / top;
      if (Math.abs(share) >= least) lines.push({ query, key, share, lit: false });
    }
  }
  return { least, lines };
}

/** The smallest share of the scale that is drawn, so that there are not too many lines. */
/** @param {Float32Array} values @param {number} top */
function leastShare(values, top) {
  const bins = new Uint32Array(101);
  for (let i = 0; i < values.length; ++i) {
    bins[Math.min(Math.floor((100 * Math.abs(values[i])) / top), 100)] += 1;
  }
  let [bin, total] = [100, bins[100]];
  while (bin > 0 && total + bins[bin - 1] <= MOST_LINES) total += bins[--bin];
  return Math.max(bin / 100, LEAST_SHARE);
}

/** Every line of what is lit that can be seen. @param {Frame} frame @returns {FlowLine[]} */
function litLines(frame) {
  const { map, top, lit } = frame;
  if (lit.query === null && lit.key === null) return [];
  const all = (/** @type {number} */ size) => Array.from({ length: size }, (_, i) => i);
  const queries = lit.query === null ? all(map.queries.length) : [lit.query];
  const keys = lit.key === null ? all(map.keys.length) : [lit.key];
  return queries
    .flatMap((query) =>
      keys.map((key) => {
        return { query, key, share: valueAt(frame, query, key) / top, lit: true };
      }),
    )
    .filter(({ share }) => Math.abs(share) >= LEAST_SHARE / 4);
}

/** The lines to draw: the strongest, and every one of what is lit. */
/** @param {Frame} frame @param {FlowLine[]} strong */
function linesToDraw(frame, strong) {
  const { lit, map } = frame;
  const own = litLines(frame);
  if (lit.query === null && lit.key === null) return strong;
  // In a long text, the lines of the other words would hide those of the one that is lit.
  return map.values.length > 10000 ? own : [...strong, ...own];
}

/** How a line looks. @param {FlowLine} line @param {boolean} some @param {Frame} frame */
function lineStyle({ share, lit }, some, frame) {
  const size = Math.min(Math.abs(share), 1);
  return {
    colour: signColour(frame, share),
    width: 0.75 + 4.25 * size,
    opacity: some && !lit ? 0.05 + 0.1 * size : 0.12 + 0.8 * size,
  };
}

/** @param {Frame} frame @param {number} value */
function signColour({ map, colours }, value) {
  if (!map.signed) return colours.accent;
  return value < 0 ? colours.negative : colours.positive;
}

/**
 * How strongly each word of one side is linked to the lit word of the other, in shares of the
 * scale.
 * @param {Frame} frame @param {'query' | 'key'} side
 */
function linkedShares(frame, side) {
  const { lit, top } = frame;
  const other = side === 'query' ? lit.key : lit.query;
  if (other === null || !(top > 0)) return null;
  return unitsAt(frame, side).map(
    (_, i) => (side === 'query' ? valueAt(frame, i, other) : valueAt(frame, other, i)) / top,
  );
}

/** The numbers that stand beside the words of one side. */
/** @param {Frame} frame @param {'query' | 'key'} side @returns {Map<number, string>} */
function linkedAmounts({ map, lit, top }, side) {
  const other = side === 'query' ? lit.key : lit.query;
  if (other === null) return new Map();
  const found = strongest(map, side === 'query' ? 'key' : 'query', other, NUMBERED);
  return new Map(
    found
      .filter(({ value }) => Math.abs(value) / top >= LEAST_NAMED)
      .map((each) => [each.other, numberText(each.value)]),
  );
}

export class FlowView {
  /** @param {import('./state.js').Store} store */
  constructor(store) {
    this.store = store;
    this.canvas = make('canvas', { 'aria-hidden': 'true' });
    this.gap = make('div', { class: 'flow-gap' }, this.canvas);
    this.titles = { query: make('div', { class: 'axis' }), key: make('div', { class: 'axis' }) };
    this.lists = { query: this.makeList('query'), key: this.makeList('key') };
    this.body = make('div', { class: 'flow-body' }, this.lists.query, this.gap, this.lists.key);
    this.scroller = make('div', { class: 'flow-scroll' }, this.body);
    this.note = make('p', { class: 'note' });
    this.element = make(
      'div',
      { class: 'flow' },
      make('div', { class: 'flow-axes' }, this.titles.query, this.titles.key),
      this.scroller,
      this.note,
    );
    this.scroller.addEventListener('scroll', () => this.drawLines());
    new ResizeObserver(() => this.drawLines()).observe(this.scroller);
    this.rowHeight = 30;
    /** @type {Record<'query' | 'key', Word[]>} */
    this.words = { query: [], key: [] };
    this.cursor = { query: 0, key: 0 };
    /** @type {{least: number, lines: FlowLine[]}} */
    this.strong = { least: 0, lines: [] };
    /** @type {FlowLine[]} */
    this.lines = [];
  }

  /** @param {'query' | 'key'} side */
  makeList(side) {
    const list = make('ul', { class: `words ${side}-words`, role: 'listbox', tabindex: -1 });
    /** @param {Event} event */
    const indexOf = (event) => {
      const item = /** @type {HTMLElement} */ (event.target).closest('li');
      return item ? Number(item.dataset.index) : null;
    };
    list.addEventListener('pointerover', (event) => {
      const index = indexOf(event);
      if (index !== null) this.store.point(spotOf(side, index));
    });
    list.addEventListener('pointerleave', () => this.store.point(null));
    list.addEventListener('click', (event) => {
      const index = indexOf(event);
      if (index !== null) this.store.pin(spotOf(side, index));
    });
    list.addEventListener('focusin', (event) => {
      const index = indexOf(event);
      if (index === null) return;
      this.cursor[side] = index;
      this.store.point(spotOf(side, index));
    });
    list.addEventListener('focusout', () => this.store.point(null));
    list.addEventListener('keydown', (event) => this.onKey(side, event));
    return list;
  }

  /** @param {'query' | 'key'} side @param {KeyboardEvent} event */
  onKey(side, event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const last = this.words[side].length - 1;
    const at = this.cursor[side];
    /** @type {Record<string, number>} */
    const moves = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: last };
    if (event.key in moves) {
      this.focusWord(side, Math.min(Math.max(moves[event.key], 0), last));
    } else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
      this.focusStrongest(event.key === 'ArrowLeft' ? 'query' : 'key', side, at);
    } else if (event.key === 'Enter' || event.key === ' ') {
      this.store.pin(spotOf(side, at));
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** To the other column, where the strongest line leads. */
  /** @param {'query' | 'key'} side @param {'query' | 'key'} from @param {number} at */
  focusStrongest(side, from, at) {
    if (side === from || !this.frame) return;
    const [best] = strongest(this.frame.map, from, at, 1);
    if (best) this.focusWord(side, best.other);
  }

  /** @param {'query' | 'key'} side @param {number} index */
  focusWord(side, index) {
    this.words[side][this.cursor[side]]?.item.setAttribute('tabindex', '-1');
    this.cursor[side] = index;
    const item = this.words[side][index]?.item;
    item?.setAttribute('tabindex', '0');
    item?.focus();
  }

  /** @param {Frame} frame */
  draw(frame) {
    const before = this.frame;
    this.frame = frame;
    const focused = SIDES.find((side) => this.lists[side].contains(document.activeElement));
    const at = this.cursor[focused ?? 'query'];
    if (before?.mapKey !== frame.mapKey || before.recording !== frame.recording) {
      this.setWords(frame, before);
      this.strong = strongLines(frame);
    }
    this.lines = linesToDraw(frame, this.strong.lines);
    this.lightWords(frame);
    this.drawLines();
    setText(this.note, this.noteText(frame));
    // Other words stand there now: the focus is with the one in the place of the old one.
    if (focused && !this.lists[focused].contains(document.activeElement)) {
      this.focusWord(focused, Math.min(at, this.words[focused].length - 1));
    }
  }

  /** @param {Frame} frame @param {Frame} [before] */
  setWords(frame, before) {
    setText(this.titles.query, axisText(frame.part, 'queries'));
    setText(this.titles.key, axisText(frame.part, 'keys'));
    for (const side of SIDES) {
      const units = unitsAt(frame, side);
      const same = before && sameLabels(units, unitsAt(before, side));
      this.lists[side].setAttribute(
        'aria-label',
        axisText(frame.part, side === 'query' ? 'queries' : 'keys'),
      );
      if (same) continue;
      this.cursor[side] = 0;
      this.words[side] = units.map((unit, i) => wordItem(unit, i));
      this.lists[side].replaceChildren(...this.words[side].map(({ item }) => item));
      this.words[side][0]?.item.setAttribute('tabindex', '0');
    }
    const rows = Math.max(frame.map.queries.length, frame.map.keys.length);
    this.rowHeight = Math.round(Math.min(Math.max(580 / rows, rows > 60 ? 22 : 26), 38));
    this.body.style.setProperty('--row', `${this.rowHeight}px`);
    this.body.style.height = `${rows * this.rowHeight}px`;
    for (const side of SIDES) this.lists[side].style.paddingTop = `${this.offset(side)}px`;
  }

  /** Where a column begins: a short one stands in the middle of a longer one. */
  /** @param {'query' | 'key'} side */
  offset(side) {
    if (!this.frame) return 0;
    const { queries, keys } = this.frame.map;
    const rows = Math.max(queries.length, keys.length);
    return rows > 24 ? 0 : ((rows - unitsAt(this.frame, side).length) * this.rowHeight) / 2;
  }

  /** @param {'query' | 'key'} side @param {number} index */
  middle(side, index) {
    return this.offset(side) + (index + 0.5) * this.rowHeight;
  }

  /** @param {Frame} frame */
  lightWords(frame) {
    const { lit, state } = frame;
    for (const side of SIDES) {
      const [own, pin] = side === 'query' ? [lit.query, state.query] : [lit.key, state.key];
      const shares = linkedShares(frame, side);
      const amounts = linkedAmounts(frame, side);
      this.words[side].forEach((word, i) => {
        const share = shares?.[i] ?? 0;
        const size = Math.min(Math.abs(share), 1);
        setText(word.amount, amounts.get(i) ?? '');
        setClass(word.item, 'lit', own === i);
        setClass(word.item, 'dim', Boolean(shares) && size < LEAST_NAMED && own !== i);
        const ground = size < LEAST_NAMED ? '' : signColour(frame, share) + hexByte(0.42 * size);
        if (word.ground !== ground) word.item.style.backgroundColor = word.ground = ground;
        const pinned = String(pin === i);
        if (word.item.getAttribute('aria-selected') !== pinned) {
          word.item.setAttribute('aria-selected', pinned);
        }
      });
    }
  }

  drawLines() {
    if (!this.frame) return;
    const width = this.gap.clientWidth;
    const height = Math.min(this.scroller.clientHeight, this.body.clientHeight);
    const context = sizedContext(this.canvas, width, height);
    const { lit } = this.frame;
    const some = lit.query !== null || lit.key !== null;
    const above = this.scroller.scrollTop;
    context.lineCap = 'round';
    for (const line of this.lines) {
      const from = this.middle('query', line.query) - above;
      const to = this.middle('key', line.key) - above;
      if (Math.max(from, to) < 0 || Math.min(from, to) > height) continue;
      const style = lineStyle(line, some, this.frame);
      context.globalAlpha = style.opacity;
      context.strokeStyle = style.colour;
      context.lineWidth = style.width;
      context.beginPath();
      context.moveTo(0, from);
      context.bezierCurveTo(width * 0.45, from, width * 0.55, to, width, to);
      context.stroke();
    }
    context.globalAlpha = 1;
  }

  /** @param {Frame} frame */
  noteText(frame) {
    const { least } = this.strong;
    if (frame.top <= 0) return 'There is nothing to draw: every value is 0.';
    return least > LEAST_SHARE
      ? `Lines of at least ${numberText(least * frame.top)}; a word shows all of its own.`
      : '';
  }

  /** @param {Frame} frame @returns {string} */
  svg(frame) {
    const lines = linesToDraw(frame, strongLines(frame).lines);
    const { colours, map, lit } = frame;
    const rows = Math.max(map.queries.length, map.keys.length, 1);
    const [column, gap, top] = [190, 320, 84];
    const width = 2 * column + gap;
    const drawing = new SvgDrawing(width, top + rows * this.rowHeight + 64, colours);
    drawing.text(20, 30, captionOf(frame), { 'font-size': 17, 'font-weight': 600 });
    const axis = { 'font-size': 11, fill: colours.quiet };
    drawing.text(column - 12, top - 14, this.titles.query.textContent ?? '', {
      ...axis,
      'text-anchor': 'end',
    });
    drawing.text(column + gap + 12, top - 14, this.titles.key.textContent ?? '', axis);
    const some = lit.query !== null || lit.key !== null;
    for (const line of lines) {
      const style = lineStyle(line, some, frame);
      const from = Math.round(top + this.middle('query', line.query));
      const to = Math.round(top + this.middle('key', line.key));
      const [x, curve] = [column, `${column + gap * 0.45} ${from} ${column + gap * 0.55} ${to}`];
      drawing.add('path', {
        d: `M${x} ${from}C${curve} ${column + gap} ${to}`,
        fill: 'none',
        stroke: style.colour,
        'stroke-width': style.width,
        'stroke-opacity': style.opacity,
        'stroke-linecap': 'round',
        'data-value': valueAt(frame, line.query, line.key).toFixed(4),
      });
    }
    this.drawWordsInto(drawing, frame, top, column, gap);
    drawLegend(drawing, 20, top + rows * this.rowHeight + 24, flowLegend(frame));
    return drawing.document(`${captionOf(frame)}: flow`);
  }

  /**
   * @param {SvgDrawing} drawing @param {Frame} frame @param {number} top @param {number} column
   * @param {number} gap
   */
  drawWordsInto(drawing, frame, top, column, gap) {
    for (const side of SIDES) {
      const own = side === 'query' ? frame.lit.query : frame.lit.key;
      const amounts = linkedAmounts(frame, side);
      const [x, away, anchor] =
        side === 'query' ? [column - 12, -1, 'end'] : [column + gap + 12, 1, 'start'];
      unitsAt(frame, side).forEach((unit, i) => {
        const y = top + this.middle(side, i) + 4.5;
        const weight = own === i ? 700 : undefined;
        drawing.text(x, y, unit.label, { 'text-anchor': anchor, 'font-weight': weight });
        const amount = amounts.get(i);
        const style = { 'text-anchor': anchor, 'font-size': 11, fill: frame.colours.quiet };
        const room = textWidth(visible(unit.label), 13) + 8;
        if (amount) drawing.text(x + away * room, y, amount, style);
      });
    }
  }
}

/** Lines have one colour; their strength shows the value. @param {Frame} frame */
export function flowLegend(frame) {
  const legend = legendOf(frame);
  return {
    ...legend,
    name: `${kindText(frame.state)}: the stronger the line, the larger`,
    sample: (/** @type {number} */ n) =>
      Array.from({ length: n }, (_, i) => {
        const unit = frame.map.signed ? (2 * i) / (n - 1) - 1 : i / (n - 1);
        return `${signColour(frame, unit)}${hexByte(0.12 + 0.8 * Math.abs(unit))}`;
      }),
  };
}

/** @param {number} share */
const hexByte = (share) =>
  Math.round(255 * share)
    .toString(16)
    .padStart(2, '0');

/** @param {'query' | 'key'} side @param {number} index */
const spotOf = (side, index) =>
  side === 'query' ? { query: index, key: null } : { query: null, key: index };

/** @param {Frame} frame @param {'query' | 'key'} side @returns {Unit[]} */
const unitsAt = ({ map }, side) => (side === 'query' ? map.queries : map.keys);

/** @param {Unit[]} a @param {Unit[]} b */
const sameLabels = (a, b) =>
  a.length === b.length && a.every((unit, i) => unit.label === b[i].label);

/** @param {Unit} unit @param {number} index */
function wordItem(unit, index) {
  const amount = make('span', { class: 'amount', 'aria-hidden': 'true' });
  const item = make(
    'li',
    {
      role: 'option',
      tabindex: -1,
      'aria-selected': 'false',
      dataset: { index: String(index) },
      class: unit.special ? 'special' : undefined,
    },
    foreign(unit.label, { class: 'word' }),
    amount,
  );
  return { item, amount, ground: '' };
}

/** @param {HTMLElement} element @param {string} name @param {boolean} on */
function setClass(element, name, on) {
  if (element.classList.contains(name) !== on) element.classList.toggle(name, on);
}
