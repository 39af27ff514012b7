// The table of heads: figures and roles, sortable; where the page offers it, a switch per head.
import { keepFocus, make, setText } from './dom.js';
import { headLabel, headText, sortedRows } from './overview.js';
import { numberText, visible } from './text.js';

/** @typedef {import('./frame.js').Frame} Frame */
/** @typedef {import('./data.js').HeadRow} HeadRow */
/** @typedef {import('./data.js').HeadName} HeadName */
/** @typedef {(name: HeadName, off: boolean) => void} Switch */

export class HeadTableView {
  /** @param {import('./state.js').Store} store @param {Switch} [onSwitch] */
  constructor(store, onSwitch) {
    this.store = store;
    this.onSwitch = onSwitch;
    this.table = make('table', { class: 'heads' });
    this.over = make('p', { class: 'note' });
    this.element = make(
      'div',
      {},
      this.over,
      make(
        'div',
        { class: 'table-scroll', tabindex: 0, role: 'region', 'aria-label': 'Table of heads' },
        this.table,
      ),
    );
    /** @type {{row: HeadRow, line: HTMLTableRowElement}[]} */
    this.lines = [];
    this.key = '';
    /** @type {Frame | null} */
    this.frame = null;
  }

  /** @param {Frame} frame */
  draw(frame) {
    const { state } = frame;
    const key = [frame.part.where, state.step, state.sort, state.descending].join(' ');
    const before = this.frame;
    this.frame = frame;
    const same = before?.table === frame.table && before.recording === frame.recording;
    if (key !== this.key || !same) keepFocus(this.table, () => this.build(frame));
    this.key = key;
    for (const { row, line } of this.lines) {
      const chosen = row.layer === state.layer && row.head === state.head;
      line.classList.toggle('chosen', chosen);
      if (chosen) line.setAttribute('aria-current', 'true');
      else line.removeAttribute('aria-current');
    }
  }

  /** @param {Frame} frame */
  build(frame) {
    const { over } = frame.table;
    setText(this.over, over ? `Figures and roles over ${visible(over)}.` : '');
    this.over.hidden = !over;
    const rows = sortedRows(frame);
    const hasRoles = rows.some((row) => row.role);
    const columns = frame.table.columns.filter((column) =>
      rows.some((row) => Number.isFinite(row.figures[column.key])),
    );
    const head = make(
      'tr',
      {},
      this.sortHeader(frame, 'position', 'Head', 'Layer and head'),
      // Beside the name: where the figures need more room than there is, it stays in sight.
      this.onSwitch && make('th', { scope: 'col' }, 'On'),
      hasRoles && this.sortHeader(frame, 'role', 'Role', 'What the head does, by the stated rules'),
      ...columns.map((each) => this.sortHeader(frame, each.key, each.name, each.help)),
    );
    const extents = columns.map(({ key }) => extentOf(rows, key));
    this.lines = rows.map((row) => ({
      row,
      line: this.rowLine(frame, row, hasRoles, columns, extents),
    }));
    this.table.replaceChildren(
      make('caption', { class: 'hidden' }, `Heads of the part “${visible(frame.part.title)}”`),
      make('thead', {}, head),
      make('tbody', {}, ...this.lines.map(({ line }) => line)),
    );
  }

  /** @param {Frame} frame @param {string} key @param {string} name @param {string} help */
  sortHeader({ state }, key, name, help) {
    const sorted = state.sort === key;
    const order = state.descending ? 'descending' : 'ascending';
    return make(
      'th',
      { scope: 'col', 'aria-sort': sorted ? order : undefined },
      make(
        'button',
        {
          type: 'button',
          class: 'sort',
          title: help || undefined,
          dataset: { sort: key, key: `sort ${key}` },
          onclick: () =>
            this.store.set(
              sorted ? { descending: !state.descending } : { sort: key, descending: false },
            ),
        },
        visible(name),
        make(
          'span',
          { 'aria-hidden': 'true', class: 'arrow' },
          sorted ? (state.descending ? '↓' : '↑') : '',
        ),
      ),
    );
  }

  /**
   * @param {Frame} frame @param {HeadRow} row @param {boolean} hasRoles
   * @param {import('./data.js').Column[]} columns @param {[number, number][]} extents
   */
  rowLine(frame, row, hasRoles, columns, extents) {
    const off = frame.recording.isOff(row);
    const name = `Layer ${row.layer + 1}, head ${row.head + 1}`;
    return make(
      'tr',
      { class: off ? 'off' : undefined },
      make(
        'th',
        { scope: 'row' },
        make(
          'button',
          {
            type: 'button',
            class: 'link',
            dataset: { key: `show ${headText(row)}` },
            onclick: () => this.store.set({ layer: row.layer, head: row.head }),
          },
          ...headLabel(row),
        ),
      ),
      this.onSwitch &&
        make(
          'td',
          {},
          make('input', {
            type: 'checkbox',
            role: 'switch',
            'aria-label': `${name} is on`,
            dataset: { key: `switch ${headText(row)}` },
            checked: !off,
            onchange: (/** @type {Event} */ event) =>
              this.onSwitch?.(
                { part: row.part, layer: row.layer, head: row.head },
                !(/** @type {HTMLInputElement} */ (event.target).checked),
              ),
          }),
        ),
      hasRoles && make('td', { class: 'role' }, visible(row.role) || '–'),
      ...columns.map(({ key }, i) => figureCell(row.figures[key], extents[i])),
    );
  }
}

/** @param {HeadRow[]} rows @param {string} key @returns {[number, number]} */
function extentOf(rows, key) {
  const values = rows.map((row) => row.figures[key]).filter(Number.isFinite);
  return [Math.min(0, ...values), Math.max(...values)];
}

/** A number with a bar behind it, as long as its share of the column. */
/** @param {number} value @param {[number, number]} extent */
function figureCell(value, [low, high]) {
  const cell = make('td', { class: 'number' }, Number.isFinite(value) ? numberText(value) : '–');
  const share = high > low && Number.isFinite(value) ? (value - low) / (high - low) : 0;
  cell.style.setProperty('--share', `${(100 * share).toFixed(1)}%`);
  return cell;
}
