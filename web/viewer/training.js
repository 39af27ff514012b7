// Attention over training time: a slider, a play button, the course of a figure of every head, and
// since when each head has had the role it has now.
import { make, makeSvg, setText, icon } from './dom.js';
import { SvgDrawing } from './svg.js';
import { headLabel } from './overview.js';
import { sameHead } from './data.js';
import { numberText, visible } from './text.js';

/** @typedef {import('./frame.js').Frame} Frame */
/** @typedef {import('./data.js').HeadName} HeadName */
/** @typedef {import('./data.js').Recording} Recording */

const PLAY = 'M4 2.5v11l9-5.5z';
const PAUSE = 'M4 2.5h3v11H4zM9 2.5h3v11H9z';
const FRAME_TIME = 700;
const CHART = { width: 640, height: 220, left: 52, right: 16, top: 14, bottom: 30 };

/**
 * The course of a figure of one head: a value per step, NaN where it is not known.
 * @param {Recording} recording @param {HeadName} name @param {string} key
 */
export function courseOf(recording, name, key) {
  return recording.steps.map(
    ({ heads }) => heads?.rows.find((row) => sameHead(row, name))?.figures[key] ?? NaN,
  );
}

/**
 * The stretches of steps in which a head had one role.
 * @param {Recording} recording @param {HeadName} name
 */
export function roleSpans(recording, name) {
  /** @type {{role: string, begin: number, end: number}[]} */
  const spans = [];
  recording.steps.forEach(({ heads }, i) => {
    const role = heads?.rows.find((row) => sameHead(row, name))?.role ?? '';
    const last = spans[spans.length - 1];
    if (last?.role === role) last.end = i + 1;
    else spans.push({ role, begin: i, end: i + 1 });
  });
  return spans;
}

export class TrainingView {
  /** @param {import('./state.js').Store} store */
  constructor(store) {
    this.store = store;
    this.playing = 0;
    this.options = '';
    this.button = make('button', { type: 'button', class: 'play', onclick: () => this.toggle() });
    this.slider = make('input', {
      type: 'range',
      min: 0,
      step: 1,
      'aria-label': 'Step of training',
      oninput: () => this.store.set({ step: Number(this.slider.value) }),
    });
    this.output = make('output', { class: 'step' });
    this.chooser = make('select', {
      id: 'chart-figure',
      onchange: () => this.store.set({ chart: this.chooser.value }),
    });
    this.chart = make('div', { class: 'chart' });
    this.roles = make('div', { class: 'roles' });
    this.player = make('div', { class: 'player' }, this.button, this.slider, this.output);
    this.element = make(
      'div',
      { class: 'training' },
      make(
        'div',
        { class: 'field' },
        make('label', { for: 'chart-figure' }, 'Figure'),
        this.chooser,
      ),
      this.chart,
      this.roles,
    );
    this.showButton();
  }

  toggle() {
    if (this.playing) {
      clearInterval(this.playing);
      this.playing = 0;
    } else {
      const last = this.frame ? this.frame.recording.steps.length - 1 : 0;
      if (this.store.state.step >= last) this.store.set({ step: 0 });
      this.playing = window.setInterval(() => this.advance(last), FRAME_TIME);
    }
    this.showButton();
  }

  /** @param {number} last */
  advance(last) {
    const next = this.store.state.step + 1;
    this.store.set({ step: Math.min(next, last) });
    if (next >= last) this.toggle();
  }

  showButton() {
    this.button.replaceChildren(icon(this.playing ? PAUSE : PLAY));
    this.button.setAttribute('aria-label', this.playing ? 'Pause' : 'Play');
  }

  /** @param {Frame} frame */
  draw(frame) {
    this.frame = frame;
    const { recording, state } = frame;
    this.slider.max = String(recording.steps.length - 1);
    this.slider.value = String(state.step);
    this.slider.setAttribute('aria-valuetext', `Step ${frame.step.label}`);
    setText(this.output, `step ${frame.step.label}`);
    const options = frame.table.columns.map(({ key, name }) => `${key}\n${name}`).join('\n');
    if (options !== this.options) {
      this.options = options;
      this.chooser.replaceChildren(
        ...frame.table.columns.map(({ key, name }) =>
          make('option', { value: key }, visible(name)),
        ),
      );
    }
    this.chooser.value = chartKey(frame);
    this.chart.replaceChildren(chartElement(frame));
    this.roles.replaceChildren(...this.roleLines(frame));
  }

  /** @param {Frame} frame */
  roleLines(frame) {
    const { recording, part, state } = frame;
    const names = recording.steps
      .flatMap(({ heads }) => heads?.rows ?? [])
      .filter((row) => row.part === part.name)
      .map((row) => row.role)
      .filter(Boolean);
    const kinds = [...new Set(names)];
    if (!kinds.length) return [];
    const lines = headNames(part).map((name) => {
      const spans = roleSpans(recording, name);
      const last = spans[spans.length - 1];
      const bar = make('span', { class: 'bar', 'aria-hidden': 'true' });
      for (const span of spans) {
        const piece = make('i', {
          class: `kind-${kinds.indexOf(span.role) % 6}`,
          title: visible(span.role),
        });
        piece.style.flexGrow = String(span.end - span.begin);
        bar.append(piece);
      }
      const since =
        last.begin === 0 ? 'from the start' : `since step ${recording.steps[last.begin].label}`;
      const chosen = state.layer === name.layer && state.head === name.head;
      return make(
        'li',
        { class: chosen ? 'chosen' : undefined },
        make(
          'button',
          {
            type: 'button',
            class: 'link',
            onclick: () => this.store.set({ layer: name.layer, head: name.head }),
          },
          ...headLabel(name),
        ),
        bar,
        make('span', {}, `${visible(last.role) || '–'} ${since}`),
      );
    });
    return [make('h3', {}, 'When each head became what it is'), make('ul', {}, ...lines)];
  }

