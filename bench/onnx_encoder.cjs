// Prints the best time of onnxruntime for an encoder on one thread, in milliseconds.
//
//   node onnx_encoder.cjs FILE SENTENCES LENGTH
//
// The npm package onnxruntime-node must be installed where NODE_PATH finds it.
const onnx = require("onnxruntime-node");

async function main() {
  const [file, sentences, length] = process.argv.slice(2);
  const session = await onnx.InferenceSession.create(file, {
    intraOpNumThreads: 1, interOpNumThreads: 1, graphOptimizationLevel: "all" });
  const shape = [Number(sentences), Number(length)];
  const ids = new onnx.Tensor("int64", new BigInt64Array(shape[0] * shape[1]).fill(5n), shape);
  let best = Infinity;
  for (let run = 0; run < 12; ++run) {
    const start = process.hrtime.bigint();
    await session.run({ ids });
    best = Math.min(best, Number(process.hrtime.bigint() - start) / 1e6);
  }
  console.log(best.toFixed(2));
}

main();
