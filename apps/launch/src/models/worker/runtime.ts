// The runtime that computes the models: one of three builds of onnxruntime-web, from our own files, on several threads.
import jspiMjs from 'onnxruntime-web/ort-wasm-simd-threaded.jspi.mjs?url';
import jspiWasm from 'onnxruntime-web/ort-wasm-simd-threaded.jspi.wasm?url';
import plainMjs from 'onnxruntime-web/ort-wasm-simd-threaded.mjs?url';
import plainWasm from 'onnxruntime-web/ort-wasm-simd-threaded.wasm?url';
import leanWasm from 'onnxruntime-web/ort-wasm-simd-threaded.wasm?url&lean';
import { ModelLoadError } from '../../loading/load-error.ts';
import type { Backend, OpenModel } from './choose-backend.ts';
import lean from './lean-models.json' with { type: 'json' };
import type { Optimization } from './optimization.ts';

/**
 * `lean` is the plain one without what the shipped models never call. The one for graphics processors is bigger, and needs
 * a newer browser.
 */
export type RuntimeBuild = 'lean' | 'plain' | 'jspi';

export interface Runtime {
  build: RuntimeBuild;
  threads: number;
  open(bytes: Uint8Array, backend: Backend, optimization: Optimization): Promise<OpenModel>;
}

interface RuntimeFile {
  wasmUrl: string;
  mjsUrl: string;
  /** As it is in the package; a reply that travels compressed does not say it. */
  wasmBytes: number;
}

export const RUNTIME_FILES: Record<RuntimeBuild, RuntimeFile> = {
  lean: { wasmUrl: leanWasm, mjsUrl: plainMjs, wasmBytes: lean.bytes },
  plain: { wasmUrl: plainWasm, mjsUrl: plainMjs, wasmBytes: 14_239_897 },
  jspi: { wasmUrl: jspiWasm, mjsUrl: jspiMjs, wasmBytes: 16_758_545 },
};

/** A function that does one thing with 128 bits at once, which every build of the runtime needs. */
const SIMD_MODULE = [
  ...[0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0],
  ...[10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11],
];

export function isSupported(): boolean {
  return typeof WebAssembly !== 'undefined' && WebAssembly.validate(new Uint8Array(SIMD_MODULE));
}

/** Whether the lean build was made for this model; another one may call what it lacks. */
export function isLeanEnough(sha256: string): boolean {
  return lean.models.includes(sha256);
}

/** Once per worker: after a failure the library does not start again. */
export async function startRuntime(
  build: RuntimeBuild,
  fetching: Promise<Uint8Array>,
  threads: number,
): Promise<Runtime> {
  const mjs = new URL(RUNTIME_FILES[build].mjsUrl, import.meta.url).href;
  const [ort, wasm] = await Promise.all([importBuild(build, mjs), fetching]);
  const settings = ort.env.wasm;
  settings.numThreads = threads;
  settings.wasmPaths = { mjs };
  settings.wasmBinary = wasm;
  ort.env.logLevel = 'error';
  const takeTurn = createTurns(build);

  return {
    build,
    get threads() {
      return settings.numThreads ?? 1;
    },
    async open(bytes, backend, graphOptimizationLevel) {
      const options = { executionProviders: [backend], graphOptimizationLevel };
      const session = await takeTurn(() => ort.InferenceSession.create(bytes, options));
      // It is in use now; 14 MB need not be there twice.
      delete settings.wasmBinary;
      const input = session.inputNames[0]!;
      return {
        run: (values, shape) =>
          takeTurn(async () => {
            const outputs = await session.run({ [input]: new ort.Tensor('float32', values, shape) });
            const read = Object.entries(outputs).map(([name, tensor]) => [name, tensor.data as Float32Array]);
            return Object.fromEntries(read);
          }),
        release: () => takeTurn(() => session.release()),
      };
    },
  };
}

async function importBuild(build: RuntimeBuild, mjs: string) {
  try {
    // The library imports it later, and could not say that it was the network which failed.
    await import(/* @vite-ignore */ mjs);
    return build === 'jspi' ? await import('onnxruntime-web/jspi') : await import('onnxruntime-web/wasm');
  } catch (cause) {
    throw new ModelLoadError('offline', { cause });
  }
}

/** The library does one thing at a time and fails when asked for two. */
function createTurns(build: RuntimeBuild) {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work).catch((cause: unknown) => {
      // Most likely a function was called that was left out, which the library tells in many ways. It is of no use any more.
      throw build === 'lean' ? new ModelLoadError('lean', { cause }) : cause;
    });
    last = turn.catch(() => {});
    return turn;
  };
}
