// The tab for programs: how to ask this server, as lines for a terminal.
import { make } from '../viewer/dom.js';
import { copyButton } from './parts.js';

/** @typedef {import('./page.js').Page} Page */

const EXAMPLE = 'Good morning.';
const LONGEST = 200;

/** A text as one word of a shell. @param {string} text */
export const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** JSON in which no character acts on a terminal or on the direction of a text. */
/** @param {object} body */
const inertJson = (body) =>
  JSON.stringify(body).replace(
    /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/**
 * `known` is the language of the text even where `from` leaves it to the server.
 * @param {{
 *   origin: string, from: string, known: string, to: string, text: string, key: boolean,
 * }} wanted
 * @returns {{title: string, help: string, line: string}[]}
 */
export function curlLines({ origin, from, known, to, text, key }) {
  /** @param {string} path @param {object} body @param {string} [header] */
  const post = (path, body, header = 'Authorization: Bearer KEY') =>
    [
      `curl ${origin}${path}`,
      ...(key ? [`-H ${quoted(header)}`] : []),
      "-H 'Content-Type: application/json'",
      `-d ${quoted(inertJson(body))}`,
    ].join(' \\\n  ');
  const languages = { source: from, target: to };
  const libre = { q: text, ...languages };
  return [
    {
      title: 'heed',
      help: 'Translations with scores, alternatives and word alignments.',
      line: post('v1/translate', { text, ...languages, nbest: 3, details: ['words'] }),
    },
    {
      title: 'What the model attends to',
      help: 'Every layer and head, as heed attention writes it.',
      line: post('v1/attention', { text, ...languages, source: known }),
    },
    {
      title: 'LibreTranslate',
      help: 'Programs written for LibreTranslate need only this server’s address.',
      line: post('translate', key ? { ...libre, api_key: 'KEY' } : libre),
    },
    {
      title: 'DeepL',
      help: 'Version 2 of its API. Clients take the address as the server’s URL.',
      line: post(
        'v2/translate',
        {
          text: [text],
          target_lang: to.toUpperCase(),
          ...(from === 'auto' ? {} : { source_lang: from.toUpperCase() }),
        },
        'Authorization: DeepL-Auth-Key KEY',
      ),
    },
    { title: 'Languages', help: 'What this server has.', line: `curl ${origin}languages` },
    {
      title: 'State',
      help: 'Whether it is ready, and figures for Prometheus.',
      line: `curl ${origin}health\ncurl ${origin}metrics`,
    },
  ];
}

export class ApiTab {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    this.list = make('div', { class: 'curl-list' });
    this.element = make(
      'section',
      { class: 'card', 'aria-label': 'API' },
      make(
        'p',
        { class: 'note intro' },
        'Paste these lines into a terminal. ',
        make('a', { href: 'v1/openapi.json' }, 'All of the API as OpenAPI'),
        '.',
      ),
      this.list,
    );
  }

  draw() {
    const { from, to, text } = this.page.store.state;
    const { languages } = this.page;
    const found = this.page.text?.result?.from ?? '';
    const detected = languages.has(found, to)
      ? found
      : languages.sources.find((code) => languages.has(code, to));
    const lines = curlLines({
      origin: new URL('./', document.baseURI).href,
      from,
      known: from === 'auto' ? (detected ?? from) : from,
      to,
      text: [...text.trim()].slice(0, LONGEST).join('') || EXAMPLE,
      key: this.page.settings.keyRequired,
    });
    this.list.replaceChildren(
      ...lines.map(({ title, help, line }) =>
        make(
          'div',
          { class: 'curl' },
          make(
            'div',
            { class: 'card-head' },
            make('div', {}, make('h2', {}, title), make('p', { class: 'note' }, help)),
            copyButton(`Copy the line for ${title}`, () => line, this.page.status),
          ),
          make('pre', { dir: 'ltr' }, make('code', {}, line)),
        ),
      ),
    );
  }
}
