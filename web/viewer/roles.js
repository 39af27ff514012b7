// When each head became what it is: a line per head, coloured by its role from the first step of
// training to the last.
import { make } from './dom.js';
import { headLabel, headText } from './overview.js';
import { sameHead } from './data.js';
import { visible } from './text.js';

/** @typedef {import('./frame.js').Frame} Frame */
/** @typedef {import('./data.js').HeadName} HeadName */
/** @typedef {import('./data.js').Recording} Recording */
/** @typedef {{role: string, begin: number, end: number}} RoleSpan */

/**
 * Each role has its colour, whatever else there is; the style has them, too. A head without a clear
 * role stays pale.
 */
const ROLES = [
  'aligns',
  'previous word',
  'next word',
  'same word',
  'end of sentence',
  'start of sentence',
  'rare words',
];
const ROLE_COLOURS = ['accent', '#1c9a7c', '#d98a1f', '#3f8fd9', '#c4487f', '#8c6d31', '#7aa61f'];
const PALE = ['', 'mixed'];

/** @param {HeadName} name @returns {(row: HeadName) => boolean} */
const isHead = (name) => (row) => sameHead(row, name);

/**
 * The stretches of steps in which a head had one role.
 * @param {Recording} recording @param {HeadName} name @returns {RoleSpan[]}
 */
export function roleSpans(recording, name) {
  /** @type {RoleSpan[]} */
  const spans = [];
  recording.steps.forEach(({ heads }, i) => {
    const role = heads?.rows.find(isHead(name))?.role ?? '';
    const last = spans[spans.length - 1];
    if (last?.role === role) last.end = i + 1;
    else spans.push({ role, begin: i, end: i + 1 });
  });
  return spans;
}

/** @param {import('./data.js').Part} part @returns {HeadName[]} */
export const headNames = (part) =>
  Array.from({ length: part.layers * part.heads }, (_, i) => ({
    part: part.name,
    layer: Math.floor(i / part.heads),
    head: i % part.heads,
  }));

/** The roles of a recording that have a colour, in a fixed order. @param {Recording} recording */
function rolesOf(recording) {
  const rows = recording.steps.flatMap(({ heads }) => heads?.rows ?? []);
  const named = [...new Set(rows.map(({ role }) => role))].filter((role) => !PALE.includes(role));
  return [...new Set([...ROLES, ...named])].filter((role) => named.includes(role));
}

/** The class of a role: a number for its colour, or none. @param {string[]} roles */
const roleClass = (roles) => (/** @type {string} */ role) => {
  if (PALE.includes(role)) return 'kind-pale';
  const place = ROLES.indexOf(role);
  return `kind-${(place < 0 ? roles.indexOf(role) : place) % ROLE_COLOURS.length}`;
};

/** @param {string} kind @param {import('./frame.js').Colours} colours */
function roleColour(kind, colours) {
  if (kind === 'kind-pale') return colours.line;
  const colour = ROLE_COLOURS[Number(kind.slice('kind-'.length))];
  return colour === 'accent' ? colours.accent : colour;
}

export class RoleChart {
  /** @param {import('./state.js').Store} store */
  constructor(store) {
    this.store = store;
    this.element = make('div', { class: 'roles' });
    /** @type {{name: HeadName, line: HTMLElement}[]} */
    this.lines = [];
    this.key = '';
    /** @type {Recording | null} */
    this.recording = null;
  }

  /** @param {Frame} frame */
  draw(frame) {
    const { recording, part, state } = frame;
    const key = `${part.name} ${part.layers} ${part.heads}`;
    if (key !== this.key || recording !== this.recording) this.build(frame);
    this.key = key;
    this.recording = recording;
    const share = (state.step + 0.5) / recording.steps.length;
    this.element.style.setProperty('--now', `${(100 * share).toFixed(2)}%`);
    for (const { name, line } of this.lines) {
      const chosen = state.layer === name.layer && state.head === name.head;
      line.classList.toggle('chosen', chosen);
      if (chosen) line.setAttribute('aria-current', 'true');
      else line.removeAttribute('aria-current');
    }
  }

