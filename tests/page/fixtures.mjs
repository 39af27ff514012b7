// Recordings to look at, made up: small ones whose every number a test knows, and large ones.
import { pack } from './assemble.mjs';

/** Random numbers from 0 to 1, the same in every run. */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function softmax(scores) {
  const top = Math.max(...scores);
  const exponentials = scores.map((score) => Math.exp(score - top));
  const sum = exponentials.reduce((a, b) => a + b);
  return exponentials.map((value) => value / sum);
}

/** A head that looks at a place of its own: before, after, along the diagonal, or at the end. */
function headRows(next, queries, keys, { causal, sharpness, style }) {
  return Array.from({ length: queries }, (_, q) => {
    const wanted =
      style === 'previous'
        ? q - 1
        : style === 'next'
          ? q + 1
          : style === 'end'
            ? keys - 1
            : style === 'diagonal'
              ? Math.round((q * keys) / queries)
              : -1;
    const scores = Array.from({ length: keys }, (_, k) => {
      if (causal && k > q) return -Infinity;
      const near = wanted < 0 ? 0 : -Math.abs(k - wanted);
      return sharpness * (near / 2) + 1.5 * next();
    });
    return softmax(scores);
  });
}

const STYLES = ['diagonal', 'previous', 'next', 'end', 'mixed'];
export const ROLES = {
  diagonal: 'aligns',
  previous: 'previous word',
  next: 'next word',
  end: 'end of sentence',
  mixed: 'mixed',
};

/** A part with all its kinds; also returns the values themselves, heads[layer·head][query][key]. */
export function makePart(next, queries, keys, options) {
  const {
    layers,
    heads,
    causal = false,
    kinds = ['weights'],
    deflate = false,
    sharpness = 3,
  } = options;
  const { lengths } = options;
  const styles = Array.from({ length: layers * heads }, (_, i) =>
    i === Math.floor((layers * heads * 2) / 3) ? 'diagonal' : STYLES[Math.floor(next() * 5)],
  );
  // Large recordings repeat their first heads: it saves time, and compression does not notice.
  const made = styles.slice(0, options.distinct).map((style) =>
    headRows(next, lengths[0], lengths[1], {
      causal,
      style,
      sharpness: sharpness * (0.3 + next()),
    }),
  );
  const weights = styles.map((_, i) => made[i % made.length]);
  const values = { weights };
  if (kinds.includes('norms')) {
    values.norms = weights.map((rows) => {
      const lengths = rows[0].map(() => 0.5 + 4 * next());
      return rows.map((row) => row.map((value, k) => value * lengths[k]));
    });
  }
  if (kinds.includes('gradients')) {
    values.gradients = weights.map((rows) =>
      rows.map((row) => row.map((value) => value && (next() - 0.45) * (0.05 + value))),
    );
  }
  const json = { queries, keys, layers, heads, causal };
  for (const kind of kinds) {
    json[kind] = pack(values[kind], { signed: kind === 'gradients', causal, deflate });
  }
  return { json, values, styles };
}

export const COLUMNS = [
  { key: 'entropy', name: 'Entropy', help: 'How widely rows are spread, in bits.', best: '' },
  { key: 'confidence', name: 'Confidence', help: 'The mean of the largest weight.', best: 'high' },
  { key: 'distance', name: 'Distance', help: 'The mean distance to what is attended.', best: '' },
  {
    key: 'importance',
    name: 'Importance',
    help: 'How the loss depends on the head.',
    best: 'high',
  },
  { key: 'aer', name: 'AER', help: 'Alignment error rate.', best: 'low' },
];

export function tableRows(next, name, part) {
  return part.styles.map((style, i) => {
    const rows = part.values.weights[i];
    const mean = (f) => rows.reduce((sum, row, q) => sum + f(row, q), 0) / rows.length;
    const figures = {
      entropy: mean((row) => -row.reduce((s, p) => s + (p > 0 ? p * Math.log2(p) : 0), 0)),
      confidence: mean((row) => Math.max(...row)),
      distance: mean((row, q) => row.reduce((s, p, k) => s + p * Math.abs(q - k), 0)),
      importance: next(),
    };
    if (name === 'cross')
      figures.aer = style === 'diagonal' ? 0.1 + 0.2 * next() : 0.5 + 0.4 * next();
    const { heads } = part.json;
    return {
      part: name,
      layer: Math.floor(i / heads),
      head: i % heads,
      role: ROLES[style],
      figures,
    };
  });
}

