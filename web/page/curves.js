// A chart of one or more curves over steps, as SVG; the pointer or the arrow keys read values off.
import { make, makeSvg, setText } from '../viewer/dom.js';
import { numberText } from '../viewer/text.js';

/** @typedef {{step: number, value: number}} Point */
/** @typedef {{name: string, points: Point[], best?: Point}} Curve */
/** @typedef {{title: string, help: string, curves: Curve[]}} Figure */

const HEIGHT = 240;
const NARROWEST = 280;
const EDGE = { left: 56, right: 26, top: 12, bottom: 28 };
const TICKS = 5;

/** Round numbers between two bounds. @param {number} low @param {number} high */
export function ticksOf(low, high) {
  const raw = (high - low) / TICKS;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= raw) ?? raw;
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, i) => (first + i) * step);
}

/** The bounds of some values, never empty. @param {number[]} values @returns {[number, number]} */
export function boundsOf(values) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (high > low) return [low, high];
  const room = Math.abs(low) / 10 || 1;
  return [low - room, low + room];
}

/** The point nearest to a step. @param {Point[]} points @param {number} step */
export const nearestPoint = (points, step) =>
  points.reduce((best, each) =>
    Math.abs(each.step - step) < Math.abs(best.step - step) ? each : best,
  );

export class Chart {
  /** @param {Figure} figure */
  constructor(figure) {
    this.figure = figure;
    this.steps = [...new Set(figure.curves.flatMap(({ points }) => points.map((p) => p.step)))];
    this.steps.sort((a, b) => a - b);
    /** Which of the steps is read off. @type {number | null} */
    this.at = null;
    /** Where steps and values stand. @type {(value: number) => number} */
    this.x = () => 0;
    /** @type {(value: number) => number} */
    this.y = () => 0;
    this.reading = make('p', { class: 'reading', 'aria-live': 'polite' });
    this.place = make('div', {
      class: 'curves',
      tabindex: 0,
      role: 'img',
      'aria-label': this.spoken(),
      onpointermove: (/** @type {PointerEvent} */ event) => this.point(event),
      onpointerleave: () => this.read(null),
      onblur: () => this.read(null),
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.onKey(event),
    });
    this.element = make(
      'figure',
      { class: 'chart-figure' },
      make(
        'figcaption',
        {},
        make('h2', {}, figure.title),
        make('p', { class: 'note' }, figure.help),
      ),
      this.legend(),
      this.place,
      this.reading,
    );
  }

  legend() {
    const { curves } = this.figure;
    return make(
      'p',
      { class: 'curve-legend', hidden: curves.length < 2 },
      ...curves.map(({ name }, i) =>
        make('span', {}, make('i', { class: `curve-key curve-${i}` }), name),
      ),
    );
  }

  /** The curves in words. */
  spoken() {
    const parts = this.figure.curves.map(({ name, points }) => {
      const [first, last] = [points[0], points[points.length - 1]];
      return `${name}: ${numberText(first.value)} at step ${first.step}, \
${numberText(last.value)} at step ${last.step}`;
    });
    return `${this.figure.title} over training. ${parts.join('. ')}.`;
  }

  draw() {
    const width = Math.max(this.place.clientWidth, NARROWEST);
    const { curves } = this.figure;
    const values = curves.flatMap(({ points }) => points.map(({ value }) => value));
    const [low, high] = boundsOf(values);
    const [first, last] = boundsOf(this.steps);
    const x = (/** @type {number} */ step) =>
      EDGE.left + ((step - first) / (last - first)) * (width - EDGE.left - EDGE.right);
    const y = (/** @type {number} */ value) =>
      HEIGHT - EDGE.bottom - ((value - low) / (high - low)) * (HEIGHT - EDGE.top - EDGE.bottom);
    [this.x, this.y] = [x, y];
    this.cursor = makeSvg('g', {});
    this.place.replaceChildren(
      makeSvg(
        'svg',
        { viewBox: `0 0 ${width} ${HEIGHT}`, 'aria-hidden': 'true' },
        ...rowTicks(low, high, y, width),
        ...ticksOf(first, last).map((step) => columnTick(step, x(step))),
        ...curves.map((curve, i) => this.line(curve, i)),
        this.cursor,
      ),
    );
    this.drawCursor();
  }

