// Decides for each model whether the graphics processor runs it: only where it computes the same, and not slower.
import type { ModelInput } from '../../face/index.ts';
import { ModelLoadError } from '../../loading/load-error.ts';

export type Backend = 'wasm' | 'webgpu';

export interface OpenModel {
  run(values: Float32Array, shape: readonly number[]): Promise<Record<string, Float32Array>>;
  release(): Promise<void>;
}

export interface Choice {
  backend: Backend;
  model: OpenModel;
  /** The graphics processor gave an error: not worth a try with the next model. */
  gpuFailed: boolean;
}

export interface ChoiceOptions {
  open(backend: Backend): Promise<OpenModel>;
  input: ModelInput;
  now(): number;
  /** For what the graphics processor is asked; it may hang. */
  limitMs?: number;
}

/** Largest difference ÷ largest value of an output. Two ways to add up floats differ by far less. */
const TOLERANCE = 2e-3;
const TIMED_RUNS = 3;
const LIMIT_MS = 4_000;

interface Adapter {
  info?: { isFallbackAdapter?: boolean };
}

interface BrowserParts {
  navigator?: { gpu?: { requestAdapter(): Promise<Adapter | null> } };
  WebAssembly?: object;
}

/** An adapter, and calls that WebAssembly can wait in (JSPI), without which that build of the runtime does not run. */
export async function canUseGpu(scope: BrowserParts): Promise<boolean> {
  if (!scope.WebAssembly || !('Suspending' in scope.WebAssembly)) return false;
  try {
    const adapter = await scope.navigator?.gpu?.requestAdapter();
    // One that is computed by the processor is slower than WebAssembly, and takes long to find that out.
    return adapter ? !adapter.info?.isFallbackAdapter : false;
  } catch {
    return false;
  }
}

export async function chooseBackend({ open, input, now, limitMs = LIMIT_MS }: ChoiceOptions) {
  const plain = await open('wasm');
  const stayPlain = (gpuFailed: boolean): Choice => ({ backend: 'wasm', model: plain, gpuFailed });
  const inTime = createLimit(limitMs);
  let gpu: OpenModel | undefined;
  try {
    gpu = await inTime(open('webgpu'));
    const { values, shape } = makeTestInput(input);
    // The first run of each also prepares what later runs find ready.
    const isSame = agree(await plain.run(values, shape), await inTime(gpu.run(values, shape)));
    if (isSame) {
      const plainMs = await timeRuns(() => plain.run(values, shape), now);
      const gpuMs = await inTime(timeRuns(() => gpu!.run(values, shape), now));
      if (gpuMs <= plainMs) {
        await plain.release();
        return { backend: 'webgpu', model: gpu, gpuFailed: false } satisfies Choice;
      }
    }
    await inTime(gpu.release());
    return stayPlain(false);
  } catch (error) {
    if (error instanceof ModelLoadError && error.code === 'gpu') throw error;
    await gpu?.release().catch(() => {});
    return stayPlain(true);
  } finally {
    inTime.end();
  }
}

/** Noise over the whole range of a picture, the same on every device. */
export function makeTestInput({ width, height, channels, mean, scale, layout }: ModelInput) {
  const depth = channels === 'gray' ? 1 : 3;
  const values = new Float32Array(width * height * depth);
  let state = 0x9e3779b9;
  for (let i = 0; i < values.length; i += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    values[i] = ((state >>> 24) - mean[i % depth]!) / scale;
  }
  return { values, shape: layout === 'nchw' ? [1, depth, height, width] : [1, height, width, depth] };
}

export function agree(one: Record<string, Float32Array>, other: Record<string, Float32Array>): boolean {
  const others = new Map(Object.entries(other));
  return Object.entries(one).every(([name, values]) => {
    const beside = others.get(name);
    if (beside?.length !== values.length) return false;
    let [largest, difference] = [0, 0];
    for (let i = 0; i < values.length; i += 1) {
      largest = Math.max(largest, Math.abs(values[i]!));
      difference = Math.max(difference, Math.abs(values[i]! - beside[i]!));
    }
    // Written so that what is not a number does not agree.
    return difference <= largest * TOLERANCE;
  });
}

/** The best of a few: the first ones are slowed by whatever else starts at that moment. */
async function timeRuns(run: () => Promise<unknown>, now: () => number): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < TIMED_RUNS; i += 1) {
    const start = now();
    await run();
    best = Math.min(best, now() - start);
  }
  return best;
}

function createLimit(limitMs: number) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const passed = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ModelLoadError('gpu')), limitMs);
  });
  passed.catch(() => {});
  const inTime = <T>(promise: Promise<T>): Promise<T> => Promise.race([promise, passed]);
  return Object.assign(inTime, { end: () => clearTimeout(timer) });
}
