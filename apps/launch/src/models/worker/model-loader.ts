// Fetches, verifies and opens the models of a step, in the worker.
import { widenOnnx } from '@limen/face-models/widen';
import { UnsupportedModelError } from '@limen/inference';
import { type FaceModels, type ModelInput, type ModelRole, shapeOf, type Thresholds } from '../../face/index.ts';
import { type FetchOptions, fetchBytes } from '../../loading/fetch-bytes.ts';
import { ModelLoadError } from '../../loading/load-error.ts';
import { type EngineDescription, FETCHED_SHARE, type LoadWish } from '../messages.ts';
import { countThreads } from './count-threads.ts';
import { fetchManifest, fetchModel, findEntry, type ModelEntries, type ModelEntry } from './fetch-models.ts';
import {
  isSupported,
  type OpenModel,
  RUNTIME_FILES,
  type Runtime,
  type RuntimeBuild,
  startLibrary,
  startOwn,
} from './runtime.ts';

export interface LoadOptions extends Pick<FetchOptions, 'wait'> {
  onProgress?(share: number): void;
}

export type ModelLoader = ReturnType<typeof createModelLoader>;

/** Replaced in tests. */
export interface RuntimeParts {
  isSupported(): boolean;
  fetchWasm(build: RuntimeBuild, options: FetchOptions): Promise<Uint8Array<ArrayBuffer>>;
  /** `workers`: number of workers, each with its own runtime. */
  start(build: RuntimeBuild, wasm: Promise<Uint8Array<ArrayBuffer>>, workers: number): Promise<Runtime>;
  widen(model: Uint8Array): Uint8Array;
  now(): number;
}

interface ReadyModel {
  entry: ModelEntry;
  build: RuntimeBuild;
  model: OpenModel;
  runs: number;
  ms: number;
}

/** Earlier loads that a load has to wait for. */
interface EarlierLoads {
  /** Settles when earlier loads have fetched everything or failed; the first has priority. */
  fetched: Promise<void>;
  /** Settles when earlier loads have opened their models. Opening is sequential. */
  opened: Promise<void>;
}

const BROWSER: RuntimeParts = {
  isSupported,
  fetchWasm: (build, options) =>
    fetchBytes({ ...options, url: RUNTIME_FILES[build].wasmUrl, maxBytes: RUNTIME_FILES[build].wasmBytes }),
  start: (build, wasm, workers) =>
    build === 'own' ? startOwn(wasm) : startLibrary(wasm, countThreads(globalThis, workers)),
  widen: widenOnnx,
  now: () => performance.now(),
};

/** Open models with their manifest entries. */
class OpenedModels implements FaceModels {
  readonly inputs = new Map<ModelRole, ModelInput>();
  readonly thresholds = new Map<ModelRole, Thresholds>();
  readonly #ready = new Map<ModelRole, ReadyModel>();
  readonly #parts: RuntimeParts;
  #threads = 0;

  constructor(parts: RuntimeParts) {
    this.#parts = parts;
  }

  async run(...[role, values, shape]: Parameters<FaceModels['run']>) {
    const ready = this.#ready.get(role);
    if (!ready) throw new Error(`The model ${role} is not loaded`);
    const start = this.#parts.now();
    const outputs = await ready.model.run(values, shape);
    ready.runs += 1;
    ready.ms += this.#parts.now() - start;
    return outputs;
  }

  async add(entry: ModelEntry, bytes: Uint8Array, start: (build: RuntimeBuild) => Promise<Runtime>): Promise<void> {
    const { runtime, model } = await this.#open(entry, bytes, start);
    this.#threads = Math.max(this.#threads, runtime.threads);
    const replaced = this.#ready.get(entry.role);
    this.#register({ entry, build: runtime.build, model, runs: 0, ms: 0 });
    replaced?.model.forget();
    await replaced?.model.release();
  }

  /** Opens a model in our runtime, or in the library if ours does not support it. */
  async #open(entry: ModelEntry, bytes: Uint8Array, start: (build: RuntimeBuild) => Promise<Runtime>) {
    const own = await start('own');
    const shape = shapeOf(entry.input);
    try {
      return { runtime: own, model: await own.open(bytes, shape) };
    } catch (error) {
      if (!(error instanceof UnsupportedModelError)) throw error;
    }
    const library = await start('library');
    return { runtime: library, model: await library.open(this.#parts.widen(bytes), shape) };
  }

  /** Returns whether the model is loaded. Adopts thresholds of the new manifest. */
  reuse(entry: ModelEntry): boolean {
    const ready = this.#ready.get(entry.role);
    if (ready?.entry.sha256 !== entry.sha256) return false;
    this.#register({ ...ready, entry });
    return true;
  }

  #register(ready: ReadyModel): void {
    const { role, input, thresholds } = ready.entry;
    this.#ready.set(role, ready);
    this.inputs.set(role, input);
    this.thresholds.set(role, thresholds);
  }

