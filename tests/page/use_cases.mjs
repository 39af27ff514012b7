// What people do with the page: choose, sort, type, share, save, look at it on a phone.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { bundle } from './assemble.mjs';
import { axeSource, settled } from './browser.mjs';
import * as fixtures from './fixtures.mjs';
import { furthest, goTo, readTable, toNumber } from './reading.mjs';

const cases = {};

const pressed = (page) =>
  page.$eval('.thumbnail[aria-pressed=true] .label', (label) => label.children[1].textContent);
const hashOf = (page) => page.evaluate(() => window.location.hash);
const values = (page, selector) =>
  page.$$eval(selector, (all) => all.map((each) => each.textContent));
cases['starts with the part and head that align best'] = async ({ browser }) => {
  const { data } = fixtures.small();
  const page = await browser.open(data);
  const best = data.heads.rows
    .filter((row) => row.part === 'cross')
    .reduce((a, b) => (b.figures.aer < a.figures.aer ? b : a));
  assert.equal(await page.isChecked('input[name=part][value=cross]'), true);
  assert.equal(await pressed(page), `${best.layer + 1}·${best.head + 1}`);
  assert.equal(await hashOf(page), '', 'the defaults need no hash');
  const first = await browser.open({ ...data, first: { part: 'encoder', layer: 1, head: 3 } });
  assert.equal(await pressed(first), '2·4');
};

cases['the policy allows nothing but the page’s own script and style'] = async ({ browser }) => {
  const page = await browser.open(fixtures.small().data);
  const content = await page.getAttribute('meta[http-equiv]', 'content');
  const policy = content.trim().replace(/\s+/g, ' ');
  assert.match(
    policy,
    /^default-src 'none'; script-src 'sha256-[^' ]+'; style-src 'sha256-[^' ]+';/,
  );
  assert.ok(!/unsafe|http|data:|blob:/.test(policy));
  page.assertQuiet();
  const refused = await page.evaluate(async () => {
    const results = [];
    document.addEventListener('securitypolicyviolation', (event) =>
      results.push(event.violatedDirective),
    );
    await fetch('data:text/plain,x').catch(() => {});
    new Image().src = 'data:image/gif;base64,R0lGODlhAQABAAAAACw=';
    const script = document.createElement('script');
    try {
      script.textContent = 'window.hacked = 1';
    } catch {
      results.push('trusted types');
    }
    document.body.append(script);
    await new Promise((done) => setTimeout(done, 50));
    return { results, hacked: window.hacked };
  });
  assert.equal(refused.hacked, undefined);
  assert.ok(refused.results.includes('connect-src'), String(refused.results));
  assert.ok(refused.results.includes('img-src'));
  assert.ok(refused.results.includes('trusted types'));
};

cases['controls choose part, layer, head, kind, tokens and scale'] = async ({ browser }) => {
  const { data, sentences } = fixtures.small();
  const page = await browser.open(data);
  await page.check('input[value=encoder]', { force: true });
  await page.selectOption('#layer', { value: '1' });
  await page.selectOption('#head', { value: '2' });
  await page.check('input[value=pieces]', { force: true });
  await page.check('input[value=norms]', { force: true });
  await settled(page);
  const shown = await readTable(page);
  const expected = sentences[0].parts.encoder.values.norms[6];
  assert.ok(furthest(shown.values, expected) <= 0.02);
  await page.selectOption('#head', { value: 'mean' });
  assert.match(await page.textContent('.readout'), /layer 2, mean of heads/);
  await page.selectOption('#layer', { value: 'mean' });
  assert.match(await page.textContent('.readout'), /mean of all heads/);
  await page.selectOption('#head', { value: '0' });
  assert.match(await page.textContent('.readout'), /layer 1, head 1/);
  await page.uncheck('#special');
  assert.ok(!(await values(page, '.key-words .word')).includes('</s>'));
  page.assertQuiet();
};

