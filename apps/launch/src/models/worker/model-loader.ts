// Gets the models of a step ready to run: fetched, checked, opened, each where it runs best. Runs in the worker.
import { widenOnnx } from '@limen/face-models/widen';
import type { FaceModels, ModelInput, ModelRole, Thresholds } from '../../face/index.ts';
import { type FetchOptions, fetchBytes } from '../../loading/fetch-bytes.ts';
import { ModelLoadError } from '../../loading/load-error.ts';
import type { EngineDescription, LoadWish } from '../messages.ts';
import { type Backend, canUseGpu, chooseBackend, type OpenModel } from './choose-backend.ts';
import { countThreads } from './count-threads.ts';
import { fetchManifest, fetchModel, findEntry, type ModelEntries, type ModelEntry } from './fetch-models.ts';
import { optimizationOf } from './optimization.ts';
import { isSupported, RUNTIME_FILES, type Runtime, type RuntimeBuild, startRuntime } from './runtime.ts';

export interface LoadOptions extends Pick<FetchOptions, 'signal' | 'wait'> {
  onProgress?(share: number): void;
}

export interface ModelLoader {
  models: FaceModels;
  load(wish: LoadWish, options: LoadOptions): Promise<void>;
  /** Of the model that is loaded for the role: a hash in hex. */
  identityOf(role: ModelRole): string | undefined;
  describe(): EngineDescription;
}

/** Replaced by tests. */
export interface RuntimeParts {
  isSupported(): boolean;
  canUseGpu(): Promise<boolean>;
  fetchWasm(build: RuntimeBuild, options: FetchOptions): Promise<Uint8Array<ArrayBuffer>>;
  start(build: RuntimeBuild, wasm: Promise<Uint8Array<ArrayBuffer>>): Promise<Runtime>;
  widen(model: Uint8Array): Uint8Array;
  now(): number;
  /** Smaller models are done before a graphics processor has been asked, and not worth the time of a self-test. */
  gpuWorthBytes: number;
}

interface Ready {
  entry: ModelEntry;
  backend: Backend;
  model: OpenModel;
  /** Where it came from, should it have to be opened again. */
  modelsUrl: string;
  runs: number;
  ms: number;
}

/** After so much time with self-tests the models that come later stay with WebAssembly: someone is waiting. */
const MAX_TESTED_MS = 5000;

const BROWSER: RuntimeParts = {
  isSupported,
  canUseGpu: () => canUseGpu(globalThis),
  fetchWasm: (build, options) =>
    fetchBytes({ ...options, url: RUNTIME_FILES[build].wasmUrl, maxBytes: RUNTIME_FILES[build].wasmBytes }),
  start: (build, wasm) => startRuntime(build, wasm, countThreads(globalThis)),
  widen: widenOnnx,
  now: () => performance.now(),
  gpuWorthBytes: 2_000_000,
};

