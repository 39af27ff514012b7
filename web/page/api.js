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

  /** @returns {Promise<{name: string, source: string, target: string, curves: boolean}[]>} */
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
    const body = { text, source: from, target: to, without, alignment: true };
    const { translations } = await this.connection.ask('v1/translate', { body, signal });
    const { source, detected, text: target, sentences } = translations[0];
    return resultOf(text, target, sentences, { from: source, detected: detected ? source : '' });
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
    const body = {
      text: answer.source,
      source: from,
      target: to,
      without,
      alignment: true,
      prefix,
      branch: true,
      n_best: ALTERNATIVES,
    };
    const { translations } = await this.connection.ask('v1/translate', { body, signal });
    const own = answer.target.slice(place.begin - target.begin, place.end - target.begin);
    return otherWays(translations[0].sentences[0], prefix, own);
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
    return this.connection.ask('v1/attention', { body: { ...body, format: 'page' }, signal });
  }

  /** Several texts, translated in one request. */
  /**
   * @param {{
   *   texts: string[], from: string, to: string, format: 'text' | 'html', signal: AbortSignal,
   * }} wanted
   * @returns {Promise<string[]>}
   */
  async translateTexts({ texts, from, to, format, signal }) {
    const body = { q: texts, source: from, target: to, format };
    return (await this.connection.ask('translate', { body, signal })).translatedText;
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
    return this.connection.ask(`v1/training?model=${encodeURIComponent(name)}`, { signal });
  }
}

/**
 * Hypotheses that differ in the word after a prefix.
 * @param {any} answer @param {string} prefix @param {string} own the word that stands there now
 */
function otherWays({ best, ...shared }, prefix, own) {
  const seen = new Set([own]);
  return best.flatMap((/** @type {any} */ each) => {
    const after = each.target.startsWith(prefix) ? each.target.slice(prefix.length).trim() : '';
    const [word] = after.split(/\s/u);
    if (!word || seen.has(word)) return [];
    seen.add(word);
    return [{ word, rest: after.slice(word.length), answer: { ...shared, ...each } }];
  });
}
