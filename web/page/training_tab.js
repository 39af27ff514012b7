// The tab with the curves of a model's training, from the log in its folder.
import { make } from '../viewer/dom.js';
import { visible } from '../viewer/text.js';
import { Chart } from './curves.js';
import { isAbort, wordsOf } from './failure.js';
import { Notice } from './parts.js';

/** @typedef {import('./page.js').Page} Page */
/** @typedef {import('./curves.js').Figure} Figure */
/** @typedef {import('./curves.js').Curve} Curve */

/** Scores of validations: the higher, the better. */
const SCORES = /** @type {[string, string][]} */ ([
  ['bleu', 'BLEU'],
  ['chrf', 'chrF'],
  ['accuracy', 'Accuracy'],
  ['f1', 'F1'],
]);

/** @param {string} name @param {any[]} rows @param {string} key @returns {Curve[]} */
function curveOf(name, rows, key) {
  const points = rows
    .filter((row) => Number.isFinite(row[key]))
    .map((row) => ({ step: row.step, value: row[key] }));
  return points.length ? [{ name, points }] : [];
}

/** The figures of a training log. @param {any} log @returns {Figure[]} */
export function figuresOf({ steps = [], validations = [] }) {
  const scores = SCORES.flatMap(([key, name]) => curveOf(name, validations, key));
  const figures = [
    {
      title: 'Cross-entropy',
      help: 'Per token, in nats; lower is better. Validation should fall with training.',
      curves: [
        ...curveOf('training', steps, 'cross-entropy'),
        ...curveOf('validation', validations, 'cross-entropy'),
      ],
    },
    {
      title: 'Perplexity',
      help: 'Between how many tokens the model wavers, on the validation set.',
      curves: curveOf('validation', validations, 'perplexity'),
    },
    {
      title: scores.map(({ name }) => name).join(' and '),
      help: 'Of the translated validation set; higher is better.',
      curves: scores,
    },
    {
      title: 'Learning rate',
      help: 'How far a step goes.',
      curves: curveOf('learning rate', steps, 'learning-rate'),
    },
  ];
  return figures.filter(({ curves }) => curves.length);
}

export class TrainingTab {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    /** @type {Chart[]} */
    this.charts = [];
    /** @type {AbortController | null} */
    this.asking = null;
    this.models = make('select', { id: 'training-model', onchange: () => this.look() });
    this.chooser = make(
      'div',
      { class: 'field', hidden: true },
      make('label', { for: 'training-model' }, 'Model'),
      this.models,
    );
    this.notice = new Notice();
    this.words = make('p', { class: 'note' });
    this.place = make('div', { class: 'chart-grid' });
    this.element = make(
      'section',
      { class: 'card', 'aria-label': 'Training' },
      this.chooser,
      this.notice.element,
      this.words,
      this.place,
    );
    window.addEventListener('resize', () => this.draw());
  }

  async start() {
    try {
      const models = (await this.page.api.models()).filter((each) => each['has-curves']);
      const chosen = this.models.value;
      this.models.replaceChildren(
        ...models.map(({ name }) => make('option', { value: name }, visible(name))),
      );
      const { from, to } = this.page.store.state;
      const wanted =
        models.find((each) => each.name === chosen) ??
        models.find(({ source, target }) => source === from && target === to) ??
        models[0];
      this.chooser.hidden = !wanted;
      if (!wanted) {
        this.show({});
        return;
      }
      this.models.value = wanted.name;
      await this.look();
    } catch (error) {
      this.notice.show(wordsOf(error));
    }
  }

  async look() {
    this.asking?.abort();
    this.asking = new AbortController();
    this.notice.show('');
    try {
      this.show(await this.page.api.training(this.models.value, this.asking.signal));
    } catch (error) {
      if (isAbort(error)) return;
      this.show({});
      this.notice.show(wordsOf(error));
    }
  }

  /** @param {any} log */
  show(log) {
    const figures = figuresOf(log);
    this.words.textContent = figures.length
      ? ''
      : 'None of the models has a training log in its folder.';
    this.words.hidden = figures.length > 0;
    this.charts = figures.map((figure) => new Chart(figure));
    this.place.replaceChildren(...this.charts.map(({ element }) => element));
    this.draw();
  }

  draw() {
    if (this.element.offsetParent) for (const chart of this.charts) chart.draw();
  }
}
