// A translated text, as the page shows it: where its sentences and words stand in source and
// target, and which words belong together.

/** Places in a string, from `begin` up to but not including `end`. */
/** @typedef {{begin: number, end: number}} Span */

/**
 * A sentence and its translation, as the server has them: words have places in the sentence, and
 * `alignment` has pairs of a source word and a target word.
 * @typedef {{
 *   source: string, target: string, sourceWords: Span[], targetWords: Span[],
 *   alignment: [number, number][],
 * }} Answer
 */

/**
 * The same with all places in the whole text.
 * @typedef {{
 *   source: Span, target: Span, sourceWords: Span[], targetWords: Span[],
 *   links: [number, number][], answer: Answer,
 * }} Sentence
 */

/**
 * @typedef {{
 *   text: string, target: string, from: string, detected: string, sure: boolean,
 *   sentences: Sentence[],
 * }} Result detected: the language that the server takes the text to be in, if it had to find out;
 * sure: it had a reason to
 */

/**
 * Where the parts of a text stand, in order. One that is not there as it is, as when a placeholder
 * was put back, is null.
 * @param {string} text @param {string[]} parts @returns {(Span | null)[]}
 */
function spansOf(text, parts) {
  let at = 0;
  return parts.map((part) => {
    const begin = text.indexOf(part, at);
    if (begin < 0) return null;
    at = begin + part.length;
    return { begin, end: at };
  });
}

/** @param {Span[]} spans @param {number} by @returns {Span[]} */
const moved = (spans, by) => spans.map(({ begin, end }) => ({ begin: begin + by, end: end + by }));

/** @param {Answer} answer @param {Span | null} source @param {Span | null} target */
function sentenceOf(answer, source, target) {
  if (!source || !target) return null;
  return {
    source,
    target,
    sourceWords: moved(answer.sourceWords, source.begin),
    targetWords: moved(answer.targetWords, target.begin),
    links: answer.alignment,
    answer,
  };
}

/**
 * @param {string} text @param {string} target
 * @param {Answer[]} answers one of each sentence
 * @param {{from: string, detected?: string, sure?: boolean}} languages
 * @returns {Result}
 */
export function resultOf(text, target, answers, { from, detected = '', sure = true }) {
  const sources = spansOf(
    text,
    answers.map((each) => each.source),
  );
  const targets = spansOf(
    target,
    answers.map((each) => each.target),
  );
  const sentences = answers.flatMap((each, i) => sentenceOf(each, sources[i], targets[i]) ?? []);
  return { text, target, from, detected, sure, sentences };
}

/** The same with another translation of one sentence. */
/** @param {Result} result @param {number} index @param {Answer} answer @returns {Result} */
export function withSentence(result, index, answer) {
  const { begin, end } = result.sentences[index].target;
  const target = result.target.slice(0, begin) + answer.target + result.target.slice(end);
  const answers = result.sentences.map((each, i) => (i === index ? answer : each.answer));
  return resultOf(result.text, target, answers, result);
}

/** The words of a result's translation, and what they are called. @param {Result} result */
export function wordList({ target, sentences }) {
  return sentences.flatMap(({ targetWords }, sentence) =>
    targetWords.map(({ begin, end }, word) => ({
      key: `${sentence} ${word}`,
      text: target.slice(begin, end),
    })),
  );
}

/** The sentence and the word at a place of the source. @param {Result} result @param {number} at */
export function sourceWordAt({ sentences }, at) {
  const sentence = sentences.findIndex(({ source }) => source.begin <= at && at <= source.end);
  if (sentence < 0) return null;
  const word = sentences[sentence].sourceWords.findIndex(
    ({ begin, end }) => begin <= at && at <= end,
  );
  return word < 0 ? null : { sentence, word };
}

/**
 * What lights up with a word: it, and the words of the other side that it is linked with.
 * @param {Sentence} sentence @param {'source' | 'target'} side @param {number} word
 * @returns {{source: number[], target: number[]}}
 */
export function linkedWords({ links }, side, word) {
  const other = new Set(
    links
      .filter(([s, t]) => (side === 'source' ? s : t) === word)
      .map(([s, t]) => (side === 'source' ? t : s)),
  );
  const lit = { [side]: [word], [side === 'source' ? 'target' : 'source']: [...other] };
  return /** @type {any} */ (lit);
}
