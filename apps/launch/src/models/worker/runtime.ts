// What computes the models: our own runtime, and beside it a library, for models that have something in them which ours does not know.
import { canRelax, openInSteps } from '@limen/inference';
import ownWasm from '@limen/inference/kernel.wasm?url';
import ownPlainWasm from '@limen/inference/kernel-plain.wasm?url';
import libraryMjs from 'onnxruntime-web/ort-wasm-simd-threaded.mjs?url';
import libraryWasm from 'onnxruntime-web/ort-wasm-simd-threaded.wasm?url';
import { ModelLoadError } from '../../loading/load-error.ts';
import { takeBreaths } from './take-breaths.ts';

/** `own` is of a few kilobytes, and knows the operators of the shipped models. The library, onnxruntime-web, knows all. */
export type RuntimeBuild = 'own' | 'library';

export interface OpenModel {
  run(values: Float32Array, shape: readonly number[]): Promise<Record<string, Float32Array>>;
  /** Overwrites what the last run left in memory, where that can be reached: the library's cannot. */
  forget(): void;
  release(): Promise<void>;
}

export interface Runtime {
  build: RuntimeBuild;
  threads: number;
  /**
   * For inputs of that shape. Our own throws an UnsupportedModelError where it does not know what is in the model, and takes its
   * time: whoever asks for something meanwhile is answered.
   */
  open(bytes: Uint8Array, shape: readonly number[]): Promise<OpenModel>;
}

interface RuntimeFile {
  wasmUrl: string;
  /** At most; a reply that travels compressed does not say it. */
  wasmBytes: number;
}

export const RUNTIME_FILES: Record<RuntimeBuild, RuntimeFile> = {
  own: { wasmUrl: canRelax() ? ownWasm : ownPlainWasm, wasmBytes: 8192 },
  library: { wasmUrl: libraryWasm, wasmBytes: 14_239_897 },
};

/** A function that does one thing with 128 bits at once, which both need. */
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
      const network = await takeBreaths(openInSteps(bytes, module, shape));
      return {
        run: async (values, shape) => network.run(values, shape),
        forget: () => network.forget(),
        release: async () => {},
      };
    },
  };
}

/** Once per worker: after a failure to open its first model it does not start again. */
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
        forget: () => {},
        release: () => takeTurn(() => session.release()),
      };
    },
  };
}

async function importLibrary(mjs: string) {
  try {
    // The library imports it later, and could not say that it was the network which failed.
    await import(/* @vite-ignore */ mjs);
    return await import('onnxruntime-web/wasm');
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