/** Pieces with the word of each; `special` marks what is not text. */
const list = (pieces) => {
  let word = -1;
  return {
    pieces,
    words: pieces.map((piece) => {
      if (/^<.*>$/.test(piece)) return -1;
      if (piece.startsWith('▁') || word < 0) word += 1;
      return word;
    }),
  };
};

const SOURCE = [
  '▁The',
  '▁black',
  '▁cat',
  '▁s',
  'at',
  '▁on',
  '▁the',
  '▁win',
  'dow',
  's',
  'ill',
  '▁and',
  '▁watched',
  '▁the',
  '▁snow',
  '▁fall',
  '.',
  '</s>',
];
const TARGET = [
  '▁Die',
  '▁schwarz',
  'e',
  '▁Katze',
  '▁saß',
  '▁auf',
  '▁dem',
  '▁Fenster',
  'brett',
  '▁und',
  '▁sah',
  '▁dem',
  '▁Schnee',
  '▁beim',
  '▁Fallen',
  '▁zu',
  '.',
  '</s>',
];

/** A sentence with all three parts. */
export function makeSentence(next, source, target, options = {}) {
  const { layers = 3, heads = 4 } = options;
  const read = ['<s>', ...target.slice(0, -1)];
  const lists = { source: list(source), target: list(target), read: list(read) };
  const size = (name) => lists[name].pieces.length;
  const part = (queries, keys, more = {}) =>
    makePart(next, queries, keys, {
      layers,
      heads,
      lengths: [size(queries), size(keys)],
      ...options,
      ...more,
    });
  const parts = {
    encoder: part('source', 'source'),
    decoder: part('target', 'read', { causal: true }),
    cross: part('target', 'source'),
  };
  const text = (pieces) =>
    pieces
      .filter((piece) => !/^<.*>$/.test(piece))
      .join('')
      .replace(/▁/g, ' ')
      .trim();
  const json = {
    tokens: {
      source: { title: 'Source', text: text(source), ...lists.source },
      target: { title: 'Target', text: text(target), ...lists.target },
      read: { title: 'Read so far', ...lists.read },
    },
    score: -3.87,
    parts: Object.fromEntries(Object.entries(parts).map(([name, each]) => [name, each.json])),
  };
  return { json, parts };
}

const tableOfParts = (next, parts) => ({
  columns: COLUMNS,
  rows: Object.entries(parts).flatMap(([name, part]) => tableRows(next, name, part)),
});

export const recording = (more) => ({
  format: 'heed-attention',
  version: 1,
  title: 'en-de',
  ...more,
});

/** Three layers of four heads, all kinds, a table of heads, two sentences and an alternative. */
export function small() {
  const next = random(7);
  const kinds = ['weights', 'norms', 'gradients'];
  const first = makeSentence(next, SOURCE, TARGET, { kinds });
  const second = makeSentence(
    next,
    ['▁Good', '▁morning', '!', '</s>'],
    ['▁Guten', '▁Morgen', '!', '</s>'],
    { kinds, deflate: true },
  );
  const other = makeSentence(next, SOURCE, ['▁Die', '▁Katze', '▁saß', '▁da', '.', '</s>'], {
    kinds,
  });
  first.json.alternatives = [
    { text: other.json.tokens.target.text, score: -6.2, sentence: 2 },
    { text: 'Eine schwarze Katze sah dem Schnee zu.', score: -7.5 },
  ];
  other.json.of = 0;
  const data = recording({
    heads: tableOfParts(next, first.parts),
    sentences: [first.json, second.json, other.json],
  });
  return { data, sentences: [first, second, other] };
}

