// The server's page for everybody: both schemes, small screens, other directions, hostile texts,
// screen readers; and its files, as they are served.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { web } from './assemble.mjs';
import { axeSource, settled } from './browser.mjs';
import { hashOf, open, shows, translation } from './server_page.mjs';
import { sharedServer, startServer, translated } from './serving.mjs';

const cases = {};
const TABS = ['text', 'documents', 'training', 'api'];

const ground = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

cases['the page is light or dark, as the system or the user says'] = async ({ browser }) => {
  const light = await open(browser, 'one');
  assert.equal(await ground(light), 'rgb(248, 247, 250)');
  const dark = await open(browser, 'one', { dark: true });
  assert.equal(await ground(dark), 'rgb(18, 16, 23)');
  await dark.click('[aria-label="Colours: as the system"]');
  assert.equal(await ground(dark), 'rgb(248, 247, 250)');
  await dark.reload();
  await dark.waitForSelector('[aria-label="Colours: light"]');
  assert.equal(await ground(dark), 'rgb(248, 247, 250)', 'it is remembered');
  dark.assertQuiet();
};

cases['the page works where the browser keeps nothing'] = async ({ browser }) => {
  const { origin } = await sharedServer();
  const page = await browser.visit('about:blank', { early: true });
  // As with all cookies blocked.
  await page.addInitScript(() => {
    for (const name of ['localStorage', 'sessionStorage']) {
      Object.defineProperty(window, name, {
        get: () => {
          throw new DOMException('Access is denied', 'SecurityError');
        },
      });
    }
  });
  await page.goto(origin + hashOf({ from: 'en', to: 'de', text: 'one' }));
  await shows(page, 'eins');
  await page.click('[aria-label="Colours: as the system"]');
  assert.equal(await ground(page), 'rgb(18, 16, 23)');
};

cases['without scripts, the page says so and does not load for ever'] = async ({ browser }) => {
  const { origin } = await sharedServer();
  const page = await browser.visit(origin, { early: true, scripts: false });
  assert.equal(await page.isVisible('text=Loading'), false);
  assert.ok(await page.isVisible('noscript .error'));
};

cases['a page that does not load says what to do'] = async ({ browser }) => {
  const { origin } = await sharedServer();
  const page = await browser.visit('about:blank', { early: true });
  await page.route('**/connection.js', (route) => route.abort());
  await page.goto(origin);
  assert.equal(await page.isVisible('.late'), false, 'not at once');
  await page.waitForSelector('.late', { state: 'visible', timeout: 15000 });
  assert.match(await page.textContent('.late'), /reload the page/);
};

cases['what is chosen and lit is seen in colours that the user prescribes'] = async ({
  browser,
}) => {
  const page = await open(browser, 'one two three', {
    forcedColors: 'active',
    state: { attention: 'shown' },
  });
  await page.waitForSelector('.viewer-part[data-ready]');
  const look = (selector) =>
    page.$eval(selector, (element) => {
      const { backgroundColor, outlineStyle, color } = getComputedStyle(element);
      return { ground: backgroundColor, ring: outlineStyle, ink: color };
    });
  const pairs = [
    ['.tab[aria-selected=true]', '.tab[aria-selected=false]'],
    ['.segments input:checked + span', '.segments input:not(:checked) + span'],
  ];
  for (const [on, off] of pairs) {
    assert.notEqual((await look(on)).ground, (await look(off)).ground, on);
  }
  await page.hover('.target-word >> nth=1');
  for (const lit of ['.target-word.lit', '.mirror mark', '.thumbnail[aria-pressed=true]']) {
    assert.equal((await look(lit)).ring, 'solid', lit);
  }
  assert.equal((await look('.mirror')).ink, 'rgba(0, 0, 0, 0)', 'the text is not seen twice');
};

cases['on paper, the page is light and has the texts in full'] = async ({ browser }) => {
  const text = Array.from({ length: 80 }, () => 'one two three').join('\n');
  const page = await open(browser, text, { dark: true, state: { attention: 'shown' } });
  await page.waitForSelector('.viewer-part[data-ready]');
  await page.emulateMedia({ media: 'print' });
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  await settled(page);
  assert.equal(await ground(page), 'rgb(248, 247, 250)');
  const cut = await page.$$eval('.pane-scroll, .table-scroll', (all) =>
    all.filter((each) => each.scrollHeight > each.clientHeight + 1).map((each) => each.className),
  );
  assert.deepEqual(cut, []);
  for (const name of ['.tabs', '.quiet-button', '.controls']) {
    assert.equal(await page.isVisible(name), false, name);
  }
  await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
  await settled(page);
  assert.equal(await ground(page), 'rgb(18, 16, 23)');
};

