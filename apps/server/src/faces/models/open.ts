// The face models of the launch page: prepared in the background after the start, and located for serving.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleepUntil } from 'node:timers/promises';
import {
  type FaceModel,
  type Manifest,
  ModelError,
  type PrepareProgress,
  prepareModels,
  type RunNpm,
} from '@limen/face-models';
import { describeForLog, StartError } from '../../platform/base/errors.ts';
import { makeFolder } from '../../platform/files/folder.ts';
import { compressedName, keepCompressedCopy, removeCompressionLeftovers } from './compressed-copy.ts';
import { readManifest, renderPageManifest } from './manifest.ts';

const MINUTE_MS = 60_000;
const RETRY_MS = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS];
/** Several services may share the folder, and nothing in it is secret. */
const WORLD_ACCESS = 0o777;
const WAIT_SECONDS = { preparing: 5, failed: 60 };

type LogLine = (fields: Record<string, unknown>, message: string) => void;

export interface ModelsOptions {
  folder: string;
  manifestFile: string | undefined;
  log: { debug: LogLine; info: LogLine; warn: LogLine };
  now?: () => number;
  runNpm?: RunNpm;
  sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

export type Models = Awaited<ReturnType<typeof openModels>>;

/** Throws a StartError with every mistake in the operator's manifest. */
export async function openModels(options: ModelsOptions) {
  const { folder } = options;
  const manifest = await readManifest(options.manifestFile);
  const page = renderPageManifest(manifest);
  const byFile = new Map(manifest.models.map((model) => [model.file, model]));
  const preparation = new ModelPreparation(manifest, options);
  const { prepared } = preparation;
  const isReady = () => prepared.size === byFile.size;

  return {
    manifest: page,
    find: (file: string) => byFile.get(file),

    /** Returns a model's file, or undefined while it is missing. A lost file is prepared again. */
    async locate({ file, bytes }: FaceModel, acceptsGzip: boolean) {
      if (!prepared.has(file)) return undefined;
      const packedBytes = prepared.get(file);
      const packedPath = join(folder, compressedName(file));
      if (acceptsGzip && packedBytes !== undefined && (await hasSize(packedPath, packedBytes))) {
        return { path: packedPath, bytes: packedBytes, gzip: true };
      }
      const path = join(folder, file);
      if (await hasSize(path, bytes)) return { path, bytes, gzip: false };
      preparation.prepareAgain(file);
      return undefined;
    },

    readyHash: (): string | null => (isReady() ? page.hash : null),
    state: () =>
      isReady() ? 'ready' : (preparation.failure ?? `preparing (${prepared.size} of ${byFile.size} are there)`),
    waitSeconds: () => (preparation.failure === undefined ? WAIT_SECONDS.preparing : WAIT_SECONDS.failed),

    /** Starts the preparation in the background. Without it, no model is there. */
    start: () => preparation.start(),
    close: () => preparation.close(),
  };
}

class ModelPreparation {
  /** Verified files, with the size of their compressed copy, if any. */
  readonly prepared = new Map<string, number | undefined>();
  failure: string | undefined;
  readonly #manifest: Manifest;
  readonly #options: ModelsOptions;
  readonly #ended = new AbortController();
  #missed = Promise.withResolvers<void>();
  #running: Promise<void> | undefined;

  constructor(manifest: Manifest, options: ModelsOptions) {
    this.#manifest = manifest;
    this.#options = options;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  prepareAgain(file: string): void {
    this.prepared.delete(file);
    this.#missed.resolve();
  }

  async close(): Promise<void> {
    this.#ended.abort();
    this.#missed.resolve();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#ended.signal.aborted) {
      await this.#prepareUntilReady();
      await this.#missed.promise;
      this.#missed = Promise.withResolvers();
    }
  }

  async #prepareUntilReady(): Promise<void> {
    const { log, sleep = sleepUnref } = this.#options;
    const { signal } = this.#ended;
    for (let failures = 0; !signal.aborted; ) {
      try {
        return await this.#prepareOnce();
      } catch (error) {
        if (signal.aborted) return;
        const delay = RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)]!;
        const minutes = delay / MINUTE_MS;
        const next = `next try in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}`;
        this.failure = `could not be prepared, ${next}; the log says why`;
        const isOurs = error instanceof ModelError || error instanceof StartError;
        log.warn(
          isOurs ? { reason: error.message } : describeForLog(error),
          `the face models are not ready, and the launch page cannot work without them; ${next}`,
        );
        await sleep(delay, signal).catch(() => {}); // rejects when the service ends
      }
    }
  }

  async #prepareOnce(): Promise<void> {
    const { folder, log, runNpm, now = Date.now } = this.#options;
    const { signal } = this.#ended;
    const manifest = this.#manifest;
    const fileOf = new Map(manifest.models.map(({ name, file }) => [name, file]));
    const onProgress = ({ model, phase, bytes }: PrepareProgress) => {
      if (phase === 'cached' || phase === 'ready') this.prepared.set(fileOf.get(model)!, undefined);
      log[phase === 'cached' ? 'debug' : 'info']({ model, bytes }, PHASES[phase]);
    };
    this.failure = undefined;
    makeFolder(folder, WORLD_ACCESS);
    await prepareModels({ manifest, folder, signal, now, onProgress, ...(runNpm ? { runNpm } : {}) });
    await removeCompressionLeftovers(folder, now());
    for (const model of manifest.models) {
      signal.throwIfAborted();
      await this.#compress(model);
    }
    const bytes = manifest.models.reduce((sum, model) => sum + model.bytes, 0);
    log.info({ models: manifest.models.length, bytes }, 'the face models are ready');
  }

  async #compress(model: FaceModel): Promise<void> {
    const { folder, log } = this.#options;
    try {
      this.prepared.set(model.file, await keepCompressedCopy(folder, model));
    } catch (error) {
      log.warn({ model: model.name, ...describeForLog(error) }, 'a face model could not be compressed');
    }
  }
}

const PHASES: Record<PrepareProgress['phase'], string> = {
  cached: 'a face model was already there',
  fetching: 'fetching a face model',
  converting: 'converting a face model',
  ready: 'a face model is ready',
};

async function hasSize(path: string, bytes: number): Promise<boolean> {
  const information = await stat(path).catch(() => undefined);
  return information?.isFile() === true && information.size === bytes;
}

function sleepUnref(milliseconds: number, signal: AbortSignal): Promise<void> {
  return sleepUntil(milliseconds, undefined, { signal, ref: false });
}
