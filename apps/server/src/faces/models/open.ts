// The face models of the launch page: brought into their folder behind the start, kept there, and found for serving.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleepUntil } from 'node:timers/promises';
import { type FaceModel, ModelError, type PrepareProgress, prepareModels, type RunNpm } from '@limen/face-models';
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
  const { folder, log, now = Date.now, runNpm, sleep = sleepQuietly } = options;
  const manifest = await readManifest(options.manifestFile);
  const page = renderPageManifest(manifest);
  const byFile = new Map(manifest.models.map((model) => [model.file, model]));
  const byName = new Map(manifest.models.map((model) => [model.name, model]));
  /** The files that are there and right, each with the size of its compressed copy where it has one. */
  const there = new Map<string, number | undefined>();
  let failure: string | undefined;
  const ended = new AbortController();
  const { signal } = ended;
  let missed = Promise.withResolvers<void>();
  let running: Promise<void> | undefined;
  const isReady = () => there.size === byFile.size;

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await prepareUntilReady();
      await missed.promise;
      missed = Promise.withResolvers();
    }
  }

  async function prepareUntilReady(): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      try {
        return await prepareOnce();
      } catch (error) {
        if (signal.aborted) return;
        const delay = RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)]!;
        const next = `next try ${inMinutes(delay)}`;
        failure = `could not be prepared, ${next}; the log says why`;
        log.warn(
          reasonOf(error),
          `the face models are not ready, and the launch page cannot work without them; ${next}`,
        );
        await sleep(delay, signal).catch(() => {}); // only the end cuts it short
      }
    }
  }

  async function prepareOnce(): Promise<void> {
    failure = undefined;
    makeFolder(folder, FOR_EVERYBODY);
    await prepareModels({ manifest, folder, signal, now, onProgress, ...(runNpm ? { runNpm } : {}) });
    await removeCompressionLeftovers(folder, now());
    for (const model of manifest.models) {
      signal.throwIfAborted();
      await compressQuietly(model);
    }
    const bytes = manifest.models.reduce((sum, model) => sum + model.bytes, 0);
    log.info({ models: manifest.models.length, bytes }, 'the face models are ready');
  }

  function onProgress({ model, phase, bytes }: PrepareProgress): void {
    if (phase === 'cached' || phase === 'ready') there.set(byName.get(model)!.file, undefined);
    log[phase === 'cached' ? 'debug' : 'info']({ model, bytes }, PHASES[phase]);
  }

  /** The model itself can be served all the same. */
  async function compressQuietly(model: FaceModel): Promise<void> {
    try {
      there.set(model.file, await keepCompressedCopy(folder, model));
    } catch (error) {
      log.warn({ model: model.name, ...describeForLog(error) }, 'a face model could not be compressed');
    }
  }

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
      there.delete(file);
      missed.resolve();
      return undefined;
    },

    /** The hash of the manifest once every model is there. */
    readyHash: (): string | null => (isReady() ? page.hash : null),
    /** `ready`, or what is going on, in words for strangers. */
    state: () => (isReady() ? 'ready' : (failure ?? `preparing (${there.size} of ${byFile.size} are there)`)),
    /** How long a browser should wait before it asks again. */
    waitSeconds: () => (failure === undefined ? WAIT_SECONDS.preparing : WAIT_SECONDS.failed),

    /** Begins the work, in the background. Without it nothing is fetched and no model is there. */
    start(): void {
      running ??= run();
    },
    async close(): Promise<void> {
      ended.abort();
      missed.resolve();
      await running;
    },
  };
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
