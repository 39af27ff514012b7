// Words that have changed.

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
