// What is shown equals what was recorded.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { web } from './assemble.mjs';
import * as fixtures from './fixtures.mjs';
import { byWords, furthest, goTo, meanOf, readTable, spans, toNumber } from './reading.mjs';

/** Half a step of the bytes, and half a unit of the last digit that is printed. */
const tolerance = (map, signed) => {
  const top = Math.max(...map.map((row) => Math.max(...row.map(Math.abs))));
  return top / (signed ? 254 : 510) + (top >= 10 ? 0.05 : 0.0005);
};

const cases = {};

cases['every head of every part and kind is shown within half a step of its bytes'] = async ({
  browser,
}) => {
  const { data, sentences } = fixtures.small();
  const page = await browser.open(data);
  for (const [name, part] of Object.entries(sentences[0].parts)) {
    for (const kind of ['weights', 'norms', 'gradients']) {
      for (let i = 0; i < 12; i += kind === 'weights' ? 1 : 5) {
        const place = `layer=${Math.floor(i / 4) + 1}&head=${(i % 4) + 1}`;
        await goTo(page, `#part=${name}&${place}&kind=${kind}&unit=pieces`);
        const shown = await readTable(page);
        const expected = part.values[kind][i];
        const most = tolerance(expected, kind === 'gradients');
        assert.ok(furthest(shown.values, expected) <= most, `${name} ${kind} ${place}`);
        if (kind === 'weights') assert.ok(furthest(shown.values, expected) <= 1 / 255);
        const { tokens, parts } = data.sentences[0];
        assert.deepEqual(shown.keys, tokens[parts[name].keys].pieces);
        assert.deepEqual(shown.queries, tokens[parts[name].queries].pieces);
      }
    }
  }
  page.assertQuiet();
};

cases['rows of the decoder belong to what is predicted, its keys to what was read'] = async ({
  browser,
}) => {
  const { data } = fixtures.small();
  const page = await browser.open(data, { hash: '#part=decoder&unit=pieces' });
  const shown = await readTable(page);
  assert.equal(shown.keys[0], '<s>');
  assert.equal(shown.queries[shown.queries.length - 1], '</s>');
  assert.deepEqual(shown.keys.slice(1), shown.queries.slice(0, -1));
  shown.values.forEach((row, q) => row.forEach((value, k) => assert.ok(k <= q || value === 0)));
};

cases['compressed bytes show the same'] = async ({ browser }) => {
  const { data, sentences } = fixtures.small();
  const page = await browser.open(data, {
    hash: '#sentence=2&part=cross&layer=1&head=1&unit=pieces',
  });
  const shown = await readTable(page);
  assert.ok(furthest(shown.values, sentences[1].parts.cross.values.weights[0]) <= 1 / 255);
};

cases['words: sums over keys, means over queries; hidden special tokens renormalise rows'] =
  async ({ browser }) => {
    const { data, sentences } = fixtures.small();
    const { tokens } = data.sentences[0];
    const page = await browser.open(data);
    for (const special of [true, false]) {
      const place = 'part=cross&layer=2&head=3&unit=words';
      await goTo(page, `#${place}&special=${special ? 'shown' : 'hidden'}`);
      const shown = await readTable(page);
      const queries = spans(tokens.target.words, { special });
      const keys = spans(tokens.source.words, { special });
      const map = sentences[0].parts.cross.values.weights[6];
      const expected = byWords(map, queries, keys, !special);
      assert.ok(furthest(shown.values, expected) <= 0.01, `special ${special}`);
      assert.equal(shown.queries[1], 'schwarze');
      assert.equal(shown.keys[6], 'windowsill');
      assert.equal(shown.keys.includes('</s>'), special);
      const notes = await page.textContent('.rules');
      assert.equal(notes.includes('renormalised'), !special);
      assert.ok(notes.includes('pieces are added'));
    }
    await goTo(page, '#part=cross&layer=2&head=3&unit=words&special=hidden&kind=norms');
    const norms = await readTable(page);
    const keys = spans(tokens.source.words, { special: false });
    const queries = spans(tokens.target.words, { special: false });
    const expected = byWords(sentences[0].parts.cross.values.norms[6], queries, keys, false);
    assert.ok(furthest(norms.values, expected) <= 0.05, 'norms are not renormalised');
    assert.ok(!(await page.textContent('.rules')).includes('renormalised'));
  };