  /** @param {Curve} curve @param {number} i */
  line({ points }, i) {
    const { x, y } = this;
    const list = points.map(({ step, value }) => `${x(step).toFixed(1)},${y(value).toFixed(1)}`);
    return makeSvg('polyline', { class: `curve curve-${i}`, points: list.join(' ') });
  }

  drawCursor() {
    if (!this.cursor) return;
    if (this.at === null) {
      this.cursor.replaceChildren();
      return;
    }
    const step = this.steps[this.at];
    const { x, y } = this;
    const at = x(step);
    this.cursor.replaceChildren(
      makeSvg('line', {
        class: 'cursor',
        x1: at,
        x2: at,
        y1: EDGE.top,
        y2: HEIGHT - EDGE.bottom,
      }),
      ...this.figure.curves.map(({ points }, i) => {
        const point = nearestPoint(points, step);
        const [cx, cy] = [x(point.step), y(point.value)];
        return makeSvg('circle', { class: `dot curve-${i}`, cx, cy, r: 4 });
      }),
    );
  }

  /** @param {number | null} at */
  read(at) {
    this.at = at;
    this.drawCursor();
    if (at === null) {
      setText(this.reading, '');
      return;
    }
    const step = this.steps[at];
    const parts = this.figure.curves.map(({ name, points }) => {
      const nearest = nearestPoint(points, step);
      const where = nearest.step === step ? '' : ` (step ${nearest.step.toLocaleString('en')})`;
      return `${name} ${numberText(nearest.value)}${where}`;
    });
    setText(this.reading, `Step ${step.toLocaleString('en')}: ${parts.join(', ')}`);
  }

  /** @param {PointerEvent} event */
  point({ clientX }) {
    const { x } = this;
    const box = this.place.getBoundingClientRect();
    const at = ((clientX - box.left) / box.width) * Math.max(box.width, NARROWEST);
    const distance = (/** @type {number} */ i) => Math.abs(x(this.steps[i]) - at);
    this.read(
      [...this.steps.keys()].reduce((best, i) => (distance(i) < distance(best) ? i : best)),
    );
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const last = this.steps.length - 1;
    const now = this.at ?? last;
    const next = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: last };
    if (!(event.key in next)) return;
    event.preventDefault();
    this.read(Math.max(0, Math.min(last, next[/** @type {keyof next} */ (event.key)])));
  }
}

/**
 * Lines for round values, all written with as many digits as they differ in.
 * @param {number} low @param {number} high @param {(value: number) => number} y
 * @param {number} width
 */
function rowTicks(low, high, y, width) {
  const values = ticksOf(low, high);
  const step = values.length > 1 ? values[1] - values[0] : 1;
  const digits = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
  const text = (/** @type {number} */ value) =>
    digits > 3 ? numberText(value) : value.toFixed(digits).replace('-', '−');
  return values.flatMap((value) => [
    makeSvg('line', {
      class: 'grid',
      x1: EDGE.left,
      x2: width - EDGE.right,
      y1: y(value),
      y2: y(value),
    }),
    makeSvg(
      'text',
      { class: 'tick', x: EDGE.left - 8, y: y(value) + 4, 'text-anchor': 'end' },
      text(value),
    ),
  ]);
}

/** @param {number} step @param {number} x */
const columnTick = (step, x) =>
  makeSvg(
    'text',
    { class: 'tick', x, y: HEIGHT - 8, 'text-anchor': 'middle' },
    step.toLocaleString('en'),
  );
