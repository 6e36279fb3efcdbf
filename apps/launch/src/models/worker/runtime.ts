// Runtimes of the models: our own, and a library for models that ours does not support.
import { canRelax, openInSteps } from '@limen/inference';
import ownWasm from '@limen/inference/kernel.wasm?url';
import ownPlainWasm from '@limen/inference/kernel-plain.wasm?url';
import libraryMjs from 'onnxruntime-web/ort-wasm-simd-threaded.mjs?url';
import libraryWasm from 'onnxruntime-web/ort-wasm-simd-threaded.wasm?url';
import { ModelLoadError } from '../../loading/load-error.ts';
import { runInSlices } from './run-in-slices.ts';

/** `own`: a few kilobytes, for the shipped models. `library`: onnxruntime-web. */
export type RuntimeBuild = 'own' | 'library';

export interface OpenModel {
  run(values: Float32Array, shape: readonly number[]): Promise<Record<string, Float32Array>>;
  /** Overwrites intermediate results of the last run; the library's are out of reach. */
  forget(): void;
  release(): Promise<void>;
}

export interface Runtime {
  build: RuntimeBuild;
  threads: number;
  /** Opens a model for that input shape. Ours throws UnsupportedModelError for other operators. */
  open(bytes: Uint8Array, shape: readonly number[]): Promise<OpenModel>;
}

interface RuntimeFile {
  wasmUrl: string;
  /** Maximum size, because a compressed reply does not state it. */
  wasmBytes: number;
}

export const RUNTIME_FILES: Record<RuntimeBuild, RuntimeFile> = {
  own: { wasmUrl: canRelax() ? ownWasm : ownPlainWasm, wasmBytes: 8192 },
  library: { wasmUrl: libraryWasm, wasmBytes: 14_239_897 },
};

/** A module that uses SIMD, which both runtimes need. */
const SIMD_MODULE = [
  ...[0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0],
  ...[10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11],
];

export function isSupported(): boolean {
  return typeof WebAssembly !== 'undefined' && WebAssembly.validate(new Uint8Array(SIMD_MODULE));
}

export async function startOwn(fetching: Promise<Uint8Array<ArrayBuffer>>): Promise<Runtime> {
  const module = await WebAssembly.compile(await fetching);
  return {
    build: 'own',
    threads: 1,
    async open(bytes, shape) {
      const network = await runInSlices(openInSteps(bytes, module, shape));
      return {
        run: async (values, shape) => network.run(values, shape),
        forget: () => network.forget(),
        release: async () => {},
      };
    },
  };
}

/** Starts once per worker. After its first model fails to open, the library cannot start again. */
export async function startLibrary(fetching: Promise<Uint8Array<ArrayBuffer>>, threads: number): Promise<Runtime> {
  const mjs = new URL(libraryMjs, import.meta.url).href;
  const [ort, wasm] = await Promise.all([importLibrary(mjs), fetching]);
  const settings = ort.env.wasm;
  settings.numThreads = threads;
  settings.wasmPaths = { mjs };
  settings.wasmBinary = wasm;
  ort.env.logLevel = 'error';
  const takeTurn = createTurns();

  return {
    build: 'library',
    get threads() {
      return settings.numThreads ?? 1;
    },
    async open(bytes) {
      const session = await takeTurn(() => ort.InferenceSession.create(bytes, { executionProviders: ['wasm'] }));
      // Frees the 14 MB copy that the library no longer needs.
      delete settings.wasmBinary;
      const input = session.inputNames[0]!;
      return {
        run: (values, shape) =>
          takeTurn(async () => {
            const outputs = await session.run({ [input]: new ort.Tensor('float32', values, shape) });
            const read = Object.entries(outputs).map(([name, tensor]) => [name, tensor.data as Float32Array]);
            return Object.fromEntries(read);
          }),
        forget: () => {},
        release: () => takeTurn(() => session.release()),
      };
    },
  };
}

async function importLibrary(mjs: string) {
  try {
    // The library imports it later but would not report a network failure.
    await import(/* @vite-ignore */ mjs);
    return await import('onnxruntime-web/wasm');
  } catch (cause) {
    throw new ModelLoadError('offline', { cause });
  }
}

/** Serializes calls, because the library fails on concurrent ones. */
function createTurns() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  };
}
