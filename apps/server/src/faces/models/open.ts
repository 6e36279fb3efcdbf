// The face models of the launch page: brought into their folder behind the start, kept there, and found for serving.
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
/** After each failure in a row; the last one for all that follow. */
const RETRY_MS = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS];
/** Several services may share the folder, and nothing in it is secret. */
const FOR_EVERYBODY = 0o777;
/** What a browser is told to wait while the files come in, and after a failure. */
const WAIT_SECONDS = { preparing: 5, failed: 60 };

type LogLine = (fields: Record<string, unknown>, message: string) => void;

export interface ModelsOptions {
  folder: string;
  /** The operator's manifest instead of the shipped one. */
  manifestFile: string | undefined;
  log: { debug: LogLine; info: LogLine; warn: LogLine };
  now?: () => number;
  runNpm?: RunNpm;
  /** Rejects when the signal ends it. */
  sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

export interface ModelFile {
  path: string;
  bytes: number;
  gzip: boolean;
}

export type Models = Awaited<ReturnType<typeof openModels>>;

/** Throws a StartError with every mistake in the operator's manifest. */
export async function openModels(options: ModelsOptions) {
  const { folder } = options;
  const manifest = await readManifest(options.manifestFile);
  const page = renderPageManifest(manifest);
  const byFile = new Map(manifest.models.map((model) => [model.file, model]));
  const preparation = new ModelPreparation(manifest, options);
  const { there } = preparation;
  const isReady = () => there.size === byFile.size;

  return {
    /** As the page reads it. */
    manifest: page,
    /** By the name of its file. */
    find: (file: string): FaceModel | undefined => byFile.get(file),

    /** Returns a model's file, or undefined while it is missing. A lost file is prepared again. */
    async locate({ file, bytes }: FaceModel, acceptsGzip: boolean): Promise<ModelFile | undefined> {
      if (!there.has(file)) return undefined;
      const packedBytes = there.get(file);
      const packedPath = join(folder, compressedName(file));
      if (acceptsGzip && packedBytes !== undefined && (await hasSize(packedPath, packedBytes))) {
        return { path: packedPath, bytes: packedBytes, gzip: true };
      }
      const path = join(folder, file);
      if (await hasSize(path, bytes)) return { path, bytes, gzip: false };
      preparation.prepareAgain(file);
      return undefined;
    },

    /** The hash of the manifest once every model is there. */
    readyHash: (): string | null => (isReady() ? page.hash : null),
    /** `ready`, or what is going on, in words for strangers. */
    state: () =>
      isReady() ? 'ready' : (preparation.failure ?? `preparing (${there.size} of ${byFile.size} are there)`),
    /** How long a browser should wait before it asks again. */
    waitSeconds: () => (preparation.failure === undefined ? WAIT_SECONDS.preparing : WAIT_SECONDS.failed),

    /** Begins the work, in the background. Without it nothing is fetched and no model is there. */
    start: () => preparation.start(),
    close: () => preparation.close(),
  };
}

class ModelPreparation {
  /** The files that are there and right, each with the size of its compressed copy where it has one. */
  readonly there = new Map<string, number | undefined>();
  /** In words for strangers; undefined while nothing has failed. */
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
    this.there.delete(file);
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
    const { log, sleep = sleepQuietly } = this.#options;
    const { signal } = this.#ended;
    for (let failures = 0; !signal.aborted; ) {
      try {
        return await this.#prepareOnce();
      } catch (error) {
        if (signal.aborted) return;
        const delay = RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)]!;
        const next = `next try ${inMinutes(delay)}`;
        this.failure = `could not be prepared, ${next}; the log says why`;
        log.warn(
          reasonOf(error),
          `the face models are not ready, and the launch page cannot work without them; ${next}`,
        );
        await sleep(delay, signal).catch(() => {}); // only the end cuts it short
      }
    }
  }

  async #prepareOnce(): Promise<void> {
    const { folder, log, runNpm, now = Date.now } = this.#options;
    const { signal } = this.#ended;
    const manifest = this.#manifest;
    const fileOf = new Map(manifest.models.map(({ name, file }) => [name, file]));
    const onProgress = ({ model, phase, bytes }: PrepareProgress) => {
      if (phase === 'cached' || phase === 'ready') this.there.set(fileOf.get(model)!, undefined);
      log[phase === 'cached' ? 'debug' : 'info']({ model, bytes }, PHASES[phase]);
    };
    this.failure = undefined;
    makeFolder(folder, FOR_EVERYBODY);
    await prepareModels({ manifest, folder, signal, now, onProgress, ...(runNpm ? { runNpm } : {}) });
    await removeCompressionLeftovers(folder, now());
    for (const model of manifest.models) {
      signal.throwIfAborted();
      await this.#compressQuietly(model);
    }
    const bytes = manifest.models.reduce((sum, model) => sum + model.bytes, 0);
    log.info({ models: manifest.models.length, bytes }, 'the face models are ready');
  }

  /** The model itself can be served all the same. */
  async #compressQuietly(model: FaceModel): Promise<void> {
    const { folder, log } = this.#options;
    try {
      this.there.set(model.file, await keepCompressedCopy(folder, model));
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

/** A sentence where it is ours, else class and code only. */
function reasonOf(error: unknown): Record<string, unknown> {
  return error instanceof ModelError || error instanceof StartError ? { reason: error.message } : describeForLog(error);
}

function inMinutes(milliseconds: number): string {
  const minutes = milliseconds / MINUTE_MS;
  return `in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}`;
}

async function sleepQuietly(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleepUntil(milliseconds, undefined, { signal, ref: false });
}