cases['sentences and alternatives'] = async ({ browser }) => {
  const page = await browser.open(fixtures.small().data);
  assert.deepEqual(await values(page, '#sentence option'), [
    '1. The black cat sat on the windowsill and watched the snow fall.',
    '2. Good morning!',
    '↳ The black cat sat on the windowsill and watched the snow fall.',
  ]);
  await page.click('.alternatives summary');
  await page.click('.alternatives button');
  await settled(page);
  assert.deepEqual((await values(page, '.text .sentence'))[1], 'Die Katze saß da.');
  await page.selectOption('#sentence', { value: '1' });
  await settled(page);
  assert.deepEqual(await values(page, '.text .sentence'), ['Good morning!', 'Guten Morgen!']);
  assert.equal(await page.inputValue('#sentence'), '1');
  page.assertQuiet();
};

cases['everything by keyboard'] = async ({ browser }) => {
  const page = await browser.open(fixtures.small().data, { hash: '#layer=1&head=1' });
  const press = async (key) => {
    await page.keyboard.press(key);
    await settled(page);
  };
  const steps = [
    [']', /layer=1&head=2/],
    ['[', /layer=1&head=1/],
    ['[', /layer=1&head=4/],
    ['}', /layer=2&head=4/],
    ['{', /layer=1&head=4/],
    ['m', /head=mean/],
    ['m', /head=4/],
    ['k', /kind=norms/],
    ['k', /kind=gradients/],
    ['w', /unit=pieces/],
    ['s', /special=hidden/],
    ['c', /scale=common/],
    ['n', /sentence=2/],
    ['N', /^(?!.*sentence)/],
    ['p', /part=encoder/],
    ['t', /theme=dark/],
  ];
  for (const [key, expected] of steps) {
    await press(key);
    assert.match(await hashOf(page), expected, `after ${key}`);
  }
  await goTo(page, '#layer=1&head=1');
  await press('1');
  await press('ArrowDown');
  await press('ArrowDown');
  const focused = () =>
    page.evaluate(() => {
      const item = document.activeElement;
      return `${item.parentElement.classList[1]} ${item.dataset.index}`;
    });
  assert.equal(await focused(), 'query-words 2');
  assert.match(await page.textContent('.readout'), /^Katze attends to /);
  await press('Enter');
  assert.match(await hashOf(page), /query=3/);
  await press('ArrowRight');
  assert.match(await focused(), /^key-words/);
  await press('Escape');
  assert.ok(!/query/.test(await hashOf(page)));
  await press('2');
  await press('ArrowDown');
  await press('ArrowRight');
  assert.match(await page.textContent('.readout'), /^schwarze → black 0\.\d+ weight/);
  await press('Enter');
  assert.match(await hashOf(page), /query=2&key=2/);
  await press('3');
  await press('ArrowRight');
  await press('ArrowDown');
  await press('Enter');
  assert.match(await hashOf(page), /layer=2&head=2/);
  await press('4');
  assert.equal(await page.evaluate(() => document.activeElement.dataset.sort), 'position');
  await press('?');
  const help = await page.textContent('.help');
  for (const [key] of steps) assert.ok(help.includes(key), `help names ${key}`);
  const before = await hashOf(page);
  await press(']');
  assert.equal(await hashOf(page), before, 'keys rest while the help is open');
  await page.uncheck('#single-keys');
  await press('Escape');
  await press(']');
  assert.equal(await hashOf(page), before, 'single keys can be switched off');
  page.assertQuiet();
};

cases['every control is reached with Tab, and shows that it has the focus'] = async ({
  browser,
}) => {
  const page = await browser.open(fixtures.small().data);
  const reached = new Set();
  for (let i = 0; i < 60; ++i) {
    await page.keyboard.press('Tab');
    reached.add(
      await page.evaluate(() => {
        const { activeElement: e } = document;
        const outlined = e.matches('.segments input') ? e.nextElementSibling : e;
        const style = getComputedStyle(outlined);
        const ring = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0;
        const name = e.id || e.name || e.classList[0] || e.tagName;
        return ring ? name : `${name} without ring`;
      }),
    );
  }
  for (const name of [
    'sentence',
    'part',
    'layer',
    'head',
    'kind',
    'unit',
    'scale',
    'special',
    'matrix-scroll',
    'thumbnail',
    'sort',
    'save',
    'round',
    'table-scroll',
    'SUMMARY',
  ]) {
    assert.ok(reached.has(name), `${name} in ${[...reached]}`);
  }
};

