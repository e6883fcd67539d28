// Forward passes of ONNX Runtime: package onnxruntime-node, found through NODE_PATH. A line of
// standard input is "load FILE BATCH DIMS…" or "run TIMES"; the answer to the first is
// the outputs' number, to the second the seconds that all passes took, and those of the processor.
const ort = require('onnxruntime-node');
const lines = require('readline').createInterface({ input: process.stdin });
const threads = Number(process.argv[2]);
let session, feeds;

async function load(file, dims) {
  session = await ort.InferenceSession.create(file, { intraOpNumThreads: threads, interOpNumThreads: 1 });
  const x = new Float32Array(dims.reduce((a, b) => a * b, 1));
  for (let i = 0; i < x.length; i++) x[i] = ((i * 7919) % 2001) / 1000 - 1;
  feeds = { [session.inputNames[0]]: new ort.Tensor('float32', x, dims) };
  const out = await session.run(feeds);
  return out[session.outputNames[0]].data.length;
}

async function run(times) {
  const start = process.hrtime.bigint(), used = process.cpuUsage();
  for (let i = 0; i < times; i++) await session.run(feeds);
  const { user, system } = process.cpuUsage(used);
  return `${Number(process.hrtime.bigint() - start) / 1e9} ${(user + system) / 1e6}`;
}

(async () => {
  for await (const line of lines) {
    const [what, first, ...dims] = line.split(' ');
    console.log(what === 'load' ? await load(first, dims.map(Number)) : await run(Number(first)));
  }
})();
