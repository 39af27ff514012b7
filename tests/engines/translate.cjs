// Translates the lines of standard input with CTranslate2: translate.cjs MODEL BEAM
const { readFileSync } = require('node:fs');
const path = require('node:path');

const engine = path.join(process.env.HEED_ENGINES, 'node_modules/ctranslate2');
const { Ct2Translator } = require(path.join(engine, 'ct2.linux-x64-gnu.node'));
const [modelPath, beam] = process.argv.slice(2);
const lines = readFileSync(0, 'utf8').replace(/\n$/, '').split('\n');

// Each line by itself, as heed's translations depend on no others. A piece that the vocabulary
// lacks is written as a mark, which heed leaves out.
async function main() {
  const translator = new Ct2Translator({ modelPath, device: 'cpu', threads: 1 });
  for (const line of lines) {
    const [{ text }] = await translator.translateBatch([line], { beamSize: Number(beam) });
    console.log(text.replace(/ ⁇ ( $)?/gu, '').trim());
  }
}
main();