cases['overview and table are sorted by the figures'] = async ({ browser }) => {
  const { data } = fixtures.small();
  const page = await browser.open(data);
  const rows = data.heads.rows.filter((row) => row.part === 'cross');
  const order = (key) =>
    [...rows]
      .sort((a, b) => a.figures[key] - b.figures[key])
      .map((row) => `${row.layer + 1}·${row.head + 1}`);
  await page.selectOption('#sort', 'entropy');
  assert.deepEqual(await values(page, '.heads tbody th [aria-hidden]'), order('entropy'));
  assert.deepEqual(await values(page, '.thumbnail .label > span:nth-child(2)'), order('entropy'));
  const figures = (await values(page, '.thumbnail .figure')).map(toNumber);
  const expected = rows.map((row) => row.figures.entropy).sort((a, b) => a - b);
  figures.forEach((figure, i) => assert.ok(Math.abs(figure - expected[i]) < 0.001));
  await page.click('.heads [data-sort=aer]');
  assert.deepEqual(await values(page, '.heads tbody th [aria-hidden]'), order('aer'));
  await page.click('.heads [data-sort=aer]');
  assert.deepEqual(await values(page, '.heads tbody th [aria-hidden]'), order('aer').reverse());
  assert.equal(
    await page.getAttribute('.heads th:has([data-sort=aer])', 'aria-sort'),
    'descending',
  );
  const aer = await page.$$eval('.heads tbody tr', (all) =>
    all.map((tr) => tr.lastElementChild.textContent),
  );
  const errors = rows.map((row) => row.figures.aer).sort((a, b) => b - a);
  aer.forEach((text, i) => assert.ok(Math.abs(toNumber(text) - errors[i]) < 0.001));
  await page.click('.heads tbody tr:nth-child(3) button');
  assert.equal(await pressed(page), order('aer').reverse()[2]);
  await page.click('.thumbnail >> nth=5');
  assert.equal(await pressed(page), order('aer').reverse()[5]);
  page.assertQuiet();
};

cases['thumbnails show the heads'] = async ({ browser }) => {
  const page = await browser.open(fixtures.small().data);
  await page.waitForSelector('.overview[data-painted]');
  const pictures = await page.$$eval('.thumbnail canvas', (all) =>
    all.map((canvas) => canvas.toDataURL()),
  );
  assert.equal(pictures.length, 12);
  assert.equal(new Set(pictures).size, 12);
};

cases['the state is in the hash, and a hash that makes no sense is harmless'] = async ({
  browser,
}) => {
  const { data } = fixtures.small();
  const page = await browser.open(data);
  await page.check('input[value=decoder]', { force: true });
  await settled(page);
  await page.selectOption('#layer', { value: '2' });
  await page.click('.query-words li[data-index="3"]');
  const hash = await hashOf(page);
  assert.match(hash, /part=decoder.*layer=3.*query=4/);
  const readout = await page.textContent('.readout');
  const again = await browser.open(data, { hash });
  assert.equal(await again.textContent('.readout'), readout);
  assert.equal(
    await again.getAttribute('.query-words li[data-index="3"]', 'aria-selected'),
    'true',
  );
  // A slider that is dragged changes the state more often than browsers allow for addresses.
  const many = await browser.open(data);
  const writes = await many.evaluate(async () => {
    let count = 0;
    const start = performance.now();
    const real = window.history.replaceState.bind(window.history);
    window.history.replaceState = (...all) => {
      count += 1;
      real(...all);
    };
    const keys = ['w', 's', 'c', ']'];
    for (let i = 0; i < 60; ++i) {
      document.dispatchEvent(new KeyboardEvent('keydown', { key: keys[i % 4] }));
    }
    return { count, seconds: (performance.now() - start) / 1000 };
  });
  const most = 30 * (1 + Math.floor(writes.seconds / 10));
  assert.ok(writes.count > 5 && writes.count <= most, JSON.stringify(writes));
  many.assertQuiet();
  for (const bad of [
    '#part=<img>&layer=99&head=-1',
    '#layer=1e9&sentence=77&step=9',
    '#kind=__proto__',
    '#constructor=1&toString=2',
    '#query=500&key=500',
    '#sort=%3Cscript%3E',
    '#%',
    '#theme=pink&scale=2',
  ]) {
    await goTo(many, bad);
    assert.ok((await readTable(many)).values.length > 0, bad);
    many.assertQuiet();
  }
  const odd = await browser.open(data, { hash: '#part=<img>&layer=99&head=-1&sort=x&query=0' });
  assert.ok((await readTable(odd)).values.length > 0);
  odd.assertQuiet();
};

