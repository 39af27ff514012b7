// Where the words of a text stand in it.

/** Places in a string, from `begin` up to but not including `end`. */
/** @typedef {{begin: number, end: number}} Span */

/** What is between white space. @param {string} text @param {number} [offset] @returns {Span[]} */
export function spacedWords(text, offset = 0) {
  return [...text.matchAll(/\S+/gu)].map(({ 0: word, index }) => ({
    begin: offset + index,
    end: offset + index + word.length,
  }));
}

/**
 * The places of the words that the server names, one after the other. Those that are not found, as
 * the model may have read them in another form, are null.
 * @param {string} text @param {string[]} words @param {number} [offset] @returns {(Span | null)[]}
 */
export function placesOf(text, words, offset = 0) {
  let at = 0;
  return words.map((word) => {
    const begin = word ? text.indexOf(word, at) : -1;
    if (begin < 0) return null;
    at = begin + word.length;
    return { begin: offset + begin, end: offset + at };
  });
}

/**
 * Which words of a list do not stand, in this order, in another one.
 * @param {string[]} before @param {string[]} after @returns {Set<number>} places in `after`
 */
export function changedWords(before, after) {
  // The longest common subsequence: lengths[i][j] of what begins at i and j.
  const lengths = before.map(() => new Uint16Array(after.length + 1));
  lengths.push(new Uint16Array(after.length + 1));
  for (let i = before.length - 1; i >= 0; --i) {
    for (let j = after.length - 1; j >= 0; --j) {
      lengths[i][j] =
        before[i] === after[j]
          ? lengths[i + 1][j + 1] + 1
          : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  /** @type {Set<number>} */
  const changed = new Set();
  for (let i = 0, j = 0; j < after.length; ) {
    if (i < before.length && before[i] === after[j]) [i, j] = [i + 1, j + 1];
    else if (i < before.length && lengths[i + 1][j] >= lengths[i][j + 1]) ++i;
    else changed.add(j++);
  }
  return changed;
}
