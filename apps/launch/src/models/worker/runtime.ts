// The runtime that computes the models: our own, or one of two builds of onnxruntime-web, which may have several threads.
import { canRelax, openNetwork } from '@limen/inference';
import ownWasm from '@limen/inference/kernel.wasm?url';
import ownPlainWasm from '@limen/inference/kernel-plain.wasm?url';
import jspiMjs from 'onnxruntime-web/ort-wasm-simd-threaded.jspi.mjs?url';
import jspiWasm from 'onnxruntime-web/ort-wasm-simd-threaded.jspi.wasm?url';
import plainMjs from 'onnxruntime-web/ort-wasm-simd-threaded.mjs?url';
import plainWasm from 'onnxruntime-web/ort-wasm-simd-threaded.wasm?url';
import { ModelLoadError } from '../../loading/load-error.ts';
import type { Backend, OpenModel } from './choose-backend.ts';
import type { Optimization } from './optimization.ts';

/**
 * `own` is ours, of a few kilobytes, which knows the operators of the shipped models. The others are builds of a library that
 * knows all of them; the one for graphics processors is bigger, and needs a newer browser.
 */
export type RuntimeBuild = 'own' | LibraryBuild;
type LibraryBuild = 'plain' | 'jspi';

export interface Runtime {
  build: RuntimeBuild;
  threads: number;
  open(bytes: Uint8Array, backend: Backend, optimization: Optimization): Promise<OpenModel>;
}

interface RuntimeFile {
  wasmUrl: string;
  /** At most; a reply that travels compressed does not say it. */
  wasmBytes: number;
}

export const RUNTIME_FILES: Record<RuntimeBuild, RuntimeFile> = {
  own: { wasmUrl: canRelax() ? ownWasm : ownPlainWasm, wasmBytes: 8192 },
  plain: { wasmUrl: plainWasm, wasmBytes: 14_239_897 },
  jspi: { wasmUrl: jspiWasm, wasmBytes: 16_758_545 },
};

const GLUE: Record<LibraryBuild, string> = { plain: plainMjs, jspi: jspiMjs };

/** A function that does one thing with 128 bits at once, which every build of the runtime needs. */
const SIMD_MODULE = [
  ...[0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0],
  ...[10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11],
];

export function isSupported(): boolean {
  return typeof WebAssembly !== 'undefined' && WebAssembly.validate(new Uint8Array(SIMD_MODULE));
}

/** Once per worker: after a failure the library does not start again. */
export async function startRuntime(
  build: RuntimeBuild,
  fetching: Promise<Uint8Array<ArrayBuffer>>,
  threads: number,
): Promise<Runtime> {
  return build === 'own' ? startOwn(fetching) : startLibrary(build, fetching, threads);
}

async function startOwn(fetching: Promise<Uint8Array<ArrayBuffer>>): Promise<Runtime> {
  const bytes = await fetching;
  const module = await orLeave(() => WebAssembly.compile(bytes));
  return {
    build: 'own',
    threads: 1,
    open: (model) =>
      orLeave(() => {
        const network = openNetwork(model, module);
        return {
          run: (values, shape) => orLeave(() => network.run(values, shape)),
          release: async () => {},
        };
      }),
  };
}

/** Most likely there is something in a model that it does not know. The library knows it. */
async function orLeave<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new ModelLoadError('own', { cause });
  }
}

async function startLibrary(
  build: LibraryBuild,
  fetching: Promise<Uint8Array<ArrayBuffer>>,
  threads: number,
): Promise<Runtime> {
  const mjs = new URL(GLUE[build], import.meta.url).href;
  const [ort, wasm] = await Promise.all([importBuild(build, mjs), fetching]);
  const settings = ort.env.wasm;
  settings.numThreads = threads;
  settings.wasmPaths = { mjs };
  settings.wasmBinary = wasm;
  ort.env.logLevel = 'error';
  const takeTurn = createTurns();

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

async function importBuild(build: LibraryBuild, mjs: string) {
  try {
    // The library imports it later, and could not say that it was the network which failed.
    await import(/* @vite-ignore */ mjs);
    return build === 'jspi' ? await import('onnxruntime-web/jspi') : await import('onnxruntime-web/wasm');
  } catch (cause) {
    throw new ModelLoadError('offline', { cause });
  }
}

/** The library does one thing at a time and fails when asked for two. */
function createTurns() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  };
}