cases['saves what is shown as SVG'] = async ({ browser }) => {
  const { data } = fixtures.small();
  const page = await browser.open(data, { hash: '#layer=2&head=3&special=hidden&query=3' });
  const shown = await readTable(page);
  for (const view of ['Flow', 'Matrix', 'Overview']) {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.click(`[aria-label="Save ${view} as SVG"]`),
    ]);
    assert.equal(download.suggestedFilename(), `attention-${view.toLowerCase()}-cross-2-3.svg`);
    const svg = readFileSync(await download.path(), 'utf8');
    const read = await readSvg(page, svg);
    if (view === 'Overview') {
      assert.equal(read.images, 12);
      continue;
    }
    for (const label of [...shown.queries, ...shown.keys])
      assert.ok(read.texts.includes(label), label);
    assert.ok(!read.texts.includes('</s>'), 'what is hidden is not saved');
    assert.ok(read.texts.includes(await page.textContent('.matrix-card .high')));
    const saved = read.values.map(Number);
    if (view === 'Matrix') {
      const all = shown.values.flat();
      assert.equal(saved.length, all.length);
      saved.forEach((value, i) => assert.ok(Math.abs(value - all[i]) < 0.001));
    } else {
      assert.ok(saved.length > 20);
      for (const value of saved)
        assert.ok(shown.values.flat().some((each) => Math.abs(each - value) < 0.001));
    }
  }
  page.assertQuiet();
};

/** Reads an SVG as XML and refuses whatever could reach out of it. */
async function readSvg(page, svg) {
  const read = await page.evaluate((text) => {
    // DOMParser is a sink of trusted types, which the page refuses.
    const policy = { text };
    return fetchless(policy.text);
    function fetchless(xml) {
      return { xml };
    }
  }, svg);
  assert.ok(
    !/<script|<foreignObject|<a\b|\bon\w+\s*=\s*"|<!ENTITY|<!DOCTYPE|@import/i.test(read.xml),
  );
  for (const [, reference] of svg.matchAll(/(?:href|src)="([^"]*)"/g)) {
    assert.match(reference, /^data:image\/png;base64,/);
  }
  assert.deepEqual(
    [...svg.matchAll(/xmlns[^=]*="([^"]*)"/g)].map((found) => found[1]),
    ['http://www.w3.org/2000/svg'],
  );
  assert.ok(!/url\(/.test(svg));
  const decode = (text) =>
    text
      .replace(/[\u2068\u2069]/g, '')
      .replace(/&lt;/g, '<')
      .replace(/&gt;/g, '>')
      .replace(/&quot;/g, '"')
      .replace(/&#39;/g, "'")
      .replace(/&amp;/g, '&');
  return {
    texts: [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map((found) => decode(found[1])),
    values: [...svg.matchAll(/data-value="([^"]*)"/g)].map((found) => found[1]),
    images: [...svg.matchAll(/<image /g)].length,
  };
}

cases['a saved SVG is well-formed and draws the same'] = async ({ browser }) => {
  const { data } = fixtures.hostile();
  const page = await browser.open(data);
  for (const view of ['Flow', 'Matrix', 'Overview']) {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.click(`[aria-label="Save ${view} as SVG"]`),
    ]);
    const svg = readFileSync(await download.path(), 'utf8');
    await readSvg(page, svg);
    const context = await browser.chromium.newContext();
    const picture = await context.newPage();
    const problems = [];
    picture.on('pageerror', (error) => problems.push(error.message));
    picture.on('dialog', (dialog) => problems.push(dialog.message()));
    const state = await picture.evaluate((text) => {
      const parsed = new DOMParser().parseFromString(text, 'image/svg+xml');
      return {
        error: parsed.querySelector('parsererror')?.textContent ?? '',
        root: parsed.documentElement.tagName,
      };
    }, svg);
    assert.deepEqual(state, { error: '', root: 'svg' });
    assert.deepEqual(problems, []);
    await context.close();
  }
  page.assertQuiet();
};

