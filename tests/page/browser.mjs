// Opens pages in Chromium with the network cut, and tells on everything a page should not do.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { assemble } from './assemble.mjs';

const packages =
  process.env.HEED_PAGE_PACKAGES ?? fileURLToPath(new URL('../../build/page/', import.meta.url));
const programs = [process.env.HEED_CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser'];

/** What is missing to run at all, in words; nothing if all is there. */
export function whatIsMissing() {
  if (!programs.some((each) => each && existsSync(each))) return 'Chromium';
  return existsSync(join(packages, 'node_modules/playwright-core')) ? '' : 'playwright-core';
}

const require = createRequire(join(packages, 'package.json'));
export const axeSource = () => require('axe-core').source;

/** Waits until what was asked is drawn. */
export const settled = (page) =>
  page.evaluate(
    () =>
      new Promise((done) => {
        setTimeout(done, 400);
        setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 20);
      }),
  );

export class Browser {
  static async launch() {
    const { chromium } = require('playwright-core');
    const browser = new Browser();
    browser.folder = mkdtempSync(join(tmpdir(), 'heed-page-'));
    browser.chromium = await chromium.launch({
      executablePath: programs.find((each) => each && existsSync(each)),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
      ],
    });
    browser.pages = 0;
    return browser;
  }

  async close() {
    await this.chromium.close();
    rmSync(this.folder, { recursive: true });
  }

  async closePages() {
    await Promise.all(this.chromium.contexts().map((context) => context.close()));
  }

  /** Writes a page and returns its address. */
  write(html) {
    const path = join(this.folder, `${++this.pages}.html`);
    writeFileSync(path, html);
    return pathToFileURL(path).href;
  }

  /**
   * Opens a recording, in the place of the last one or beside it. `problems` of the page that comes
   * back fills with every request, message and exception; `assertQuiet` wants none.
   */
  async open(data, { hash = '', width = 1320, height = 900, dark = false, ...more } = {}) {
    const html = typeof data === 'string' ? data : assemble(data, more.script);
    const address = this.write(html);
    const page = await this.watchedPage(address, { width, height, dark, ...more, offline: true });
    await page.goto(address + hash);
    await ready(page);
    return page;
  }

  /** Opens the page of a server, which may ask that server and nobody else. */
  async visit(origin, { hash = '', width = 1280, height = 860, dark = false, ...more } = {}) {
    const page = await this.watchedPage(origin, { width, height, dark, ...more });
    await page.goto(origin + hash);
    if (!more.early) await ready(page);
    return page;
  }

  /** A page of its own that may ask for addresses with this beginning. */
  async watchedPage(address, { width, height, dark, offline = false, ...more }) {
    if (!more.beside) await this.closePages();
    const context = await this.chromium.newContext({
      viewport: { width, height },
      colorScheme: dark ? 'dark' : 'light',
      bypassCSP: Boolean(more.bypassCSP),
      hasTouch: Boolean(more.touch),
      permissions: more.permissions ?? [],
      forcedColors: more.forcedColors,
      javaScriptEnabled: more.scripts !== false,
    });
    await context.setOffline(offline);
    const page = await context.newPage();
    page.problems = [];
    page.on('console', (message) => page.problems.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => page.problems.push(`exception: ${error.message}`));
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(address) && !url.startsWith('blob:')) {
        page.problems.push(`request: ${url}`);
      }
    });
    page.assertQuiet = () => assert.deepEqual(page.problems, []);
    page.address = address;
    return page;
  }
}

async function ready(page) {
  // Not by frames: a busy machine may have none to give for a while.
  await page.waitForFunction(
    () => document.querySelector('[data-ready], .error[role=alert]'),
    null,
    {
      polling: 20,
    },
  );
  await settled(page);
}
