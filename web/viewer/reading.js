// The same in words and as a table: a line that says what is lit, notes on the rules that apply,
// and a table for screen readers and for copying.
import { foreign, make } from './dom.js';
import { choiceText, headRow, kindText, valueAt } from './frame.js';
import { hasSpecial } from './controls.js';
import { strongest } from './shown.js';
import { numberText, visible } from './text.js';

/** @typedef {import('./frame.js').Frame} Frame */

const NAMED = 5;
/** A table with more cells lists the strongest keys of each query instead. */
const MOST_CELLS = 2500;

/** Says what is under the pointer, or what the head is. */
export class Readout {
  constructor() {
    this.element = make('p', {
      class: 'readout',
      id: 'readout',
      role: 'status',
      'aria-live': 'polite',
    });
  }

  /** @param {Frame} frame */
  draw(frame) {
    const { lit, map } = frame;
    if (!map.queries.length || !map.keys.length) {
      this.element.replaceChildren('There is no token to show.');
    } else if (lit.query !== null && lit.key !== null) {
      this.element.replaceChildren(
        word(map.queries[lit.query]),
        ' → ',
        word(map.keys[lit.key]),
        ' ',
        make('strong', { class: 'value' }, numberText(valueAt(frame, lit.query, lit.key))),
        ` ${kindText(frame.state).toLowerCase()}`,
      );
    } else if (lit.query !== null) {
      this.element.replaceChildren(
        word(map.queries[lit.query]),
        ' attends to ',
        ...listed(frame, 'query', lit.query),
      );
    } else if (lit.key !== null) {
      this.element.replaceChildren(
        word(map.keys[lit.key]),
        ' is attended to by ',
        ...listed(frame, 'key', lit.key),
      );
    } else {
      this.element.replaceChildren(...headWords(frame));
    }
  }
}

/** @param {import('./shown.js').Unit} unit */
const word = (unit) => foreign(unit.label, { class: 'quoted' });

/** @param {Frame} frame @param {'query' | 'key'} axis @param {number} index */
function listed({ map }, axis, index) {
  const found = strongest(map, axis, index, NAMED);
  if (!found.length) return ['nothing that is shown'];
  return found.flatMap(({ other, value }, i) => [
    i ? ', ' : '',
    word((axis === 'query' ? map.keys : map.queries)[other]),
    ' ',
    make('strong', { class: 'value' }, numberText(value)),
  ]);
}

/** @param {Frame} frame @returns {(Node | string)[]} */
function headWords(frame) {
  const name = choiceText(frame.state);
  const row = headRow(frame);
  const sentence = [
    make('strong', {}, `${visible(frame.part.title)}, ${name}`),
    row?.role ? ` · ${visible(row.role)}` : '',
  ];
  for (const { key, name: figure } of frame.table.columns.slice(0, 4)) {
    const value = row?.figures[key];
    if (value !== undefined && Number.isFinite(value)) {
      sentence.push(` · ${visible(figure).toLowerCase()} ${numberText(value)}`);
    }
  }
  return sentence;
}

/** The rules that shape what is shown. @param {Frame} frame */
export function notesOf(frame) {
  const { state } = frame;
  const notes = [];
  if (state.layer === null || state.head === null) {
    notes.push('The mean of heads hides what single heads do.');
  }
  const joined = [...frame.map.queries, ...frame.map.keys].some(
    ({ begin, end }) => end > begin + 1,
  );
  if (joined) {
    notes.push(
      'Words: the values of a key’s pieces are added, those of a query’s pieces averaged.',
    );
  }
  if (!state.special && hasSpecial(frame)) {
    notes.push(
      state.kind === 'weights'
        ? 'Special tokens are hidden, and each row is renormalised to sum to 1.'
        : 'Special tokens are hidden.',
    );
  }
  if (frame.recording.off.length) {
    notes.push(
      `Switched off: ${frame.recording.off
        .map(({ part, layer, head }) => `${visible(part)} ${layer + 1}·${head + 1}`)
        .join(', ')}.`,
    );
  }
  return notes;
}

/** The map as a table, made when it is opened. */
export class TextTable {
  constructor() {
    this.holder = make('div', {
      class: 'table-scroll',
      tabindex: 0,
      role: 'region',
      'aria-label': 'The map as a table',
    });
    this.element = make(
      'details',
      { class: 'as-table', ontoggle: () => this.fill() },
      make('summary', {}, 'The map as a table'),
      this.holder,
    );
  }

  /** @param {Frame} frame */
  draw(frame) {
    const same = this.frame?.mapKey === frame.mapKey && this.frame.recording === frame.recording;
    this.frame = frame;
    if (!same) this.fill();
  }

  fill() {
    if (!this.element.open || !this.frame) return;
    const whole = this.frame.map.values.length <= MOST_CELLS;
    this.holder.replaceChildren(whole ? wholeTable(this.frame) : strongestTable(this.frame));
  }
}

/** @param {Frame} frame */
function caption(frame) {
  return make(
    'caption',
    {},
    `${kindText(frame.state)} by query (row) and key (column): ` +
      `${visible(frame.part.title)}, ${choiceText(frame.state)}`,
  );
}

/** @param {Frame} frame */
function wholeTable(frame) {
  const { map } = frame;
  return make(
    'table',
    { class: 'values' },
    caption(frame),
    make(
      'thead',
      {},
      make(
        'tr',
        {},
        make('td', {}),
        ...map.keys.map((key) => make('th', { scope: 'col' }, foreign(key.label))),
      ),
    ),
    make(
      'tbody',
      {},
      ...map.queries.map((query, q) =>
        make(
          'tr',
          {},
          make('th', { scope: 'row' }, foreign(query.label)),
          ...map.keys.map((_, k) =>
            make('td', { class: 'number' }, numberText(valueAt(frame, q, k))),
          ),
        ),
      ),
    ),
  );
}

/** @param {Frame} frame */
function strongestTable(frame) {
  const { map } = frame;
  return make(
    'table',
    { class: 'values' },
    caption(frame),
    make(
      'thead',
      {},
      make(
        'tr',
        {},
        make('th', { scope: 'col' }, 'Query'),
        make('th', { scope: 'col' }, `Its ${NAMED} strongest keys`),
      ),
    ),
    make(
      'tbody',
      {},
      ...map.queries.map((query, q) =>
        make(
          'tr',
          {},
          make('th', { scope: 'row' }, foreign(query.label)),
          make('td', {}, ...listed(frame, 'query', q)),
        ),
      ),
    ),
  );
}