cases['light and dark, by the system or by choice'] = async ({ browser }) => {
  const { data } = fixtures.small();
  const ground = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await browser.open(data);
  const dark = await browser.open(data, { dark: true, beside: true });
  assert.equal(await ground(light), 'rgb(248, 247, 250)');
  assert.equal(await ground(dark), 'rgb(18, 16, 23)');
  await light.click('[aria-label^=Colours]');
  assert.equal(await ground(light), 'rgb(18, 16, 23)');
  await light.click('[aria-label^=Colours]');
  await light.emulateMedia({ colorScheme: 'dark' });
  assert.equal(await ground(light), 'rgb(248, 247, 250)', 'the choice holds');
  await light.click('[aria-label^=Colours]');
  assert.equal(await ground(light), 'rgb(18, 16, 23)', 'and can be given back to the system');
  light.assertQuiet();
};

cases['on paper, it is light'] = async ({ browser }) => {
  const page = await browser.open(fixtures.small().data, { dark: true });
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  const pixels = () => page.$eval('.matrix-size canvas', (canvas) => canvas.toDataURL());
  const dark = await pixels();
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  assert.equal(await theme(), 'light');
  assert.notEqual(await pixels(), dark, 'the maps, too');
  await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
  await settled(page);
  assert.equal(await theme(), 'dark');
  assert.equal(await pixels(), dark);
  page.assertQuiet();
};

cases['a phone of 360 pixels: nothing sticks out, a tap lights a word'] = async ({ browser }) => {
  for (const make of [
    fixtures.small,
    fixtures.rightToLeft,
    fixtures.hostile,
    fixtures.training,
    fixtures.plainArray,
  ]) {
    const page = await browser.open(make().data, { width: 360, height: 740, touch: true });
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 360, `${make.name} is ${width} wide`);
    await page.tap('.query-words li[data-index="1"]');
    assert.equal(
      await page.getAttribute('.query-words li[data-index="1"]', 'aria-selected'),
      'true',
    );
    assert.match(await hashOf(page), /query=2/);
    page.assertQuiet();
  }
};

cases['a phone of 360 pixels: what is read has two lines and no part of a third'] = async ({
  browser,
}) => {
  const page = await browser.open(fixtures.small().data, { width: 360, height: 740 });
  const { lines, room } = await page.evaluate(() => {
    const element = document.querySelector('.readout');
    return {
      lines: 2 * parseFloat(getComputedStyle(element).lineHeight),
      room: element.clientHeight,
    };
  });
  assert.ok(room >= lines && room < lines + 4, `${room} pixels for ${lines}`);
};

cases['a phone of 360 pixels: the name of a model breaks where it does not fit'] = async ({
  browser,
}) => {
  const { data } = fixtures.small();
  const page = await browser.open(
    { ...data, title: 'weights_of_a_model_with_a_very_long_name.safetensors' },
    { width: 360, height: 740 },
  );
  assert.match(await page.textContent('h1'), /very_long_name/);
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360);
};

cases['right-to-left text keeps to itself'] = async ({ browser }) => {
  const page = await browser.open(fixtures.rightToLeft().data, { hash: '#unit=words' });
  const directions = await page.$$eval('.key-words .word', (all) =>
    all.map((each) => getComputedStyle(each).direction),
  );
  assert.deepEqual(directions.slice(0, 5), ['rtl', 'rtl', 'rtl', 'rtl', 'rtl']);
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).direction), 'ltr');
  const isolation = await page.$eval(
    '.key-words .word',
    (each) => getComputedStyle(each).unicodeBidi,
  );
  assert.match(isolation, /isolate/);
  assert.equal((await values(page, '.key-words .word'))[1], 'القطة');
  page.assertQuiet();
};

