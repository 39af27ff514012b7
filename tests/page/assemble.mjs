// Makes a page as web/README.md says, independently of the program that does so for users.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';

export const web = new URL('../../web/', import.meta.url);

const read = (name) => readFileSync(new URL(name, web), 'utf8');
const hash = (text) => createHash('sha256').update(text).digest('base64');

/** The modules as one script: no imports, no exports. */
export function bundle(names = read('modules.txt').trim().split('\n')) {
  return names
    .map((name) => `\n${read(name)}`)
    .join('')
    .replace(/\nimport [^;]*;/g, '')
    .replace(/\nexport /g, '\n');
}

/** The page without its data. `main` may replace the last module. */
export function template(script = bundle()) {
  const style = read('attention.css');
  return read('attention.html')
    .replace('@STYLE_HASH@', () => hash(style))
    .replace('@SCRIPT_HASH@', () => hash(script))
    .replace('@STYLE@', () => style)
    .replace('@SCRIPT@', () => script);
}

/** JSON in which nothing can end the element that holds it. */
export const inertJson = (data) => JSON.stringify(data).replace(/</g, '\\u003c');

export const assemble = (data, script) => template(script).replace('@DATA@', () => inertJson(data));

/**
 * Packs heads[layer·head] of rows [query][key]. Without `scales`, each head's is its largest value.
 */
export function pack(heads, { signed = false, causal = false, deflate = false, scale } = {}) {
  const most = signed ? 127 : 255;
  const scales = heads.map(
    (rows) =>
      scale ?? Math.max(...rows.map((row) => row.reduce((a, b) => Math.max(a, Math.abs(b)), 0))),
  );
  const rowLength = (q, row) => (causal ? q + 1 : row.length);
  const size = heads[0].reduce((sum, row, q) => sum + rowLength(q, row), 0);
  const bytes = Buffer.alloc(size * heads.length);
  let at = 0;
  heads.forEach((rows, h) =>
    rows.forEach((row, q) => {
      for (let k = 0; k < rowLength(q, row); ++k) {
        const value = scales[h] ? Math.round((row[k] / scales[h]) * most) : 0;
        bytes[at++] = value & 0xff;
      }
    }),
  );
  return {
    packing: deflate ? 'deflate' : 'base64',
    signed,
    scale: scales,
    data: (deflate ? deflateSync(bytes) : bytes).toString('base64'),
  };
}