cases['word pieces make words without their marks'] = async ({ browser }) => {
  const options = { layers: 1, heads: 2, lengths: [5, 5] };
  const part = fixtures.makePart(fixtures.random(3), 'source', 'source', options);
  const source = { pieces: ['[CLS]', 'play', '##ing', '#', '[SEP]'], words: [-1, 0, 0, 1, -1] };
  const sentence = (tokens) => ({ tokens: { source: tokens }, parts: { encoder: part.json } });
  const marked = await browser.open(
    fixtures.recording({ sentences: [sentence({ ...source, continuation: '##' })] }),
  );
  await goTo(marked, '#unit=words');
  assert.deepEqual((await readTable(marked)).keys, ['[CLS]', 'playing', '#', '[SEP]']);
  await goTo(marked, '#unit=pieces');
  assert.deepEqual((await readTable(marked)).keys, source.pieces);
  const unmarked = await browser.open(fixtures.recording({ sentences: [sentence(source)] }));
  await goTo(unmarked, '#unit=words');
  assert.equal((await readTable(unmarked)).keys[1], 'play##ing');
};

cases['the mean is the mean over heads'] = async ({ browser }) => {
  const { data, sentences } = fixtures.small();
  const page = await browser.open(data);
  const { weights } = sentences[0].parts.encoder.values;
  await goTo(page, '#part=encoder&layer=2&head=mean&unit=pieces');
  let shown = await readTable(page);
  assert.ok(furthest(shown.values, meanOf(weights.slice(4, 8))) <= 1 / 255);
  await goTo(page, '#part=encoder&layer=mean&unit=pieces');
  shown = await readTable(page);
  assert.ok(furthest(shown.values, meanOf(weights)) <= 1 / 255);
  assert.match(await page.textContent('.readout'), /mean of all heads/);
};

cases['the number and the colour under the pointer are those of the cell'] = async ({
  browser,
}) => {
  const { data, sentences } = fixtures.small();
  const { paletteIndex, paletteOf } = await import(
    `data:text/javascript,${encodeURIComponent(readFileSync(new URL('viewer/colour.js', web)))}`
  );
  for (const dark of [false, true]) {
    const page = await browser.open(data, {
      hash: '#part=cross&layer=1&head=2&unit=pieces',
      dark,
      height: 1300,
    });
    const map = sentences[0].parts.cross.values.weights[1];
    const top = Math.max(...map.map((row) => Math.max(...row)));
    const { tokens } = data.sentences[0];
    const matrix = page.locator('.matrix-scroll');
    const [left, above, cell] = (await matrix.getAttribute('data-geometry')).split(' ').map(Number);
    const box = await matrix.boundingBox();
    for (const [q, k] of [
      [0, 0],
      [3, 2],
      [9, 11],
      [17, 17],
    ]) {
      const colour = await page.$eval(
        '.matrix-scroll canvas',
        (canvas, [x, y]) => {
          const copy = document.createElement('canvas');
          [copy.width, copy.height] = [canvas.width, canvas.height];
          const context = copy.getContext('2d', { willReadFrequently: true });
          context.drawImage(canvas, 0, 0);
          return [...context.getImageData(x, y, 1, 1).data].slice(0, 3);
        },
        [Math.round(left + k * cell + 3), Math.round(above + q * cell + 3)],
      );
      const byte = Math.round((map[q][k] / top) * 255) / 255;
      const expected = paletteOf(dark ? 'dark' : 'light', false).colours[
        paletteIndex(byte * top, top, false)
      ];
      assert.deepEqual(colour, expected, `colour of ${q}, ${k}`);
      await page.mouse.move(box.x + left + (k + 0.5) * cell, box.y + above + (q + 0.5) * cell);
      const tip = await page.textContent('.tip');
      const wanted = `${tokens.target.pieces[q]} → ${tokens.source.pieces[k]} `;
      assert.ok(tip.startsWith(wanted), tip);
      assert.ok(Math.abs(toNumber(tip.slice(wanted.length)) - map[q][k]) <= 1 / 255);
      assert.equal(await page.textContent('.readout .value'), tip.slice(wanted.length));
      const lit = await page.$$eval('.words li.lit', (items) =>
        items.map((li) => li.dataset.index),
      );
      assert.deepEqual(lit, [String(q), String(k)], 'the flow is linked');
    }
    await page.mouse.move(5, 5);
    assert.ok(await page.isHidden('.tip'));
    assert.equal(await page.$('.words li.lit'), null);
    page.assertQuiet();
  }
};