cases['hostile tokens are inert'] = async ({ browser }) => {
  const { data } = fixtures.hostile();
  const page = await browser.open(data);
  const words = await values(page, '.key-words .word');
  assert.equal(words[0], fixtures.HOSTILE[0]);
  assert.equal(words[1], fixtures.HOSTILE[1]);
  assert.equal(words[6], '\\u202eevil\\u202c');
  assert.equal(words[7], '\\x1b[31mred\\x1b[0m');
  await readTable(page);
  await page.hover('.query-words li[data-index="2"]');
  for (const key of ['1', '2', '3', '4', '?']) await page.keyboard.press(key);
  const state = await page.evaluate(() => ({
    hacked: window.hacked,
    scripts: document.scripts.length,
    strange: document.querySelectorAll('img, iframe, object, embed, style:not(head style)').length,
    control: /[\u0000-\u0008\u001b\u202a-\u202e]/.test(
      document.getElementById('viewer').textContent,
    ),
  }));
  assert.deepEqual(state, { hacked: undefined, scripts: 2, strange: 0, control: false });
  page.assertQuiet();
};

cases['over training: slider, play, chart, and since when a head has its role'] = async ({
  browser,
}) => {
  const { data, made } = fixtures.training();
  const page = await browser.open(data, { hash: '#layer=1&head=3&unit=pieces' });
  assert.equal(await page.textContent('.step'), 'step 4,000', 'starts at the end');
  await page.fill('.player input', '1');
  await settled(page);
  assert.equal(await page.textContent('.step'), 'step 1,000');
  const shown = await readTable(page);
  assert.ok(furthest(shown.values, made[1].parts.cross.values.weights[2]) <= 1 / 255);
  assert.equal(await page.$$eval('.chart polyline', (all) => all.length), 12);
  const entropy = data.steps.map(
    (step) =>
      step.heads.rows.find((row) => row.part === 'cross' && row.layer === 0 && row.head === 2)
        .figures.entropy,
  );
  const spoken = await page.getAttribute('.chart svg', 'aria-label');
  entropy.forEach((value) => assert.ok(spoken.includes(value.toFixed(3)), spoken));
  const role = data.steps[7].heads.rows.filter((row) => row.part === 'cross')[2].role;
  const line = (await values(page, '.roles li'))[2];
  assert.ok(
    line.includes(`${role} since step 2,`) ||
      line.includes(`${role} since step 1,`) ||
      role === 'mixed',
    line,
  );
  await page.selectOption('#chart-figure', 'confidence');
  assert.match(await page.getAttribute('.chart svg', 'aria-label'), /^confidence/);
  await page.keyboard.press('.');
  await settled(page);
  assert.equal(await page.textContent('.step'), 'step 1,500');
  await page.fill('.player input', '6');
  await page.click('.play');
  assert.equal(await page.getAttribute('.play', 'aria-label'), 'Pause');
  await page.waitForFunction(() => document.querySelector('.step').textContent === 'step 4,000');
  await page.waitForSelector('.play[aria-label=Play]');
  await page.click('.play');
  await settled(page);
  assert.equal(await page.textContent('.step'), 'step 500', 'plays from the start again');
  await page.click('.play');
  assert.match(await hashOf(page), /step=1/);
  page.assertQuiet();
};

cases['over training: a line per head, coloured by its role, leads to its steps'] = async ({
  browser,
}) => {
  const { data } = fixtures.training();
  const page = await browser.open(data, { hash: '#part=cross' });
  const rolesOf = (row) =>
    data.steps.map(
      ({ heads }) =>
        heads.rows.find(
          (each) => each.part === row.part && each.layer === row.layer && each.head === row.head,
        ).role,
    );
  const rows = data.steps[0].heads.rows.filter((row) => row.part === 'cross');
  const bars = await page.$$eval('.roles li', (lines) =>
    lines.map((line) =>
      [...line.querySelectorAll('.bar i')].flatMap((piece) =>
        Array(Number(piece.style.flexGrow)).fill(piece.title),
      ),
    ),
  );
  assert.deepEqual(bars, rows.map(rolesOf));
  // A colour means the same role on every line and in the legend, and two roles never share one.
  const colours = await page.$$eval('.roles .bar i, .role-legend span', (all) =>
    all.map((each) => [
      each.title || each.textContent,
      getComputedStyle(each.querySelector('i') ?? each).backgroundColor,
    ]),
  );
  const byRole = new Map(colours);
  for (const [role, colour] of colours) assert.equal(colour, byRole.get(role), role);
  assert.equal(new Set(byRole.values()).size, byRole.size);
  // All of it in words.
  const spoken = await page.$$eval('.roles .bar', (all) => all.map((bar) => bar.ariaLabel));
  rows.forEach((row, i) => {
    const roles = rolesOf(row);
    roles.forEach((role, s) => {
      if (role === roles[s - 1]) return;
      assert.ok(spoken[i].includes(`${role} from step ${data.steps[s].step.toLocaleString('en')}`));
    });
  });
  // The keyboard goes from a head to the step at which it got its role, and stays where it is.
  const index = rows.findIndex((row) => rolesOf(row)[7] !== rolesOf(row)[0]);
  const since = page.locator('.roles li').nth(index).locator('button').nth(1);
  await since.focus();
  await page.keyboard.press('Enter');
  await settled(page);
  const begin = rolesOf(rows[index]).lastIndexOf('mixed') + 1;
  assert.equal(
    await page.textContent('.step'),
    `step ${data.steps[begin].step.toLocaleString('en')}`,
  );
  assert.equal(await page.getAttribute('.roles li.chosen', 'aria-current'), 'true');
  assert.equal(await page.evaluate(() => document.activeElement.closest('.roles') !== null), true);
  page.assertQuiet();
};

