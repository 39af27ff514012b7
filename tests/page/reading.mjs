// Reads back from a page what a person would see, and computes what it should be.
import { settled } from './browser.mjs';

/** "−0.25" as a number. */
export const toNumber = (text) => Number(text.replace('−', '-'));

/** The map as the page's table has it. */
export async function readTable(page) {
  await page.evaluate(() => {
    document.querySelector('.as-table').open = true;
  });
  await settled(page);
  const texts = await page.$eval('.as-table table', (table) => ({
    keys: [...table.querySelectorAll('thead th')].map((cell) => cell.textContent),
    queries: [...table.querySelectorAll('tbody th')].map((cell) => cell.textContent),
    rows: [...table.querySelectorAll('tbody tr')].map((row) =>
      [...row.querySelectorAll('td')].map((cell) => cell.textContent),
    ),
  }));
  return { ...texts, values: texts.rows.map((row) => row.map(toNumber)) };
}

/** Goes to a state and waits until it is drawn. */
export async function goTo(page, hash) {
  await page.evaluate((to) => {
    window.location.hash = to;
  }, hash);
  await settled(page);
}

export const meanOf = (maps) =>
  maps[0].map((row, q) =>
    row.map((_, k) => maps.reduce((sum, map) => sum + map[q][k], 0) / maps.length),
  );

/** Pieces of each word: [first, last + 1] for words, and for special tokens if they are shown. */
export function spans(words, { special = true } = {}) {
  const found = [];
  words.forEach((word, i) => {
    if (word < 0) {
      if (special) found.push([i, i + 1]);
    } else if (i > 0 && words[i - 1] === word) {
      found[found.length - 1][1] = i + 1;
    } else {
      found.push([i, i + 1]);
    }
  });
  return found;
}

/** Sum over the keys' pieces, mean over the queries'; rows divided by their sums if asked. */
export function byWords(map, queries, keys, renormalised) {
  return queries.map(([from, to]) => {
    const row = keys.map(([begin, end]) => {
      let sum = 0;
      for (let q = from; q < to; ++q) for (let k = begin; k < end; ++k) sum += map[q][k];
      return sum / (to - from);
    });
    const total = row.reduce((a, b) => a + b, 0);
    return renormalised && total > 0 ? row.map((value) => value / total) : row;
  });
}

/** The largest difference of two maps. */
export function furthest(a, b) {
  if (a.length !== b.length || a[0]?.length !== b[0]?.length) return Infinity;
  return Math.max(...a.map((row, q) => Math.max(...row.map((x, k) => Math.abs(x - b[q][k])))));
}