  /** @param {Frame} frame @returns {string} */
  svg(frame) {
    const { width, height } = CHART;
    const drawing = new SvgDrawing(width + 40, height + 70, frame.colours);
    drawing.text(20, 30, `${frame.part.title}, ${columnName(frame)} over training`, {
      'font-size': 17,
      'font-weight': 600,
    });
    for (const shape of chartShapes(frame)) {
      const moved = { transform: 'translate(20 50)', ...shape.attributes };
      if (shape.text === undefined) drawing.add(shape.tag, moved);
      else drawing.text(Number(shape.attributes.x), Number(shape.attributes.y), shape.text, moved);
    }
    return drawing.document(`${frame.part.title}: ${columnName(frame)} over training`);
  }
}

/** @param {import('./data.js').Part} part @returns {HeadName[]} */
const headNames = (part) =>
  Array.from({ length: part.layers * part.heads }, (_, i) => ({
    part: part.name,
    layer: Math.floor(i / part.heads),
    head: i % part.heads,
  }));

/** @param {Frame} frame */
function chartKey({ table, state }) {
  const known = table.columns.some(({ key }) => key === state.chart);
  return known ? state.chart : (table.columns[0]?.key ?? '');
}

/** @param {Frame} frame */
const columnName = (frame) =>
  frame.table.columns.find(({ key }) => key === chartKey(frame))?.name.toLowerCase() ?? '';

/** The same shapes make the chart on the page and in the file. */
/**
 * @typedef {{tag: string, attributes: Record<string, string | number>, text?: string}} ChartShape
 */

/** @param {Frame} frame @returns {ChartShape[]} */
function chartShapes(frame) {
  const { recording, part, state, colours } = frame;
  const { width, height, left, right, top, bottom } = CHART;
  const courses = headNames(part).map((name) => ({
    name,
    values: courseOf(recording, name, chartKey(frame)),
  }));
  const known = courses.flatMap(({ values }) => values).filter(Number.isFinite);
  const [low, high] = [Math.min(0, ...known), Math.max(...known, 1e-9)];
  const steps = recording.steps.map(({ step }) => step);
  const span = steps[steps.length - 1] - steps[0] || 1;
  const x = (/** @type {number} */ i) =>
    left + ((steps[i] - steps[0]) / span) * (width - left - right);
  const y = (/** @type {number} */ value) =>
    height - bottom - ((value - low) / (high - low || 1)) * (height - top - bottom);
  /** @type {ChartShape[]} */
  const shapes = [];
  for (const value of [low, (low + high) / 2, high]) {
    shapes.push({
      tag: 'line',
      attributes: { x1: left, x2: width - right, y1: y(value), y2: y(value), stroke: colours.line },
    });
    shapes.push({
      tag: 'text',
      attributes: {
        x: left - 8,
        y: y(value) + 4,
        'font-size': 11,
        'text-anchor': 'end',
        fill: colours.quiet,
      },
      text: numberText(value),
    });
  }
  for (const [i, anchor] of /** @type {[number, string][]} */ ([
    [0, 'start'],
    [steps.length - 1, 'end'],
  ])) {
    shapes.push({
      tag: 'text',
      attributes: {
        x: x(i),
        y: height - 8,
        'font-size': 11,
        'text-anchor': anchor,
        fill: colours.quiet,
      },
      text: `step ${recording.steps[i].label}`,
    });
  }
  shapes.push({
    tag: 'line',
    attributes: {
      x1: x(state.step),
      x2: x(state.step),
      y1: top,
      y2: height - bottom,
      stroke: colours.quiet,
      'stroke-dasharray': '3 3',
    },
  });
  const isChosen = (/** @type {HeadName} */ name) =>
    state.layer === name.layer && state.head === name.head;
  courses.sort((a, b) => Number(isChosen(a.name)) - Number(isChosen(b.name)));
  for (const { name, values } of courses) {
    const chosen = isChosen(name);
    const points = values
      .map((value, i) =>
        Number.isFinite(value) ? `${x(i).toFixed(1)},${y(value).toFixed(1)}` : '',
      )
      .filter(Boolean);
    shapes.push({
      tag: 'polyline',
      attributes: {
        points: points.join(' '),
        fill: 'none',
        stroke: chosen ? colours.accent : colours.quiet,
        'stroke-width': chosen ? 2.5 : 1,
        'stroke-opacity': chosen ? 1 : 0.35,
        'stroke-linejoin': 'round',
      },
    });
    if (chosen && Number.isFinite(values[state.step])) {
      shapes.push({
        tag: 'circle',
        attributes: { cx: x(state.step), cy: y(values[state.step]), r: 4, fill: colours.accent },
      });
    }
  }
  return shapes;
}

/** @param {Frame} frame */
function chartElement(frame) {
  const { state, recording } = frame;
  const values =
    state.layer === null || state.head === null
      ? []
      : courseOf(
          recording,
          { part: frame.part.name, layer: state.layer, head: state.head },
          chartKey(frame),
        );
  const spoken = values
    .map((value, i) => `${recording.steps[i].label}: ${numberText(value)}`)
    .join(', ');
  const all = `${columnName(frame)} of every head over training.`;
  const chosen = spoken && ` The chosen head, by step: ${spoken}.`;
  return makeSvg(
    'svg',
    {
      viewBox: `0 0 ${CHART.width} ${CHART.height}`,
      role: 'img',
      'aria-label': all + chosen,
    },
    ...chartShapes(frame).map(({ tag, attributes, text }) => makeSvg(tag, attributes, text)),
  );
}