cases['nothing moves that was not touched'] = async ({ browser }) => {
  const page = await open(browser, 'one');
  const lefts = () =>
    page.$$eval('.tab', (all) => all.map((each) => each.getBoundingClientRect().left));
  const before = await lefts();
  for (const tab of TABS) {
    await page.click(`#tab-${tab}`);
    assert.deepEqual(await lefts(), before, tab);
  }
  // Both sides are written in letters of one size, whichever text is longer.
  await page.click('#tab-text');
  const sizes = () =>
    page.$$eval('#source, .mirror, .translation', (all) =>
      all.map((each) => getComputedStyle(each).fontSize),
    );
  const seen = new Set();
  for (const count of [17, 19, 20, 21]) {
    const text = Array.from({ length: count }, () => 'one two three').join('\n');
    await page.fill('#source', text);
    await shows(page, translated(text, 'en', 'de'));
    const [source, ...others] = await sizes();
    assert.deepEqual(others, [source, source], `${text.length} characters`);
    seen.add(source);
  }
  assert.equal(seen.size, 2, 'small ones for long texts');
  // The names of the languages stand above the texts.
  await page.setViewportSize({ width: 1280, height: 860 });
  const inner = await page.evaluate(() => {
    const edge = (selector, more) => {
      const element = document.querySelector(selector);
      const { left } = element.getBoundingClientRect();
      return left + parseFloat(getComputedStyle(element).paddingLeft) + more;
    };
    // A border, and what browsers leave before the text of a menu.
    return { menu: edge('#text-from', 5), text: edge('#source', 0) };
  });
  assert.ok(Math.abs(inner.menu - inner.text) < 2, JSON.stringify(inner));
};

cases['the list of alternatives is in sight'] = async ({ browser }) => {
  const text = Array.from({ length: 60 }, () => 'one two three').join('\n');
  const page = await open(browser, text, { height: 500 });
  const last = page.locator('.target-word >> nth=-1');
  await last.scrollIntoViewIfNeeded();
  await last.click();
  await page.waitForSelector('[role=option]:focus');
  await settled(page);
  const box = await page.locator('.alternatives-list').boundingBox();
  assert.ok(box.y >= 0 && box.y + box.height <= 500, JSON.stringify(box));
  // It goes with its word when the text is scrolled.
  const distance = async () =>
    (await page.locator('.alternatives-list').boundingBox()).y - (await last.boundingBox()).y;
  const before = await distance();
  await page.$eval('.target-pane .pane-scroll', (pane) => pane.scrollBy(0, -60));
  await settled(page);
  assert.ok(Math.abs((await distance()) - before) < 1);
  // From right to left, the word comes first there, too.
  const arabic = await open(browser, 'one two three', { to: 'ar' });
  await arabic.click('.target-word');
  await arabic.waitForSelector('[role=option]');
  const [word, rest] = await Promise.all(
    ['.other-word', '.other-rest'].map((each) => arabic.locator(each).first().boundingBox()),
  );
  assert.ok(word.x > rest.x);
};

cases['the page fits a phone of 360 pixels'] = async ({ browser }) => {
  const text = `one two ${'threefourfive'.repeat(12)}\nsix`;
  const page = await open(browser, text, {
    width: 360,
    height: 740,
    state: { attention: 'shown' },
  });
  await page.waitForSelector('.viewer-part[data-ready]');
  const fits = () => page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
  // The menus have room for what is chosen, and for no less.
  await page.selectOption('#text-from', 'auto');
  await page.waitForFunction(() =>
    document.querySelector('#text-from').selectedOptions[0].text.includes('detected'),
  );
  const narrow = await page.$$eval('#text-from, #text-to', (all) =>
    all.filter((each) => {
      const now = each.offsetWidth;
      each.style.maxWidth = 'none';
      const wanted = each.offsetWidth;
      each.style.maxWidth = '';
      return now < wanted;
    }),
  );
  assert.deepEqual(narrow, []);
  for (const tab of TABS) {
    await page.click(`#tab-${tab}`);
    await settled(page);
    assert.ok(await fits(), `${tab}: nothing sticks out`);
    if (tab !== 'api') continue;
    const hidden = await page.$$eval('pre', (all) =>
      all.some((each) => each.scrollWidth > each.clientWidth),
    );
    assert.equal(hidden, false, 'lines for a terminal are seen whole');
  }
  await page.click('#tab-text');
  await page.click('.target-word');
  await page.waitForSelector('[role=option], .alternatives-list .note:not(:empty)');
  await settled(page);
  assert.ok(await fits(), 'nor does the list of alternatives');
  const box = await page.locator('.alternatives-list').boundingBox();
  assert.ok(box.x >= 0 && box.x + box.width <= 360);
  // As small as a screen of 1280 pixels at 400 %.
  await page.setViewportSize({ width: 320, height: 640 });
  assert.ok(await fits());
  assert.ok(await page.$eval('.tabs', (tabs) => tabs.scrollWidth <= tabs.clientWidth));
  page.assertQuiet();
};