/** The same sentence at eight validations: heads sharpen, and their roles come about. */
export function training() {
  const steps = [];
  const made = [];
  for (let i = 0; i < 8; ++i) {
    const next = random(3);
    const sentence = makeSentence(next, SOURCE, TARGET, { sharpness: 0.2 + 0.5 * i });
    const heads = tableOfParts(next, sentence.parts);
    heads.rows.forEach((row, h) => {
      if (i < 1 + (h % 6)) row.role = 'mixed';
    });
    steps.push({ step: 500 * (i + 1), heads, sentences: [sentence.json] });
    made.push(sentence);
  }
  return { data: recording({ steps }), made };
}

/** A long text: `tokens` on both sides. */
export function long(tokens, options = {}) {
  const next = random(5);
  const words = ['sea', 'light', 'harbour', 'the', 'of', 'wind', 'and', 'boats', 'evening', 'on'];
  const pieces = (mark) => [
    ...Array.from(
      { length: tokens - 1 },
      (_, i) => `▁${words[Math.floor(next() * words.length)]}${mark}${i % 7 === 0 ? i : ''}`,
    ),
    '</s>',
  ];
  const sentence = makeSentence(next, pieces(''), pieces('en'), {
    layers: 6,
    heads: 8,
    deflate: true,
    distinct: tokens > 100 ? 8 : undefined,
    ...options,
  });
  return { data: recording({ title: `${tokens} tokens`, sentences: [sentence.json] }), sentence };
}

/** A right-to-left source and a CJK target. */
export function rightToLeft() {
  const next = random(11);
  const sentence = makeSentence(
    next,
    ['▁جلست', '▁القط', 'ة', '▁السوداء', '▁على', '▁النافذة', '.', '</s>'],
    ['▁', '黑', '猫', '坐', '在', '窗', '台', '上', '。', '</s>'],
    {},
  );
  const hebrew = makeSentence(
    next,
    ['▁The', '▁cat', '▁sleeps', '.', '</s>'],
    ['▁ה', 'חתול', '▁ישן', '.', '</s>'],
    {},
  );
  return { data: recording({ title: 'ar-zh', sentences: [sentence.json, hebrew.json] }), sentence };
}

export const HOSTILE = [
  '</script><script>window.hacked = 1</script>',
  '<img src=x onerror="window.hacked = 2">',
  '"><svg onload=window.hacked=3>',
  "' onmouseover='window.hacked=4",
  '<!--<script>',
  '&lt;b&gt;',
  '\u202eevil\u202c',
  '\u001b[31mred\u001b[0m',
  '\u0000\u0007',
  ']]>',
  '@DATA@',
  '$& $1 \\u003c',
  'javascript:window.hacked=5',
  '\ud800',
  '\uffff',
  '<style>*{display:none}</style>',
  '@SCRIPT@',
];

export function hostile() {
  const next = random(13);
  const sentence = makeSentence(next, [...HOSTILE, '</s>'], [...HOSTILE].reverse().concat('</s>'));
  for (const tokens of Object.values(sentence.json.tokens)) {
    tokens.words = tokens.pieces.map((piece, i) => (i === tokens.pieces.length - 1 ? -1 : i));
  }
  const [script, image] = HOSTILE;
  sentence.json.tokens.source.title = image;
  sentence.json.alternatives = [{ text: script, score: -1 }];
  sentence.json.name = script;
  const heads = {
    columns: [{ key: image, name: script, help: image }],
    rows: [{ part: 'cross', layer: 0, head: 0, role: script, figures: { [image]: 1 } }],
  };
  sentence.json.parts.cross.title = '<b>Cross</b>';
  return { data: recording({ title: script, heads, sentences: [sentence.json] }), sentence };
}

/** Weights of another program: no words, no table, three matrices with numbered labels. */
export function plainArray() {
  const next = random(17);
  const part = makePart(next, 'queries', 'keys', { layers: 1, heads: 3, lengths: [5, 9] });
  part.json.title = 'weights';
  const numbers = (n) => ({ pieces: Array.from({ length: n }, (_, i) => String(i)) });
  const sentence = {
    name: 'Batch 0',
    tokens: { queries: numbers(5), keys: numbers(9) },
    parts: { weights: part.json },
  };
  return { data: recording({ title: 'weights.safetensors', sentences: [sentence] }), part };
}
