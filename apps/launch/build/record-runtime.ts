// `npm run runtime`: records which functions of the runtime the shipped models call, on one thread and on several, for
// the lean runtime of the launch page. To be run again whenever the runtime or a model is another one.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isMainThread, parentPort, setEnvironmentData, Worker, workerData } from 'node:worker_threads';
import { loadManifest, prepareModels } from '@limen/face-models';
import { widenOnnx } from '@limen/face-models/widen';
import { makeTestInput } from '../src/models/worker/choose-backend.ts';
import { optimizationOf } from '../src/models/worker/optimization.ts';
import { MODEL_CACHE } from '../testing/models.ts';
import { makeLean, record } from './lean-runtime.ts';
import { CALLS, noteCalls } from './wasm-functions.ts';

const THREADS = [1, 2, 4];
const ROUNDS = 4;
/** Long enough for waiting threads to fall asleep, which they do in other functions than they work in. */
const PAUSE_MS = 100;
const FUNCTIONS = new URL('./lean-functions.json', import.meta.url);
const MODELS = new URL('../src/models/worker/lean-models.json', import.meta.url);

/** Before the runtime's own script, which its threads load too: gives each instance the memory that calls are noted in. */
const PREFACE = `import { getEnvironmentData as __get } from 'node:worker_threads';
{
  const calls = { ${CALLS.module}: { ${CALLS.name}: __get('${CALLS.name}') } };
  const { instantiate, Instance } = WebAssembly;
  WebAssembly.instantiate = (module, imports) => instantiate(module, { ...imports, ...calls });
  WebAssembly.Instance = function (module, imports) { return new Instance(module, { ...imports, ...calls }); };
}
`;

const { resolve } = createRequire(import.meta.url);
const wasm = await readFile(resolve('onnxruntime-web/ort-wasm-simd-threaded.wasm'));

if (isMainThread) await recordAll();
else await callAll(workerData);

async function recordAll(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'limen-runtime-'));
  const memory = new WebAssembly.Memory({ initial: CALLS.pages, maximum: CALLS.pages, shared: true });
  try {
    const glue = join(folder, 'ort-wasm-simd-threaded.mjs');
    await writeFile(glue, PREFACE + (await readFile(resolve('onnxruntime-web/ort-wasm-simd-threaded.mjs'), 'utf8')));
    // The threads that the runtime starts itself find it there.
    setEnvironmentData(CALLS.name, memory);
    for (const threads of THREADS) {
      const worker = new Worker(fileURLToPath(import.meta.url), { workerData: { threads, glue } });
      await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
      await worker.terminate();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const calls = new Uint8Array(memory.buffer);
  const recorded = record(wasm, (index) => calls[index] === 1);
  const { length: bytes } = makeLean(wasm, recorded);
  const { models } = await loadManifest();
  await write(FUNCTIONS, recorded);
  await write(MODELS, { bytes, models: models.map(({ sha256 }) => sha256) });
  const count = calls.reduce((sum, called) => sum + called, 0);
  console.log(`${count} functions were called; the lean runtime has ${bytes} of ${wasm.length} bytes.`);
}

async function callAll({ threads, glue }: { threads: number; glue: string }): Promise<void> {
  const { env, InferenceSession, Tensor } = await import('onnxruntime-web');
  env.wasm.numThreads = threads;
  env.wasm.wasmBinary = noteCalls(wasm);
  env.wasm.wasmPaths = { mjs: pathToFileURL(glue).href };
  const manifest = await loadManifest();
  for (const { model, path } of await prepareModels({ manifest, folder: MODEL_CACHE })) {
    const content = widenOnnx(await readFile(path));
    const session = await InferenceSession.create(content, { graphOptimizationLevel: optimizationOf(model.role) });
    const { values, shape } = makeTestInput(model.input);
    for (let round = 0; round < ROUNDS; round += 1) {
      await session.run({ [session.inputNames[0]!]: new Tensor('float32', values, shape) });
      await setTimeout(PAUSE_MS);
    }
    await session.release();
  }
  parentPort?.postMessage('recorded');
}

async function write(file: URL, content: object): Promise<void> {
  await writeFile(file, `${JSON.stringify(content, null, 2)}\n`);
}