  /** Overwrites the models' intermediate results in memory. */
  forget(): void {
    for (const { model } of this.#ready.values()) model.forget();
  }

  /** Returns the hex identity of the role's loaded model. */
  findIdentity(role: ModelRole): string | undefined {
    return this.#ready.get(role)?.entry.identity;
  }

  describe(): EngineDescription {
    const models = [...this.#ready];
    return {
      threads: this.#threads,
      roles: Object.fromEntries(models.map(([role, { build }]) => [role, build])),
      work: Object.fromEntries(models.map(([role, { runs, ms }]) => [role, { runs, ms }])),
    };
  }
}

export function createModelLoader(parts: RuntimeParts = BROWSER) {
  const models = new OpenedModels(parts);
  const runtimes = new Map<RuntimeBuild, Promise<Runtime>>();
  /** Hashes of the models that current loads are fetching. */
  const coming = new Set<string>();
  let manifest: { hash: string; entries: ModelEntries } | undefined;
  let before: EarlierLoads = { fetched: Promise.resolve(), opened: Promise.resolve() };

  async function load(wish: LoadWish, options: LoadOptions, opened: Promise<void>, endFetching: () => void) {
    const { roles, manifestHash, modelsUrl, workers } = wish;
    if (!parts.isSupported()) throw new ModelLoadError('unsupported');
    if (!manifest || (manifestHash !== null && manifestHash !== manifest.hash))
      manifest = await fetchManifest(modelsUrl, manifestHash, options);
    const { entries } = manifest;
    const wanted = [...new Set(roles)].map((role) => findEntry(entries, role));
    const missing = wanted.filter((entry) => !models.reuse(entry));
    const mine = missing.filter(({ sha256 }) => !coming.has(sha256));
    for (const { sha256 } of mine) coming.add(sha256);

    // One failure aborts the others.
    const failed = new AbortController();
    const abortableOptions = { ...options, signal: failed.signal };
    const count = createCounter(options.onProgress);
    const startOne = (build: RuntimeBuild) =>
      startOnce(build, workers, () => ({ ...abortableOptions, onBytes: count(RUNTIME_FILES[build].wasmBytes) }));
    const fetchOne = (entry: ModelEntry) =>
      fetchModel(modelsUrl, entry, { ...abortableOptions, onBytes: count(entry.bytes) });
    const own = startOne('own');
    const fetches = mine.map((entry) => ({ entry, bytes: fetchOne(entry) }));
    void Promise.allSettled([own, ...fetches.map(({ bytes }) => bytes)]).then(() => {
      endFetching();
      if (!failed.signal.aborted) count.end();
    });
    // Opens sequentially in order of arrival, because the runtime is single-threaded anyway.
    let adding: Promise<unknown> = opened;
    const work = fetches.map(async ({ entry, bytes }) => {
      const fetched = await bytes;
      adding = adding.then(() => models.add(entry, fetched, startOne));
      await adding;
    });
    const awaitedElsewhere = missing.filter((entry) => !mine.includes(entry));
    try {
      await Promise.all([own, ...work]);
      await opened;
      // Models of another load: available by now, unless that load failed.
      for (const entry of awaitedElsewhere)
        if (!models.reuse(entry)) await models.add(entry, await fetchOne(entry), startOne);
    } catch (error) {
      failed.abort();
      await Promise.allSettled([own, ...work]);
      throw error;
    } finally {
      for (const { sha256 } of mine) coming.delete(sha256);
    }
    failed.abort();
    options.onProgress?.(1);
  }

  /** Starts a runtime once. A failed start is retried by the next load. */
  function startOnce(build: RuntimeBuild, workers: number, options: () => FetchOptions): Promise<Runtime> {
    const begun = runtimes.get(build);
    if (begun) return begun;
    const starting = parts.start(build, parts.fetchWasm(build, options()), workers);
    runtimes.set(build, starting);
    starting.catch(() => runtimes.delete(build));
    return starting;
  }

  return {
    models: models as FaceModels,
    load(wish: LoadWish, options: LoadOptions): Promise<void> {
      const { fetched, opened } = before;
      let endFetching = () => {};
      const fetching = new Promise<void>((resolve) => {
        endFetching = resolve;
      });
      const turn = fetched
        .then(() => load(wish, options, opened, endFetching))
        .catch((error) => Promise.reject(toLoadError(error)))
        .finally(endFetching);
      before = { fetched: fetching, opened: Promise.allSettled([opened, turn]).then(() => undefined) };
      return turn;
    },
    forget: () => models.forget(),
    findIdentity: (role: ModelRole) => models.findIdentity(role),
    describe: () => models.describe(),
  };
}

function toLoadError(error: unknown): unknown {
  if (error instanceof ModelLoadError) return error;
  return new ModelLoadError('failed', { cause: error });
}

/** Reports shares of all counted bytes: never falling, and in steps of at least one percent. */
function createCounter(onProgress: LoadOptions['onProgress']) {
  const counts: number[] = [];
  let total = 0;
  let reported = -1;
  const report = (share: number) => {
    reported = share;
    onProgress?.(share);
  };
  const count = (bytes: number) => {
    const index = counts.push(0) - 1;
    total += bytes;
    return (received: number) => {
      counts[index] = received;
      const share = counts.reduce((sum, count) => sum + count, 0) / total;
      if (share < reported + 0.01 || share > FETCHED_SHARE) return;
      report(share);
    };
  };
  return Object.assign(count, { end: () => report(FETCHED_SHARE) });
}
