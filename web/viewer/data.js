// What was recorded: the data block of the page, checked and ready to read. web/README.md defines
// the format.
import { unpack } from './bytes.js';

export const KINDS = ['weights', 'norms', 'gradients'];

/** @typedef {'weights' | 'norms' | 'gradients'} Kind */
/** @typedef {{part: string, layer: number, head: number}} HeadName */
/**
 * `continuation` is what a piece begins with that continues a word, such as "##".
 * @typedef {{
 *   name: string, title: string, text: string, pieces: string[], words: number[],
 *   continuation: string,
 * }} Tokens
 */
/** @typedef {{key: string, name: string, help: string, best: '' | 'low' | 'high'}} Column */
/** @typedef {HeadName & {role: string, figures: Record<string, number>}} HeadRow */
/** `over` says which text the figures are about. */
/** @typedef {{columns: Column[], rows: HeadRow[], over?: string}} HeadTable */
/** @typedef {{text: string, score: number | null, sentence: number | null}} Alternative */
/**
 * @typedef {{
 *   name: string, score: number | null, of: number | null, alternatives: Alternative[],
 *   tokens: Tokens[], parts: Part[],
 * }} Sentence
 */
/**
 * A sentence that was not seen at a step is null there.
 * @typedef {{
 *   step: number, label: string, heads: HeadTable | null, sentences: (Sentence | null)[],
 * }} Step
 */

/** The bytes of one kind of one part, unpacked. */
export class Packed {
  /** @param {Uint8Array} bytes @param {number[]} scales @param {boolean} signed */
  constructor(bytes, scales, signed) {
    this.bytes = signed ? new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length) : bytes;
    this.scales = scales;
    this.signed = signed;
  }

  /**
   * What one unit of a head's bytes is worth.
   * @param {number} index of the head, over all layers
   */
  unit(index) {
    return this.scales[index] / (this.signed ? 127 : 255);
  }
}

/** The attention of one part of a model for one sentence: every layer, head and kind of value. */
export class Part {
  /** @param {any} json @param {string} name @param {Tokens[]} tokens @param {string} where */
  constructor(json, name, tokens, where) {
    /** @param {string} axis */
    const tokensOf = (axis) =>
      tokens.find((each) => each.name === json[axis]) ??
      fail(`${where}: ${axis} should name a list of tokens, found ${JSON.stringify(json[axis])}`);
    this.name = name;
    this.title = json.title ?? name.charAt(0).toUpperCase() + name.slice(1);
    this.queries = tokensOf('queries');
    this.keys = tokensOf('keys');
    this.layers = count(json.layers, `${where}: layers`);
    this.heads = count(json.heads, `${where}: heads`);
    this.causal = Boolean(json.causal);
    this.where = where;
    /** @type {Map<Kind, any>} */
    this.blocks = new Map();
    for (const kind of /** @type {Kind[]} */ (KINDS)) {
      if (json[kind]) this.blocks.set(kind, json[kind]);
    }
    if (!this.blocks.has('weights')) fail(`${where}: has no weights`);
    /** @type {Map<Kind, Packed>} */
    this.packed = new Map();
    /** The largest value over all heads, by what it depends on. @type {Map<string, number>} */
    this.tops = new Map();
  }

  /** The number of values that one head has. */
  get area() {
    const [queries, keys] = [this.queries.pieces.length, this.keys.pieces.length];
    return this.causal ? (queries * (queries + 1)) / 2 : queries * keys;
  }

  /** Unpacks a kind; after that, `values` has it. @param {Kind} kind */
  async load(kind) {
    if (this.packed.has(kind)) return;
    const block = this.blocks.get(kind);
    const heads = this.layers * this.heads;
    const where = `${this.where}: ${kind}`;
    if (block.scale?.length !== heads) {
      fail(`${where}: expected ${heads} scales, found ${block.scale?.length}`);
    }
    const bytes = await unpack(block);
    if (bytes.length !== heads * this.area) {
      fail(`${where}: expected ${heads * this.area} bytes, found ${bytes.length}`);
    }
    this.packed.set(kind, new Packed(bytes, block.scale, Boolean(block.signed)));
  }