export function createModelLoader(parts: RuntimeParts = BROWSER): ModelLoader {
  const ready = new Map<ModelRole, Ready>();
  const inputs = new Map<ModelRole, ModelInput>();
  const thresholds = new Map<ModelRole, Thresholds>();
  let manifest: { hash: string; entries: ModelEntries } | undefined;
  let runtime: Runtime | undefined;
  let gpuWorks = true;
  let testedMs = 0;
  let before: Promise<unknown> = Promise.resolve();

  async function load(wish: LoadWish, options: LoadOptions) {
    const { roles, manifestHash, modelsUrl } = wish;
    const { signal } = options;
    signal?.throwIfAborted();
    if (!parts.isSupported()) throw new ModelLoadError('unsupported');
    if (!manifest || (manifestHash !== null && manifestHash !== manifest.hash))
      manifest = await fetchManifest(modelsUrl, manifestHash, options);
    const { entries } = manifest;
    const wanted = [...new Set(roles)].map((role) => findEntry(entries, role));
    const missing = wanted.filter(({ role, sha256 }) => ready.get(role)?.entry.sha256 !== sha256);
    // By another manifest the same model may have other thresholds.
    for (const entry of wanted) if (!missing.includes(entry)) know({ ...ready.get(entry.role)!, entry });
    const build = runtime?.build ?? (await findBuild(wish));
    const runtimeBytes = runtime ? 0 : RUNTIME_FILES[build].wasmBytes;
    const total = missing.reduce((sum, { bytes }) => sum + bytes, runtimeBytes);

    // One that fails ends the others. AbortSignal.any would say it shorter, but Safari has it only since 17.4.
    const failed = new AbortController();
    signal?.addEventListener('abort', () => failed.abort(signal.reason), { signal: failed.signal });
    const within = { ...options, signal: failed.signal };
    const count = createCounter(total, options.onProgress);
    const running = startOnce(build, { ...within, onBytes: count() });
    let adding: Promise<unknown> = running;
    const work = missing.map(async (entry) => {
      const fetched = await fetchModel(modelsUrl, entry, { ...within, onBytes: count() });
      // Widened while the runtime is still on its way; our own does that itself.
      const bytes = build === 'own' ? fetched : parts.widen(fetched);
      const started = await running;
      // One after the other: each is timed, and the runtime does one thing at a time anyway.
      adding = adding.then(() => add(started, entry, bytes, modelsUrl));
      await adding;
    });
    try {
      await Promise.all([running, ...work]);
    } catch (error) {
      failed.abort();
      await Promise.allSettled([running, ...work]);
      signal?.throwIfAborted();
      throw error;
    }
    failed.abort();
    options.onProgress?.(1);
  }

  async function findBuild({ mayUseGpu, mayBeOwn }: LoadWish): Promise<RuntimeBuild> {
    if (mayUseGpu && (await parts.canUseGpu())) return 'jspi';
    return mayBeOwn ? 'own' : 'plain';
  }

  async function startOnce(build: RuntimeBuild, options: FetchOptions): Promise<Runtime> {
    runtime ??= await parts.start(build, parts.fetchWasm(build, options));
    return runtime;
  }

  async function add({ build, open }: Runtime, entry: ModelEntry, bytes: Uint8Array, modelsUrl: string) {
    const { role, input } = entry;
    const start = parts.now();
    const openOn = (on: Backend) => open(bytes, on, on === 'wasm' ? optimizationOf(role) : 'all');
    const { backend, model, gpuFailed } =
      build === 'jspi' && gpuWorks && entry.bytes >= parts.gpuWorthBytes && testedMs < MAX_TESTED_MS
        ? await chooseBackend({ open: openOn, input, now: parts.now })
        : { backend: 'wasm' as const, model: await openOn('wasm'), gpuFailed: false };
    testedMs += parts.now() - start;
    if (gpuFailed) gpuWorks = false;
    const replaced = ready.get(role);
    know({ entry, backend, model, modelsUrl, runs: 0, ms: 0 });
    await replaced?.model.release();
  }

  function know(one: Ready): void {
    const { role, input, thresholds: own } = one.entry;
    ready.set(role, one);
    inputs.set(role, input);
    thresholds.set(role, own);
  }

  /** A graphics processor can go away at any time: the device slept, its driver restarted. */
  async function runWithoutGpu(one: Ready, values: Float32Array, shape: readonly number[]) {
    gpuWorks = false;
    const bytes = await fetchModel(one.modelsUrl, one.entry, {});
    if (!runtime) throw new Error('The runtime is not there');
    one.model = await runtime.open(parts.widen(bytes), 'wasm', optimizationOf(one.entry.role));
    one.backend = 'wasm';
    return one.model.run(values, shape);
  }

  return {
    models: {
      inputs,
      thresholds,
      async run(role, values, shape) {
        const one = ready.get(role);
        if (!one) throw new Error(`The model ${role} is not loaded`);
        const start = parts.now();
        const outputs = await one.model.run(values, shape).catch((error: unknown) => {
          if (one.backend === 'wasm') throw error;
          return runWithoutGpu(one, values, shape);
        });
        one.runs += 1;
        one.ms += parts.now() - start;
        return outputs;
      },
    },
    load(wish, options) {
      const turn = before.then(() => load(wish, options)).catch((error) => Promise.reject(toLoadError(error, options)));
      before = turn.catch(() => {});
      return turn;
    },
    identityOf: (role) => ready.get(role)?.entry.identity,
    describe: () => ({
      threads: runtime?.threads ?? 0,
      build: runtime?.build ?? null,
      roles: Object.fromEntries([...ready].map(([role, { backend }]) => [role, backend])),
      work: Object.fromEntries([...ready].map(([role, { runs, ms }]) => [role, { runs, ms }])),
    }),
  };
}

function toLoadError(error: unknown, { signal }: LoadOptions): unknown {
  if (signal?.aborted || error instanceof ModelLoadError) return error;
  return new ModelLoadError('failed', { cause: error });
}

/** Shares of one total; never backwards, and only where it moved by a hundredth. */
function createCounter(total: number, onProgress: LoadOptions['onProgress']) {
  const counts: number[] = [];
  let told = -1;
  return () => {
    const index = counts.push(0) - 1;
    return (received: number) => {
      counts[index] = received;
      const share = total > 0 ? counts.reduce((sum, count) => sum + count, 0) / total : 1;
      // The last hundredth is for opening them.
      if (share < told + 0.01 || share > 0.99) return;
      told = share;
      onProgress?.(share);
    };
  };
}
