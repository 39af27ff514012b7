// A server for tests: models that have learnt to translate numerals, trained in seconds, and the
// program that serves them. Both end with the tests.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const program = process.env.HEED_PROGRAM;

const NUMERALS = {
  en: ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'],
  de: ['null', 'eins', 'zwei', 'drei', 'vier', 'fünf', 'sechs', 'sieben', 'acht', 'neun'],
  ar: ['صفر', 'واحد', 'اثنان', 'ثلاثة', 'أربعة', 'خمسة', 'ستة', 'سبعة', 'ثمانية', 'تسعة'],
};
export const PAIRS = ['en-de', 'de-en', 'en-ar'];

/** What a text of numerals means in another language. */
export const translated = (text, from, to) =>
  text.replace(/[^\s]+/g, (word) => NUMERALS[to][NUMERALS[from].indexOf(word)] ?? word);

let trained = null;

/** The folder of the models, which are trained when somebody first asks. */
export const models = () => (trained ??= trainAll());

function trainAll() {
  const folder = mkdtempSync(join(tmpdir(), 'heed-served-'));
  process.on('exit', () => rmSync(folder, { recursive: true }));
  let state = 7;
  const random = (below) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor(state / 65536) % below;
  };
  const lines = Array.from({ length: 2000 }, () =>
    Array.from({ length: 1 + random(8) }, () => random(10)),
  );
  for (const [language, words] of Object.entries(NUMERALS)) {
    const text = lines.map((line) => `${line.map((digit) => words[digit]).join(' ')}\n`).join('');
    writeFileSync(join(folder, language), text);
  }
  PAIRS.forEach((pair) => train(folder, pair));
  return folder;
}

function train(folder, pair) {
  const [from, to] = pair.split('-').map((language) => join(folder, language));
  const sizes = '--width 32 --heads 2 --encoder-layers 1 --decoder-layers 1 --ffn 64 --batch 500';
  const run = '--steps 300 --validate-every 100 --threads 1 --valid-lines 30';
  const rates = '--max-length 100 --learning-rate 0.006 --warm-up 40 --dropout 0';
  const corpus = ['--train', from, to, '--model', join(folder, pair), '--vocabulary-kind', 'words'];
  execFileSync(program, ['train', ...corpus, ...`${sizes} ${run} ${rates}`.split(' ')], {
    stdio: 'pipe',
  });
}

/** Servers that still run, so that none outlives the tests. */
const running = new Set();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** Starts a server; port 0 is any that is free. */
export async function startServer({ port = 0, more = [], pairs = PAIRS } = {}) {
  const chosen = pairs.flatMap((pair) => ['--model', join(models(), pair)]);
  const child = spawn(
    program,
    ['serve', ...chosen, '--port', String(port), '--threads', '1', ...more],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  running.add(child);
  const origin = await new Promise((done, fail) => {
    let said = '';
    child.stderr.on('data', (bytes) => {
      said += bytes;
      const found = said.match(/http:\/\/[^\s"]+:\d+/);
      if (found) done(`${found[0]}/`);
    });
    child.on('exit', () => fail(new Error(`heed serve ended: ${said}`)));
  });
  await isReady(origin);
  const ended = new Promise((done) => child.on('exit', done));
  const stop = async (signal = 'SIGTERM') => {
    child.kill(signal);
    await ended;
    running.delete(child);
  };
  return { origin, port: Number(new URL(origin).port), stop };
}

async function isReady(origin) {
  for (;;) {
    if ((await fetch(`${origin}health`)).ok) return;
    await new Promise((done) => setTimeout(done, 20));
  }
}

let shared = null;

/** A server for all cases that do it no harm. */
export const sharedServer = () => (shared ??= startServer());
