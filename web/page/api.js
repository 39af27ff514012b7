// What the page asks the server for. The only place that knows the forms of requests and answers.
import { resultOf } from './result.js';

/** @typedef {import('./connection.js').Connection} Connection */
/** @typedef {import('./result.js').Result} Result */
/** @typedef {import('./result.js').Sentence} Sentence */

/** How many ways to go on are asked for. */
const ALTERNATIVES = 8;

export class Api {
  /** @param {Connection} connection */
  constructor(connection) {
    this.connection = connection;
  }

  /** @returns {Promise<import('./languages.js').Language[]>} */
  languages() {
    return this.connection.ask('languages');
  }

  /** What the server allows. @returns {Promise<{characters: number, keyRequired: boolean}>} */
  async settings() {
    const { charLimit, keyRequired } = await this.connection.ask('frontend/settings');
    return { characters: charLimit > 0 ? charLimit : Infinity, keyRequired: Boolean(keyRequired) };
  }

  /** @returns {Promise<{name: string, source: string, target: string, 'has-curves': boolean}[]>} */
  async models() {
    return (await this.connection.ask('v1/models')).models;
  }

  /**
   * @param {{
   *   text: string, from: string, to: string, without: string[], signal: AbortSignal,
   * }} wanted
   * @returns {Promise<Result>}
   */
  async translate({ text, from, to, without, signal }) {
    const body = { text, source: from, target: to, without, details: ['words'] };
    const reply = await this.connection.ask('v1/translate', { body, signal });
    const [{ text: target, sentences }] = reply.translations;
    const answers = sentences.map((/** @type {any} */ each) => answersOf(each)[0]);
    const detected = reply.detected ? reply.source : '';
    const sure = reply.detected?.confidence > 0;
    return resultOf(text, target, answers, { from: reply.source, detected, sure });
  }

  /**
   * Other ways to go on from the place of a word, the likeliest first.
   * @param {{
   *   sentence: Sentence, word: number, from: string, to: string, without: string[],
   *   signal: AbortSignal,
   * }} wanted
   * @returns {Promise<import('./alternatives.js').Alternative[]>}
   */
  async alternatives({ sentence, word, from, to, without, signal }) {
    const { answer, target, targetWords } = sentence;
    const place = targetWords[word];
    if (!place) return [];
    const prefix = answer.target.slice(0, place.begin - target.begin).trimEnd();
    const own = answer.target.slice(place.begin - target.begin, place.end - target.begin);
    const body = {
      text: answer.source,
      source: from,
      target: to,
      without,
      details: ['words'],
      'split-sentences': false,
      prefix,
      branch: true,
      beam: ALTERNATIVES,
      nbest: ALTERNATIVES,
    };
    const { translations } = await this.connection.ask('v1/translate', { body, signal });
    return otherWays(answersOf(translations[0].sentences[0]), prefix, own);
  }

  /**
   * The recording of a sentence and its translation.
   * @param {{
   *   source: string, target: string, from: string, to: string, without: string[],
   *   signal: AbortSignal,
   * }} wanted
   */
  attention({ source, target, from, to, without, signal }) {
    const body = { text: source, translation: target, source: from, target: to, without };
    const more = { norms: true, gradients: true, format: 'page' };
    return this.connection.ask('v1/attention', { body: { ...body, ...more }, signal });
  }

  /**
   * Several texts, translated in one request.
   * @param {{
   *   texts: string[], from: string, to: string, format: 'text' | 'html', signal: AbortSignal,
   * }} wanted
   * @returns {Promise<string[]>}
   */
  async translateTexts({ texts, from, to, format, signal }) {
    const body = { text: texts, source: from, target: to, format };
    const { translations } = await this.connection.ask('v1/translate', { body, signal });
    return translations.map((/** @type {any} */ { text }) => text);
  }

  /**
   * A whole file; its name says what kind it is.
   * @param {{file: File, from: string, to: string, signal: AbortSignal}} wanted
   * @returns {Promise<string>}
   */
  document({ file, from, to, signal }) {
    const body = new FormData();
    body.append('source', from);
    body.append('target', to);
    body.append('file', file, file.name);
    return this.connection.ask('v1/documents', { body, signal, text: true });
  }

  /** The log of a model's training. @param {string} name @param {AbortSignal} signal */
  training(name, signal) {
    return this.connection.ask(`v1/models/${encodeURIComponent(name)}/curves`, { signal });
  }
}

/**
 * The translations of a sentence, each with all that is known of it. A sentence without words has
 * none and is its own translation.
 * @param {any} sentence @returns {import('./result.js').Answer[]}
 */
function answersOf({ source, 'source-words': sourceWords = [], translations }) {
  const own = { source, target: source, sourceWords: [], targetWords: [], alignment: [] };
  if (!translations.length) return [own];
  return translations.map((/** @type {any} */ { text, words = [], alignment = [] }) => ({
    source,
    target: text,
    sourceWords: spansOfWords(source, sourceWords),
    targetWords: spansOfWords(text, words),
    alignment,
  }));
}

/**
 * Places that count characters, as places in a string, which counts pairs of surrogates twice.
 * @param {string} text @param {{start: number, end: number}[]} words
 */
function spansOfWords(text, words) {
  const places = [0];
  for (const character of text) places.push(places[places.length - 1] + character.length);
  const place = (/** @type {number} */ count) => places[count] ?? text.length;
  return words.map(({ start, end }) => ({ begin: place(start), end: place(end) }));
}

/**
 * Translations that differ in the word after a prefix.
 * @param {import('./result.js').Answer[]} answers @param {string} prefix
 * @param {string} own the word that stands there now
 */
function otherWays(answers, prefix, own) {
  const seen = new Set([own]);
  return answers.flatMap((answer) => {
    const { target, targetWords } = answer;
    if (!target.startsWith(prefix)) return [];
    const first = targetWords.find(({ begin }) => begin >= prefix.length);
    const word = first ? target.slice(first.begin, first.end) : '';
    if (!first || !word || seen.has(word)) return [];
    seen.add(word);
    return [{ word, rest: target.slice(first.end), answer }];
  });
}