cases['the page writes from right to left'] = async ({ browser }) => {
  const page = await open(browser, 'one two three', { to: 'ar' });
  await shows(page, translated('one two three', 'en', 'ar'));
  const { direction, lang } = await page.evaluate(() => {
    const element = document.querySelector('.translation');
    return { direction: getComputedStyle(element).direction, lang: element.lang };
  });
  assert.deepEqual([direction, lang], ['rtl', 'ar']);
  const lefts = await page.$$eval('.target-word', (all) =>
    all.map((each) => each.getBoundingClientRect().left),
  );
  assert.ok(lefts[0] > lefts[1] && lefts[1] > lefts[2], 'the first word is on the right');
  // The arrow key goes where it points.
  await page.focus('.target-word');
  await page.keyboard.press('ArrowLeft');
  assert.equal(await page.textContent('.target-word:focus'), translated('two', 'en', 'ar'));
  // A source from right to left, too.
  await page.fill('#source', translated('one two', 'en', 'ar'));
  assert.equal(
    await page.evaluate(() => getComputedStyle(document.querySelector('#source')).direction),
    'rtl',
  );
  page.assertQuiet();
};

const HOSTILE = [
  '</script><script>window.hacked = 1</script>',
  '<img src=x onerror="window.hacked = 1">',
  'one \u202e two \u2066 \u0007 \u001b[31m \ud800 end',
  '\'"><svg/onload=window.hacked=1> javascript:alert(1) {{7*7}} ${1} %s',
  '__proto__ constructor',
].join('\n');

cases['hostile texts do nothing on the server’s page'] = async ({ browser }) => {
  const page = await open(browser, HOSTILE, { state: { attention: 'shown' } });
  await page.waitForSelector('.viewer-part[data-ready]');
  for (const tab of TABS) await page.click(`#tab-${tab}`);
  await page.click('#tab-documents');
  await page.setInputFiles('#files', [
    {
      name: '<img src=x onerror=hacked=1>\u202e.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('one'),
    },
  ]);
  await page.waitForSelector('.files a[download]');
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await page.$$eval('img, script:not([src])', (all) => all.length), 0);
  // The mirror behind the text area has what that has, and is not seen.
  const texts = await page.$$eval('.translation, pre, .files, .viewer-part', (all) =>
    all.map((each) => each.textContent).join(''),
  );
  assert.ok(texts.includes('\\u202e') && !texts.includes('\u202e'), 'nothing is turned around');
  page.assertQuiet();
};

cases['a hostile answer does nothing on the server’s page'] = async ({ browser }) => {
  const page = await open(browser, 'one');
  const hostile = '<img src=x onerror=hacked=1>';
  const words = [
    { start: 0, end: 4 },
    { start: 5, end: 999 },
  ];
  const sentence = {
    source: 'two',
    'source-words': [{ start: 0, end: 3 }],
    translations: [
      {
        text: hostile,
        words,
        alignment: [
          [9, 9],
          [0, 0],
          [-1, 1],
        ],
      },
    ],
  };
  const body = JSON.stringify({
    source: '"><b>',
    translations: [{ text: hostile, sentences: [sentence] }],
  });
  await page.route('**/v1/translate', (route) => route.fulfill({ status: 200, body }));
  await page.fill('#source', 'two');
  await shows(page, hostile);
  await page.hover('.target-word >> nth=0');
  assert.equal(await page.$('img'), null);
  await page.unroute('**/v1/translate');
  await page.route('**/v1/translate', (route) => route.fulfill({ status: 200, body: '{}' }));
  await page.fill('#source', 'three');
  await page.waitForSelector('.notice:not([hidden])');
  assert.match(await page.textContent('.notice'), /Something on this page went wrong/);
  page.assertQuiet();
};

cases['a long text stays readable and quick'] = async ({ browser, figure }) => {
  const text = Array.from({ length: 300 }, () => 'one two three four five six').join('\n');
  const page = await open(browser, '');
  const began = Date.now();
  await page.fill('#source', text);
  await shows(page, translated(text, 'en', 'de'));
  figure(`${Date.now() - began} ms for 1,800 words`);
  await page.hover('.target-word >> nth=3');
  assert.equal(await page.textContent('.mirror mark'), 'four');
  const { inner, outer } = await page.evaluate(() => ({
    inner: document.querySelector('.source-pane .pane-scroll').scrollHeight,
    outer: document.querySelector('.source-pane .pane-scroll').clientHeight,
  }));
  assert.ok(inner > outer && outer <= 660, 'it scrolls inside of its pane');
  page.assertQuiet();
};