cases['the dark map is that of the other pictures, and lightness is even'] = async () => {
  const source = readFileSync(new URL('viewer/colour.js', web));
  const { paletteOf } = await import(`data:text/javascript,${encodeURIComponent(source)}`);
  const lightness = ([r, g, b]) => {
    const linear = [r, g, b].map((c) =>
      c <= 10.31475 ? c / 3294.6 : ((c / 255 + 0.055) / 1.055) ** 2.4,
    );
    const cube = (a, b, c) => Math.cbrt(a * linear[0] + b * linear[1] + c * linear[2]);
    return (
      0.2104542553 * cube(0.4122214708, 0.5363325363, 0.0514459929) +
      0.793617785 * cube(0.2119034982, 0.6806995451, 0.1073969566) -
      0.0040720468 * cube(0.0883024619, 0.2817188376, 0.6299787005)
    );
  };
  for (const [scheme, from, to] of [
    ['dark', 0.24, 0.93],
    ['light', 0.975, 0.255],
  ]) {
    paletteOf(scheme, false).colours.forEach((colour, i) => {
      const even = from + ((to - from) * i) / 255;
      assert.ok(Math.abs(lightness(colour) - even) < 0.012, `${scheme} ${i}`);
    });
  }
};

cases['a word shows its strongest, with numbers, and lights up lines'] = async ({ browser }) => {
  const { data, sentences } = fixtures.small();
  const page = await browser.open(data, { hash: '#part=cross&layer=1&head=2&unit=pieces' });
  const map = sentences[0].parts.cross.values.weights[1];
  const before = await page.$eval('.flow canvas', (canvas) => canvas.toDataURL());
  await page.hover('.query-words li[data-index="5"]');
  const numbers = await page.$$eval('.readout .value', (all) =>
    all.map((each) => each.textContent),
  );
  const expected = [...map[5]].sort((a, b) => b - a).slice(0, 5);
  assert.equal(numbers.length, 5);
  numbers.forEach((text, i) => assert.ok(Math.abs(toNumber(text) - expected[i]) <= 1 / 255));
  const amounts = await page.$$eval('.key-words li', (items) =>
    items.map((item) => item.querySelector('.amount').textContent),
  );
  amounts.forEach((text, k) => {
    if (text) assert.ok(Math.abs(toNumber(text) - map[5][k]) <= 1 / 255);
  });
  assert.ok(amounts.some(Boolean));
  assert.notEqual(await page.$eval('.flow canvas', (canvas) => canvas.toDataURL()), before);
  await page.hover('.key-words li[data-index="2"]');
  assert.match(await page.textContent('.readout'), /is attended to by/);
  page.assertQuiet();
};

cases['the scale is that of the head, or of all heads'] = async ({ browser }) => {
  const { data, sentences } = fixtures.small();
  const page = await browser.open(data);
  const { weights, gradients } = sentences[0].parts.encoder.values;
  const top = (maps) => Math.max(...maps.flat(2).map(Math.abs));
  const high = async () => toNumber(await page.textContent('.matrix-card .high'));
  await goTo(page, '#part=encoder&layer=1&head=2&unit=pieces');
  assert.ok(Math.abs((await high()) - top([weights[1]])) < 0.001);
  await page.check('input[value=common]', { force: true });
  assert.ok(Math.abs((await high()) - top(weights)) < 0.001);
  await goTo(page, '#part=encoder&layer=1&head=2&unit=pieces&kind=gradients');
  assert.ok(Math.abs((await high()) - top([gradients[1]])) < 0.001);
  assert.equal(
    await page.textContent('.matrix-card .low'),
    `−${await page.textContent('.matrix-card .high')}`,
  );
};

cases['weights of another program: no words, no table of heads'] = async ({ browser }) => {
  const { data, part } = fixtures.plainArray();
  const page = await browser.open(data, { hash: '#head=2' });
  const shown = await readTable(page);
  assert.ok(furthest(shown.values, part.values.weights[1]) <= 1 / 255);
  assert.deepEqual(shown.keys, ['0', '1', '2', '3', '4', '5', '6', '7', '8']);
  for (const hidden of ['input[name=unit]', 'input[name=kind]', '#special']) {
    assert.equal(
      await page
        .locator(hidden)
        .isVisible()
        .catch(() => false),
      false,
      hidden,
    );
  }
  // The page computes what it can.
  const cells = await page.$$eval('.heads tbody tr:nth-child(2) td', (all) =>
    all.map((td) => td.textContent),
  );
  const entropy = part.values.weights[1].map(
    (row) => -row.reduce((s, p) => s + p * Math.log2(p), 0),
  );
  const mean = entropy.reduce((a, b) => a + b) / entropy.length;
  assert.ok(Math.abs(toNumber(cells[0]) - mean) < 0.1, `${cells[0]} ${mean}`);
  page.assertQuiet();
};

export default cases;
