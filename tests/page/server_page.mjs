// The server's page, opened, and what it shows.
import { sharedServer } from './serving.mjs';

export const hashOf = (state) => `#${new URLSearchParams(state)}`;
export const translation = (page) => page.textContent('.translation');

/** Waits until the translation is this. */
export const shows = (page, text) =>
  page.waitForFunction(
    (wanted) => document.querySelector('.translation')?.textContent === wanted,
    text,
    { polling: 20, timeout: 30000 },
  );

/** Opens the page with a text that is translated. */
export async function open(browser, text, { from = 'en', to = 'de', ...more } = {}) {
  const { origin } = await sharedServer();
  const page = await browser.visit(origin, {
    ...more,
    hash: hashOf({ from, to, text, ...more.state }),
  });
  if (text) await page.waitForSelector('.target-word', { state: 'attached' });
  return page;
}

/** The bodies of what the page asks for from now on. */
export function asked(page, path) {
  const bodies = [];
  page.on('request', (request) => {
    if (request.url().endsWith(path)) bodies.push(JSON.parse(request.postData()));
  });
  return bodies;
}