  /** @param {Frame} frame */
  build({ recording, part, table }) {
    const roles = rolesOf(recording);
    const kind = roleClass(roles);
    this.lines = headNames(part).map((name) => ({
      name,
      line: this.line(recording, name, kind),
    }));
    const known = recording.steps.some(({ heads }) =>
      heads?.rows.some((row) => row.part === part.name && row.role),
    );
    this.element.hidden = !known;
    this.element.replaceChildren(
      make('h3', {}, 'When each head became what it is'),
      make(
        'p',
        { class: 'note' },
        'Each line is a head, from the first step on the left to the last.',
        table.over && ` Roles are those over ${visible(table.over)}.`,
      ),
      make(
        'p',
        { class: 'role-legend', 'aria-hidden': 'true' },
        ...[...roles, 'mixed'].map((role) =>
          make('span', {}, make('i', { class: kind(role) }), visible(role)),
        ),
      ),
      make('ul', {}, ...this.lines.map(({ line }) => line)),
    );
  }

  /**
   * @param {Recording} recording @param {HeadName} name @param {(role: string) => string} kind
   */
  line(recording, name, kind) {
    const spans = roleSpans(recording, name);
    const last = spans[spans.length - 1];
    const { layer, head } = name;
    const bar = make('span', {
      class: 'bar',
      role: 'img',
      'aria-label': courseText(recording, spans),
    });
    for (const { role, begin, end } of spans) {
      const piece = make('i', { class: kind(role), title: visible(role) });
      piece.style.flexGrow = String(end - begin);
      bar.append(piece);
    }
    const choose = make(
      'button',
      { type: 'button', class: 'link', onclick: () => this.store.set({ layer, head }) },
      ...headLabel(name),
    );
    const since =
      last.begin === 0
        ? 'from the start'
        : make(
            'button',
            {
              type: 'button',
              class: 'link',
              title: 'Go to this step',
              onclick: () => this.store.set({ layer, head, step: last.begin }),
            },
            `since step ${recording.steps[last.begin].label}`,
          );
    return make('li', {}, choose, bar, make('span', {}, `${visible(last.role) || '–'} `, since));
  }
}

/** The roles of a head in words. @param {Recording} recording @param {RoleSpan[]} spans */
function courseText({ steps }, spans) {
  return spans
    .map(({ role, begin }) => `${visible(role) || 'no role'} from step ${steps[begin].label}`)
    .join(', ');
}

export const ROLE_LINE = 18;

/**
 * The same as part of a picture.
 * @param {import('./svg.js').SvgDrawing} drawing @param {number} x @param {number} y
 * @param {number} width @param {Frame} frame
 */
export function drawRoles(drawing, x, y, width, { recording, part, state, colours }) {
  const kind = roleClass(rolesOf(recording));
  const [left, right] = [40, 230];
  const unit = (width - left - right) / recording.steps.length;
  headNames(part).forEach((name, i) => {
    const spans = roleSpans(recording, name);
    const last = spans[spans.length - 1];
    const top = y + i * ROLE_LINE;
    const chosen = state.layer === name.layer && state.head === name.head;
    const look = { 'font-size': 11, 'font-weight': chosen ? 650 : undefined };
    drawing.text(x, top + 10, headText(name), look);
    for (const { role, begin, end } of spans) {
      drawing.add('rect', {
        x: x + left + begin * unit,
        y: top,
        width: (end - begin) * unit,
        height: 11,
        fill: roleColour(kind(role), colours),
      });
    }
    const since =
      last.begin === 0 ? 'from the start' : `since step ${recording.steps[last.begin].label}`;
    drawing.text(x + width - right + 10, top + 10, `${last.role || '–'} ${since}`, look);
  });
}