  /** @param {Kind} kind @returns {Packed} */
  values(kind) {
    return this.packed.get(kind) ?? fail(`${this.where}: ${kind} are not loaded`);
  }
}

/** All that a page shows. */
export class Recording {
  /** @param {any} json */
  constructor(json) {
    if (json?.format !== 'heed-attention') fail('this is not a recording of attention');
    if (json.version !== 1) fail(`expected version 1 of the format, found ${json.version}`);
    this.title = String(json.title ?? '');
    /** @type {(Partial<HeadName> & {unit?: 'words' | 'pieces'}) | null} */
    this.first = json.first ?? null;
    /** @type {HeadName[]} */
    this.off = json.off ?? [];
    const steps = json.steps ?? [{ step: 0, heads: json.heads, sentences: json.sentences }];
    /** @type {Step[]} */
    this.steps = steps.map((/** @type {any} */ each) => readStep(each));
    if (!this.steps.length || this.steps.some(({ sentences }) => !sentences.some(Boolean))) {
      fail('there is no sentence to show');
    }
    this.overTime = this.steps.length > 1;
    /** Of every sentence, its last recording. @type {Sentence[]} */
    this.sentences = [];
    for (const { sentences } of this.steps) {
      sentences.forEach((each, i) => {
        if (each) this.sentences[i] = each;
      });
    }
  }

  /** The steps, counted from 0, at which a sentence was seen. @param {number} sentence */
  stepsOf(sentence) {
    return [...this.steps.keys()].filter((i) => this.steps[i].sentences[sentence]);
  }

  /** @param {HeadName} name */
  isOff(name) {
    return this.off.some((each) => sameHead(each, name));
  }
}

/** @param {HeadName} a @param {HeadName} b */
export const sameHead = (a, b) => a.part === b.part && a.layer === b.layer && a.head === b.head;

/** @param {any} json @returns {Step} */
function readStep(json) {
  const step = Number(json.step);
  return {
    step,
    label: json.label ?? step.toLocaleString('en'),
    heads: json.heads ? readTable(json.heads) : null,
    sentences: (json.sentences ?? []).map((/** @type {any} */ each, /** @type {number} */ i) =>
      each === null ? null : readSentence(each, i),
    ),
  };
}

/** @param {any} json @returns {HeadTable} */
function readTable(json) {
  return {
    columns: json.columns.map((/** @type {any} */ each) => ({ help: '', best: '', ...each })),
    rows: json.rows.map((/** @type {any} */ each) => ({ role: '', figures: {}, ...each })),
    over: json.over ?? '',
  };
}

/** @param {any} json @param {number} index @returns {Sentence} */
function readSentence(json, index) {
  const tokens = Object.entries(json.tokens).map(([name, each]) => readTokens(name, each, index));
  const parts = Object.entries(json.parts).map(
    ([name, each]) => new Part(each, name, tokens, `sentence ${index + 1}, ${name}`),
  );
  if (!parts.length) fail(`sentence ${index + 1} has no part`);
  return {
    name: json.name ?? tokens[0]?.text ?? '',
    score: json.score ?? null,
    of: json.of ?? null,
    alternatives: (json.alternatives ?? []).map((/** @type {any} */ each) => ({
      text: each.text,
      score: each.score ?? null,
      sentence: each.sentence ?? null,
    })),
    tokens,
    parts,
  };
}

/** @param {string} name @param {any} json @param {number} sentence @returns {Tokens} */
function readTokens(name, json, sentence) {
  const { pieces } = json;
  const words = json.words ?? pieces.map((/** @type {string} */ _, /** @type {number} */ i) => i);
  if (words.length !== pieces.length) {
    fail(`sentence ${sentence + 1}, ${name}: ${pieces.length} pieces but ${words.length} words`);
  }
  const title = json.title ?? name.charAt(0).toUpperCase() + name.slice(1);
  const continuation = json.continuation ?? '';
  return { name, title, text: json.text ?? '', pieces, words, continuation };
}

/** @param {any} value @param {string} what */
function count(value, what) {
  if (!Number.isInteger(value) || value < 1) fail(`${what}: expected a count, found ${value}`);
  return value;
}

/** @param {string} message @returns {never} */
export function fail(message) {
  throw new Error(message);
}
