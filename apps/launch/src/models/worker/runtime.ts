// The runtime that computes the models: one of two builds of onnxruntime-web, from our own files, on several threads.
import jspiMjs from 'onnxruntime-web/ort-wasm-simd-threaded.jspi.mjs?url';
import jspiWasm from 'onnxruntime-web/ort-wasm-simd-threaded.jspi.wasm?url';
import plainMjs from 'onnxruntime-web/ort-wasm-simd-threaded.mjs?url';
import plainWasm from 'onnxruntime-web/ort-wasm-simd-threaded.wasm?url';
import { ModelLoadError } from '../../loading/load-error.ts';
import type { Backend, OpenModel } from './choose-backend.ts';

/** The one for graphics processors is bigger, and needs a newer browser. */
export type RuntimeBuild = 'plain' | 'jspi';

export interface Runtime {
  build: RuntimeBuild;
  threads: number;
  open(bytes: Uint8Array, backend: Backend): Promise<OpenModel>;
}

interface RuntimeFile {
  wasmUrl: string;
  mjsUrl: string;
  /** As it is in the package; a reply that travels compressed does not say it. */
  wasmBytes: number;
}

export const RUNTIME_FILES: Record<RuntimeBuild, RuntimeFile> = {
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

/** Once per worker: after a failure the library does not start again. */
export async function startRuntime(build: RuntimeBuild, wasm: Uint8Array, threads: number): Promise<Runtime> {
  const mjs = new URL(RUNTIME_FILES[build].mjsUrl, import.meta.url).href;
  const ort = await importBuild(build, mjs);
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
    async open(bytes, backend) {
      const session = await takeTurn(() => ort.InferenceSession.create(bytes, { executionProviders: [backend] }));
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
function createTurns() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  };
}
