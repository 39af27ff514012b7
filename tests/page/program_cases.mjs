// The pages that heed writes: the numbers on the page are those of its JSON.
// HEED_PROGRAM is the program, HEED_PAGE_MODEL the folder of a model with two heads.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { template } from './assemble.mjs';
import { settled } from './browser.mjs';
import { furthest, goTo, readTable } from './reading.mjs';

const { HEED_PROGRAM: program, HEED_PAGE_MODEL: model } = process.env;

const look = (more, input) =>
  execFileSync(program, ['attention', '--model', model, ...more], {
    input,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });

const cases = {};

/** Compares every head of some parts of a sentence, the number of which counts from 1. */
async function compare(page, object, sentence, parts) {
  for (const part of parts) {
    for (const [head, expected] of object.attention[part][0].entries()) {
      const place = `part=${part}&layer=1&head=${head + 1}&unit=pieces`;
      await goTo(page, `#sentence=${sentence}&${place}`);
      const shown = await readTable(page);
      assert.ok(furthest(shown.values, expected) <= 1 / 255, `${sentence} ${place}`);
      assert.deepEqual(shown.queries, (part === 'encoder' ? object.source : object.target).pieces);
    }
  }
}

cases['heed’s page shows the numbers of heed’s JSON'] = async ({ browser }) => {
  const pair = ['--source', 'ba ko ri', '--target', 'ko ba'];
  const object = JSON.parse(look([...pair, '--json', '-']));
  const page = await browser.open(look([...pair, '--html', '-']));
  await compare(page, object, 1, ['encoder', 'decoder', 'cross']);
  page.assertQuiet();
};

cases['heed’s page lists all lines of its input'] = async ({ browser }) => {
  const lines = 'ba ko ri\nri ba\n';
  const objects = look(['--json', '-'], lines)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const page = await browser.open(look(['--html', '-'], lines));
  const names = await page.$$eval('select option', (all) => all.map((each) => each.textContent));
  for (const { source } of objects) {
    assert.ok(
      names.some((name) => name.includes(source.text)),
      source.text,
    );
  }
  // The four alternatives of the first line come before the second.
  await compare(page, objects[0], 1, ['encoder']);
  await compare(page, objects[1], 6, ['encoder']);
  page.assertQuiet();
};

cases['heed’s page is the one of web/'] = async () => {
  const html = look(['--html', '-', '--source', 'ba']);
  const [before, after] = template().split('@DATA@');
  assert.ok(html.startsWith(before));
  assert.ok(html.endsWith(after));
};

cases['hostile text is inert on heed’s page'] = async ({ browser }) => {
  const hostile = '</script><img src=x onerror=alert(1)> "\'\u202e\u001b[31m';
  const page = await browser.open(look(['--html', '-', '--source', hostile, '--target', hostile]));
  assert.equal(await page.$$eval('img', (all) => all.length), 0);
  page.assertQuiet();
};

/** Trains a model for a second, watching two sentences, and uses its folder. */
async function withWatchedModel(use) {
  const folder = mkdtempSync(join(tmpdir(), 'heed-watched-'));
  const words = ['ba', 'ko', 'ri', 'mu', 'te'];
  const lines = Array.from({ length: 300 }, (_, i) =>
    Array.from({ length: 2 + (i % 4) }, (__, k) => words[(i * 7 + k * k * 3 + k) % 5]),
  );
  const file = (name) => join(folder, name);
  writeFileSync(file('a'), lines.map((line) => `${line.join(' ')}\n`).join(''));
  writeFileSync(file('b'), lines.map((line) => `${line.toReversed().join(' ')}\n`).join(''));
  const sizes = '--width 16 --heads 2 --encoder-layers 1 --decoder-layers 1 --ffn 32 --batch 400';
  const run = '--max-length 100 --steps 40 --validate-every 10 --threads 1 --valid-lines 2';
  const corpus = ['--train', file('a'), file('b'), '--vocabulary-kind', 'words'];
  const watch = ['--watch', 'ba ko ri\tri ko ba', '--watch', '<img src=x onerror=alert(1)> mu'];
  try {
    execFileSync(
      program,
      ['train', '--model', file('m'), ...corpus, ...watch, ...`${sizes} ${run}`.split(' ')],
      { stdio: 'pipe' },
    );
    await use((...more) =>
      execFileSync(program, ['attention', '--model', file('m'), '--over-time', ...more], {
        encoding: 'utf8',
        maxBuffer: 1 << 28,
      }),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

cases['heed’s page over training shows the numbers of its JSON at every step'] = async ({
  browser,
}) =>
  withWatchedModel(async (look) => {
    const objects = look('--json', '-')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      objects.map(({ step }) => step),
      [10, 10, 20, 20, 30, 30, 40, 40],
    );
    const page = await browser.open(look('--html', '-'));
    for (const [i, object] of objects.entries()) {
      const place = `sentence=${1 + (i % 2)}&step=${1 + Math.floor(i / 2)}`;
      for (const part of ['encoder', 'cross']) {
        const state = `${place}&part=${part}&layer=1&head=2&unit=pieces`;
        await goTo(page, `#${state}`);
        const shown = await readTable(page);
        assert.ok(furthest(shown.values, object.attention[part][0][1]) <= 1 / 255, state);
      }
      // The line about the head has its role at that step.
      const head = object.heads.find((row) => row.part === 'cross' && row.head === 2);
      const entropy = page.locator('table.heads tr.chosen');
      assert.ok((await entropy.textContent()).includes(head.role));
      assert.ok((await entropy.textContent()).includes(head.figures.entropy.toFixed(3)));
    }
    assert.equal(await page.$$eval('img', (all) => all.length), 0);
    page.assertQuiet();
  });

cases['heed’s page over training plays, and says what each head became'] = async ({ browser }) =>
  withWatchedModel(async (look) => {
    const said = look().trimEnd().split('\n');
    const page = await browser.open(look('--html', '-'), { hash: '#part=cross', width: 360 });
    assert.equal(await page.textContent('.step'), 'step 40');
    await page.focus('.player input');
    await page.keyboard.press('Home');
    await settled(page);
    assert.equal(await page.textContent('.step'), 'step 10');
    await page.keyboard.press('ArrowRight');
    await settled(page);
    assert.equal(await page.textContent('.step'), 'step 20');
    await page.focus('.play');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.querySelector('.step').textContent === 'step 40');
    const lines = await page.$$eval('.roles li', (all) => all.map((line) => line.textContent));
    const heads = said.filter((line) => line.startsWith('cross:'));
    assert.equal(lines.length, heads.length);
    heads.forEach((line, i) => {
      const [, role, since] = line.match(/^cross:\S+ +(.+?)  +(\d+)/);
      const expected = since === '10' ? `${role} from the start` : `${role} since step ${since}`;
      assert.ok(lines[i].includes(expected), `${lines[i]}: ${expected}`);
    });
    const note = await page.textContent('.heads-card .note');
    assert.equal(note, 'Figures and roles over the first 15 pairs of the validation set.');
    assert.ok(
      await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth),
      'nothing sticks out',
    );
    page.assertQuiet();
  });

export default program && model ? cases : {};
