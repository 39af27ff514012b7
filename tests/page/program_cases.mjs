// The pages that heed writes: the numbers on the page are those of its JSON.
// HEED_PROGRAM is the program, HEED_PAGE_MODEL the folder of a model with two heads.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { template } from './assemble.mjs';
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

export default program && model ? cases : {};