/** Runs axe on what is shown. */
async function violations(page) {
  await page.evaluate(axeSource());
  const { violations: found } = await page.evaluate(() =>
    window.axe.run(document, {
      resultTypes: ['violations'],
      rules: { 'color-contrast': { enabled: true } },
    }),
  );
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

for (const dark of [false, true]) {
  cases[`axe finds nothing on the server’s page, ${dark ? 'dark' : 'light'}`] = async ({
    browser,
  }) => {
    const page = await open(browser, 'one two three', { dark, bypassCSP: true });
    await page.click('.target-word');
    await page.waitForSelector('[role=option]');
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press('Escape');
    for (const tab of TABS.slice(1)) {
      await page.click(`#tab-${tab}`);
      if (tab === 'training') await page.waitForSelector('.curves svg');
      assert.deepEqual(await violations(page), [], tab);
    }
    if (dark) return;
    await page.click('#tab-text');
    await page.click('.fold');
    await page.waitForSelector('.viewer-part[data-ready]');
    assert.deepEqual(await violations(page), [], 'attention');
  };
}

cases['everything on the server’s page can be reached by keyboard'] = async ({ browser }) => {
  const page = await open(browser, 'one two');
  const focused = () =>
    page.evaluate(() => {
      const { activeElement: element } = document;
      return element.getAttribute('aria-label') ?? (element.id || element.textContent);
    });
  await page.focus('#tab-text');
  const seen = [];
  for (let i = 0; i < 9; ++i) {
    await page.keyboard.press('Tab');
    seen.push(await focused());
  }
  assert.deepEqual(seen, [
    'Colours: as the system',
    'text-from',
    'Swap languages',
    'text-to',
    'Text to translate',
    'Clear the text',
    'eins',
    'Copy the translation',
    'What the model attends to',
  ]);
  await page.focus('#tab-text');
  await page.keyboard.press('ArrowRight');
  assert.equal(await focused(), 'tab-documents');
  assert.ok(await page.isVisible('.drop-zone'));
  await page.keyboard.press('End');
  assert.ok(await page.isVisible('.curl-list'));
  page.assertQuiet();
};

cases['the files of the page are kept by browsers, and nothing else is allowed'] = async () => {
  const { origin } = await sharedServer();
  const start = await fetch(origin);
  const policy = start.headers.get('content-security-policy');
  for (const part of [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ]) {
    assert.ok(policy.split('; ').includes(part), `${part} in ${policy}`);
  }
  assert.equal(start.headers.get('cache-control'), 'no-cache');
  const tag = start.headers.get('etag');
  const again = await fetch(origin, { headers: { 'If-None-Match': tag } });
  assert.equal(again.status, 304);
  const html = await start.text();
  const names = [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, name]) => name);
  assert.ok(names.length > 40);
  assert.ok(names.every((name) => /^assets\/[0-9a-f]{16}\//.test(name)));
  for (const name of names) {
    const file = await fetch(origin + name);
    assert.equal(file.status, 200, name);
    assert.match(file.headers.get('cache-control'), /max-age=31536000, immutable/);
    assert.equal(file.headers.get('x-content-type-options'), 'nosniff');
    const own = readFileSync(new URL(name.replace(/^assets\/[^/]+\//, ''), web), 'utf8');
    assert.equal(await file.text(), own, name);
  }
};

cases['the page can be left out, or come from a folder'] = async ({ browser }) => {
  const without = await startServer({ pairs: ['en-de'], more: ['--no-page'] });
  assert.equal((await fetch(without.origin)).status, 404);
  assert.equal((await fetch(`${without.origin}languages`)).status, 200);
  await without.stop();
  const live = await startServer({
    pairs: ['en-de'],
    more: ['--page', fileURLToPath(web)],
  });
  const page = await browser.visit(live.origin, {
    hash: hashOf({ from: 'en', to: 'de', text: 'one' }),
  });
  await shows(page, 'eins');
  assert.equal(await translation(page), 'eins');
  page.assertQuiet();
  for (const path of ['README.md', '../README.md', '..%2FREADME.md', 'page/../../README.md', '']) {
    const { status } = await fetch(`${live.origin}assets/live/${path}`);
    assert.equal(status, 404, path);
  }
  await live.stop();
};

export default process.env.HEED_PROGRAM ? cases : {};
