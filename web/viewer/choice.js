// From what the user asks for to what a recording can show.
import { hasWords } from './controls.js';
import { bestHead, columnsOf } from './figures.js';

/** @typedef {import('./data.js').Recording} Recording */
/** @typedef {import('./state.js').State} State */

/**
 * The part of that name, or the last.
 * @param {import('./data.js').Sentence} sentence @param {string} name
 */
function partOf({ parts }, name) {
  return parts.find((each) => each.name === name) ?? parts[parts.length - 1];
}

/** @param {number} wanted @param {number[]} values the first of those that are equally near */
const nearest = (wanted, values) =>
  values.reduce((best, each) => (Math.abs(each - wanted) < Math.abs(best - wanted) ? each : best));

/**
 * What a state names, or the nearest that exists.
 * @param {Recording} recording @param {State} state
 */
export function chosen(recording, state) {
  const { steps, sentences } = recording;
  const index = nearest(state.sentence, [...Object.keys(sentences)].map(Number));
  const at = nearest(state.step, recording.stepsOf(index));
  const step = steps[at];
  const sentence = step.sentences[index] ?? sentences[index];
  const part = partOf(sentence, state.part);
  const kind = part.blocks.has(state.kind) ? state.kind : /** @type {const} */ ('weights');
  return { at, step, index, sentence, part, kind };
}

/** Whether all that a state shows is unpacked. @param {Recording} recording @param {State} state */
export function isLoaded(recording, state) {
  const { part, kind } = chosen(recording, state);
  return part.packed.has(kind) && part.packed.has('weights');
}

/** Unpacks what a state shows. @param {Recording} recording @param {State} state */
export async function load(recording, state) {
  const { part, kind } = chosen(recording, state);
  await Promise.all([part.load(kind), part.load('weights')]);
}

/**
 * A state that the recording can show: what does not exist is replaced by the nearest that does,
 * and a new part begins with its best head. Its weights must be unpacked.
 * @param {Recording} recording @param {State} wanted @param {Set<string>} changed @returns {State}
 */
export function settledState(recording, wanted, changed) {
  const { at, step, index, part, kind } = chosen(recording, wanted);
  const state = { ...wanted, step: at, sentence: index, kind, part: part.name };
  const named = changed.has('layer') || changed.has('head');
  if (changed.has('part') && !named) Object.assign(state, bestHead(part, step.heads));
  if (state.layer !== null) state.layer = Math.min(state.layer, part.layers - 1);
  if (state.head !== null) state.head = Math.min(state.head, part.heads - 1);
  if (state.layer === null) state.head = null;
  const orders = ['position', 'role', ...columnsOf(part, step.heads).map(({ key }) => key)];
  if (!orders.includes(state.sort)) state.sort = 'position';
  if (['part', 'unit', 'special', 'sentence'].some((name) => changed.has(name))) {
    state.query = null;
    state.key = null;
  }
  return state;
}

/**
 * Where a page starts, before its best head is known.
 * @param {Recording} recording @returns {State}
 */
export function firstState(recording) {
  const step = recording.steps.length - 1;
  const sentence = recording.steps[step].sentences.findIndex(Boolean);
  const part = partOf(recording.sentences[sentence], recording.first?.part ?? 'cross');
  return {
    step,
    sentence,
    part: part.name,
    layer: 0,
    head: 0,
    kind: 'weights',
    unit: hasWords({ part }) ? 'words' : 'pieces',
    special: true,
    scale: 'head',
    sort: 'position',
    descending: false,
    chart: '',
    theme: 'auto',
    query: null,
    key: null,
  };
}
