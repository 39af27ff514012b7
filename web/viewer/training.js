// Attention over training time: a slider, a play button, the course of a figure of every head, and
// the roles of every head.
import { make, makeSvg, setText, icon } from './dom.js';
import { SvgDrawing } from './svg.js';
import { sameHead } from './data.js';
import { ROLE_LINE, RoleChart, drawRoles, headNames } from './roles.js';
import { numberText, visible } from './text.js';

/** @typedef {import('./frame.js').Frame} Frame */
/** @typedef {import('./data.js').HeadName} HeadName */
/** @typedef {import('./data.js').Recording} Recording */

const PLAY = 'M4 2.5v11l9-5.5z';
const PAUSE = 'M4 2.5h3v11H4zM9 2.5h3v11H9z';
const FRAME_TIME = 700;
/** Narrow screens get a narrower chart, so that its labels stay as large as they are. */
const NARROWEST = 300;
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
    this.roles = new RoleChart(store);
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
      this.roles.element,
    );
    this.showButton();
  }

  toggle() {
    if (this.playing) {
      clearInterval(this.playing);
      this.playing = 0;
    } else {
      const steps = this.steps();
      if (this.store.state.step >= steps[steps.length - 1]) this.store.set({ step: steps[0] });
      this.playing = window.setInterval(() => this.advance(), FRAME_TIME);
    }
    this.showButton();
  }

  /** Where the sentence that is shown was seen. */
  steps() {
    const { store, frame } = this;
    return frame ? frame.recording.stepsOf(store.state.sentence) : [0];
  }

  advance() {
    const later = this.steps().filter((step) => step > this.store.state.step);
    if (later.length) this.store.set({ step: later[0] });
    if (later.length <= 1) this.toggle();
  }

  showButton() {
    this.button.replaceChildren(icon(this.playing ? PAUSE : PLAY));
    this.button.setAttribute('aria-label', this.playing ? 'Pause' : 'Play');
  }

  /** @param {Frame} frame */
  draw(frame) {
    this.frame = frame;
    const { state } = frame;
    const steps = this.steps();
    this.slider.min = String(steps[0]);
    this.slider.max = String(steps[steps.length - 1]);
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
    const space = Math.max(this.chart.clientWidth, NARROWEST);
    this.chart.replaceChildren(chartElement(frame, Math.min(space, CHART.width)));
    this.roles.draw(frame);
  }

  /** @param {Frame} frame @returns {string} */
  svg(frame) {
    const { width, height } = CHART;
    const names = headNames(frame.part);
    const below = height + 70;
    const drawing = new SvgDrawing(
      width + 40,
      below + names.length * ROLE_LINE + 30,
      frame.colours,
    );
    drawing.text(20, 30, `${frame.part.title}, ${columnName(frame)} over training`, {
      'font-size': 17,
      'font-weight': 600,
    });
    for (const shape of chartShapes(frame, width)) {
      const moved = { transform: 'translate(20 50)', ...shape.attributes };
      if (shape.text === undefined) drawing.add(shape.tag, moved);
      else drawing.text(Number(shape.attributes.x), Number(shape.attributes.y), shape.text, moved);
    }
    drawRoles(drawing, 20, below + 10, width, frame);
    return drawing.document(`${frame.part.title}: ${columnName(frame)} over training`);
  }
}

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

/** @param {Frame} frame @param {number} width @returns {ChartShape[]} */
function chartShapes(frame, width) {
  const { recording, part, state, colours } = frame;
  const { height, left, right, top, bottom } = CHART;
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

/** @param {Frame} frame @param {number} width */
function chartElement(frame, width) {
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
      viewBox: `0 0 ${width} ${CHART.height}`,
      role: 'img',
      'aria-label': all + chosen,
    },
    ...chartShapes(frame, width).map(({ tag, attributes, text }) => makeSvg(tag, attributes, text)),
  );
}
