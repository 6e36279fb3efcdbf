// `npm run train:mrz`: trains the recognizer of machine-readable zones on drawn lines, evaluates it
// and writes the model.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { findZoneFont } from '../../packages/documents/testing/font/index.ts';
import { createRunner, formatTable, measure, STRENGTHS } from './evaluate.ts';
import { exportModel } from './export-model.ts';
import { loadFaces } from './glyphs.ts';
import { buildMultiply } from './kernel.ts';
import { PARAMETERS } from './network.ts';
import { createAdam, initialize } from './optimise.ts';
import { createRandom } from './random.ts';
import { startThreads } from './threads.ts';

const { values: options } = parseArgs({
  options: {
    steps: { type: 'string', default: '6000' },
    batch: { type: 'string', default: '16' },
    seed: { type: 'string', default: '20240' },
    // Not over the current model, because training may be stopped, and the manifest has the current
    // hash.
    out: { type: 'string', default: 'ocr-b.trained.onnx' },
    lines: { type: 'string', default: '300' },
  },
});
const steps = Number(options.steps);
const batch = Number(options.batch);
const seed = Number(options.seed);
const HIGHEST_RATE = 2e-3;
const WARM_UP_STEPS = 200;
const WIDTH = 160;

if (!findZoneFont()) {
  console.error('The font OCR-B is not here: on Debian it is in the package fonts-ocr-b.');
  process.exit(2);
}

const module = await buildMultiply();
const parameters = new Float32Array(new SharedArrayBuffer(PARAMETERS * 4));
initialize(parameters, createRandom(seed));
const optimizer = createAdam();
const threads = startThreads({ module, seed, parameters, width: WIDTH });
const started = performance.now();
const sum = { loss: 0, columns: 0, right: 0 };

for (let step = 0; step < steps; step += 1) {
  const result = await threads.run(step * batch, batch);
  for (let index = 0; index < PARAMETERS; index += 1) threads.gradient[index]! /= result.columns;
  const cosine = 0.5 + 0.5 * Math.cos((Math.PI * step) / steps);
  optimizer.step(
    parameters,
    threads.gradient,
    HIGHEST_RATE * Math.min(1, (step + 1) / WARM_UP_STEPS) * (0.005 + 0.995 * cosine),
  );
  sum.loss += result.loss;
  sum.columns += result.columns;
  sum.right += result.right;
  if ((step + 1) % 250 === 0) {
    const seconds = Math.round((performance.now() - started) / 1000);
    const share = ((100 * sum.right) / sum.columns).toFixed(2);
    console.log(
      `step ${step + 1}: loss ${(sum.loss / sum.columns).toFixed(4)}, columns right ${share} %, ${seconds} s`,
    );
    Object.assign(sum, { loss: 0, columns: 0, right: 0 });
    writeFileSync(options.out, exportModel(parameters));
  }
}
await threads.end();
const model = exportModel(parameters);
writeFileSync(options.out, model);
const minutes = ((performance.now() - started) / 60_000).toFixed(0);
console.log(`\n${steps} steps of ${batch} pieces with seed ${seed} in ${minutes} minutes; written to ${options.out}`);
const hash = createHash('sha256').update(model).digest('hex');
console.log(
  'To use it, copy it over packages/documents/model/ocr-b.onnx and put this into packages/face-models/manifest.json:',
);
console.log(`sha256 ${hash}, bytes ${model.length}\n`);
const run = createRunner(module, parameters);
const faces = loadFaces();
const lines = Number(options.lines);
const measurements = [];
for (const strength of STRENGTHS) measurements.push(await measure(run, faces, { strength, lines, seed: seed + 1 }));
console.log(formatTable(measurements));
