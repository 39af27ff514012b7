// Pages stay small, and answer at once even when the text is long.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assemble, template, web } from './assemble.mjs';
import * as fixtures from './fixtures.mjs';

const cases = {};

// Milliseconds for what a person does. Tests share their machine, so they only tell how long it
// took; HEED_PAGE_BOUND=100 is what an idle one should pass.
const bound = Number(process.env.HEED_PAGE_BOUND ?? Infinity);

cases['the build assembles the same page'] = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'heed-page-'));
  const output = join(folder, 'page.html');
  const script = fileURLToPath(new URL('../cmake/web_page.cmake', web));
  execFileSync('cmake', [`-DWEB=${fileURLToPath(web)}`, `-DOUTPUT=${output}`, '-P', script]);
  assert.ok(readFileSync(output, 'utf8') === template(), 'the pages differ');
  rmSync(folder, { recursive: true });
};

cases['40 tokens, 6 layers, 8 heads, three parts: at most 0.5 MB'] = async ({ figure }) => {
  for (const deflate of [false, true]) {
    const bytes = Buffer.byteLength(assemble(fixtures.long(40, { deflate }).data));
    figure(`${deflate ? 'compressed' : 'plain'} ${(bytes / 1e6).toFixed(2)} MB`);
    assert.ok(bytes <= 0.5e6);
  }
};

/** Milliseconds until what an action asks for is drawn: the slowest of some. */
async function slowest(page, action, times) {
  return page.evaluate(
    async ([source, n]) => {
      const act = new Function('i', source);
      const drawn = () =>
        new Promise((done) =>
          requestAnimationFrame(() => {
            const channel = new MessageChannel();
            channel.port1.onmessage = done;
            channel.port2.postMessage(null);
          }),
        );
      let worst = 0;
      for (let i = 0; i < n; ++i) {
        await drawn();
        const start = performance.now();
        act(i);
        await drawn();
        worst = Math.max(worst, performance.now() - start);
      }
      return worst;
    },
    [action, times],
  );
}

cases['512 × 512 tokens: at most 20 MB, and how fast it is drawn'] = async ({
  browser,
  figure,
}) => {
  const html = assemble(fixtures.long(512).data);
  figure(`${(Buffer.byteLength(html) / 1e6).toFixed(1)} MB`);
  assert.ok(Buffer.byteLength(html) <= 20e6);
  const start = Date.now();
  // `slowest` builds functions from text, which the page's policy refuses.
  const page = await browser.open(html, { bypassCSP: true });
  figure(`opened in ${Date.now() - start} ms`);
  await page.waitForSelector('.overview[data-painted]', { timeout: 60000 });
  const measured = {
    'hover in the matrix': `
      const matrix = document.querySelector('.matrix-scroll');
      const box = matrix.getBoundingClientRect();
      matrix.dispatchEvent(new PointerEvent('pointermove',
        { clientX: box.left + 200 + 9 * i, clientY: box.top + 200 + 7 * i, bubbles: true }));`,
    'hover over a word': `
      document.querySelectorAll('.query-words li')[3 + i]
        .dispatchEvent(new PointerEvent('pointerover', { bubbles: true }));`,
    'change of head': `
      document.querySelectorAll('.thumbnail')[(7 * i) % 48].click();`,
    'scroll of the flow': `document.querySelector('.flow-scroll').scrollTop = 400 * i;`,
  };
  const late = [];
  for (const [what, action] of Object.entries(measured)) {
    const time = await slowest(page, action, 12);
    figure(`${what} ${time.toFixed(0)} ms`);
    if (time > bound) late.push(what);
  }
  assert.deepEqual(late, []);
  await page.evaluate(() => {
    document.querySelector('.as-table').open = true;
  });
  await page.waitForSelector('.as-table tbody tr:nth-child(512)');
  page.assertQuiet();
};

cases['60 × 60 words have every label'] = async ({ browser }) => {
  const page = await browser.open(fixtures.long(60).data);
  const [, , cell] = (await page.getAttribute('.matrix-scroll', 'data-geometry'))
    .split(' ')
    .map(Number);
  assert.ok(cell >= 8.5, `cells of ${cell} pixels`);
};

export default cases;