cases['over training: a sentence may be missing at some steps'] = async ({ browser }) => {
  const { data } = fixtures.training();
  const [first, second] = [data.steps[0], data.steps[1]].map(({ sentences }) => sentences[0]);
  // One that was watched later, and one that was watched on and off.
  const late = { ...first, name: 'late' };
  const gaps = { ...second, name: 'gaps' };
  data.steps.forEach((step, i) => {
    step.sentences.push(i < 5 ? null : late, i === 1 || i === 4 ? gaps : null);
  });
  const page = await browser.open(data, { hash: '#step=3' });
  const step = () => page.textContent('.step');
  assert.equal(await step(), 'step 1,500');
  await page.selectOption('#sentence', '1');
  await settled(page);
  assert.equal(await step(), 'step 3,000', 'the nearest that has it');
  assert.equal(await page.getAttribute('.player input', 'min'), '5');
  await page.keyboard.press(',');
  await settled(page);
  assert.equal(await step(), 'step 3,000');
  await page.selectOption('#sentence', '2');
  await settled(page);
  assert.equal(await step(), 'step 2,500');
  await page.locator('.play').focus();
  await page.keyboard.press(',');
  await settled(page);
  assert.equal(await step(), 'step 1,000');
  await page.click('.play');
  await page.waitForFunction(() => document.querySelector('.step').textContent === 'step 2,500');
  await page.waitForSelector('.play[aria-label=Play]');
  page.assertQuiet();
};

cases['a head can be switched off where the page offers it'] = async ({ browser }) => {
  const { data } = fixtures.small();
  const main = bundle().replace(
    '{ hash: true }',
    '{ onSwitch: (name, off) => { (window.switched ??= []).push([name, off]); } }',
  );
  const page = await browser.open(
    { ...data, off: [{ part: 'cross', layer: 0, head: 1 }] },
    { script: main },
  );
  assert.deepEqual(await values(page, '.thumbnail.off .label > span:nth-child(2)'), ['1·2']);
  assert.match(await page.textContent('.rules'), /Switched off: cross 1·2/);
  const switches = page.locator('.heads input[role=switch]');
  assert.equal(await switches.nth(0).isChecked(), true);
  assert.equal(await switches.nth(1).isChecked(), false);
  await switches.nth(2).uncheck();
  assert.deepEqual(await page.evaluate(() => window.switched), [
    [{ part: 'cross', layer: 0, head: 2 }, true],
  ]);
  page.assertQuiet();
};

cases['the focus stays where it is when a view is drawn anew'] = async ({ browser }) => {
  const { data } = fixtures.small();
  // As on the server's page: a head that is switched off brings another recording.
  const main = bundle()
    .replace('mountViewer(root, () => JSON', 'const viewer = mountViewer(root, () => JSON')
    .replace(
      '{ hash: true }',
      `{ part: true, onSwitch: (name, off) =>
        viewer.show({ ...JSON.parse(block.textContent), off: off ? [name] : [] }) }`,
    );
  const page = await browser.open(data, { script: main });
  const focused = () =>
    page.evaluate(() => {
      const { activeElement: element } = document;
      const name = element.getAttribute('aria-label') ?? element.textContent;
      return `${element.closest('[data-view]')?.dataset.view} ${name.slice(0, 40)}`;
    });
  await page.focus('[aria-label="Layer 2, head 3 is on"]');
  await page.keyboard.press('Space');
  await page.waitForSelector('.heads tr.off');
  assert.equal(await focused(), 'heads Layer 2, head 3 is on');
  await page.keyboard.press('Space');
  await page.waitForSelector('.heads:not(:has(tr.off))', { state: 'attached' });
  assert.equal(await focused(), 'heads Layer 2, head 3 is on');
  // Keys of the viewer need the focus inside of it, and go on working.
  for (const [number, view] of [
    ['3', 'overview'],
    ['1', 'flow'],
  ]) {
    await page.keyboard.press(number);
    for (const key of ['p', 'w', 'w']) {
      await page.keyboard.press(key);
      await settled(page);
      assert.match(await focused(), new RegExp(`^${view} `), `${key} in ${view}`);
    }
  }
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('w');
  await settled(page);
  assert.equal(await page.evaluate(() => document.activeElement.dataset.index), '1');
  page.assertQuiet();
};

cases['what cannot be shown is said, never a blank page'] = async ({ browser }) => {
  const { data } = fixtures.small();
  const broken = [
    [{ ...data, version: 2 }, /expected version 1 of the format, found 2/],
    [{ ...data, format: 'x' }, /not a recording of attention/],
    [{ ...data, sentences: [] }, /no sentence/],
    [null, /not a recording/],
  ];
  const cut = structuredClone(data);
  cut.sentences[0].parts.cross.weights.data = cut.sentences[0].parts.cross.weights.data.slice(
    0,
    400,
  );
  broken.push([cut, /sentence 1, cross: weights: expected 3888 bytes, found 300/]);
  const words = structuredClone(data);
  words.sentences[0].tokens.source.words.pop();
  broken.push([words, /18 pieces but 17 words/]);
  const axis = structuredClone(data);
  axis.sentences[0].parts.cross.keys = 'nowhere';
  broken.push([axis, /keys should name a list of tokens, found "nowhere"/]);
  for (const [bad, message] of broken) {
    const page = await browser.open(bad);
    assert.match(await page.textContent('[role=alert]'), message);
    page.assertQuiet();
  }
};

cases['axe finds no violation'] = async ({ browser }) => {
  const looks = [
    [fixtures.small, {}],
    [fixtures.small, { dark: true, hash: '#query=3&kind=gradients' }],
    [fixtures.small, { width: 360, hash: '#sort=entropy&special=hidden' }],
    [fixtures.training, { dark: true }],
    [fixtures.training, {}],
    [fixtures.hostile, {}],
    [fixtures.rightToLeft, { width: 360, dark: true }],
  ];
  for (const [make, options] of looks) {
    // axe writes style elements, which the page's policy refuses.
    const page = await browser.open(make().data, { ...options, bypassCSP: true });
    await page.evaluate(() => {
      for (const details of document.querySelectorAll('details')) details.open = true;
    });
    await settled(page);
    await page.evaluate(axeSource());
    for (const help of make === fixtures.small ? [false, true] : [false]) {
      if (help) await page.click('[aria-label="Keyboard help"]');
      const violations = await page.evaluate(async () => {
        const found = await window.axe.run(document, { resultTypes: ['violations'] });
        return found.violations.map(
          (each) => `${each.id}: ${each.nodes[0].html} ${each.nodes[0].failureSummary}`,
        );
      });
      assert.deepEqual(violations, [], `${make.name} ${JSON.stringify(options)}`);
    }
    await page.context().close();
  }
};

cases['the page ends with its last words, however many heads the table hides'] = async ({
  browser,
}) => {
  const page = await browser.open(fixtures.long(40).data);
  const below = await page.evaluate(() => {
    const last = document.querySelector('.about').getBoundingClientRect().bottom + window.scrollY;
    return document.documentElement.scrollHeight - last;
  });
  assert.ok(below < 100, `${below} pixels of nothing`);
  page.assertQuiet();
};

export default cases;
