// The thread that reads a list and builds its index; what it posts back is shared memory, not a copy.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import {
  countTopics,
  createLoadReport,
  entitiesOf,
  IndexBuilder,
  type ListedEntity,
  type ListFormat,
  type LoadReport,
  loadDelta,
  loadList,
  noteCut,
  noteRepeated,
  type ScreeningIndex,
} from '@limen/screening';
import { readRecords } from './folder/index-bytes.ts';
import type { Built, FileRole } from './folder/info.ts';

/** Task of the worker. Lists come as paths because they are streamed, never held in memory. */
export type BuildRequest =
  | { kind: 'list'; name: string; format: ListFormat; files: ListFiles }
  /** The records of an index with deltas applied, oldest first. */
  | { kind: 'deltas'; name: string; index: ScreeningIndex; deltas: readonly string[] }
  /** The records of an index file of an older layout. */
  | { kind: 'file'; path: string };

export type ListFiles = { main: string } & Partial<Record<Exclude<FileRole, 'main'>, string>>;

export interface BuildProgress {
  bytesRead: number;
  bytesTotal: number;
  entities: number;
}

export type BuildMessage =
  | ({ type: 'progress' } & BuildProgress)
  | ({ type: 'built' } & Built)
  | { type: 'failed'; name: string; code: string | undefined };

/** Between two messages of progress. */
const STEP_BYTES = 2 ** 19;

const post = (message: BuildMessage) => parentPort?.postMessage(message);

try {
  await build(workerData as BuildRequest);
} catch (error) {
  const { name, code } = error as NodeJS.ErrnoException;
  post({ type: 'failed', name, code });
}

async function build(request: BuildRequest): Promise<void> {
  const report = createLoadReport();
  const builder = new IndexBuilder();
  const meter = createMeter(await totalBytes(pathsOf(request)));
  for await (const entity of entitiesFor(request, report, meter)) {
    builder.add(entity);
    meter.entities += 1;
  }
  meter.entities -= builder.repeated;
  meter.tell();
  noteRepeated(report, builder.repeated);
  const index = builder.finish();
  noteCut(report, builder.cut);
  post({ type: 'built', index, report, counts: countTopics(index) });
}

function entitiesFor(request: BuildRequest, report: LoadReport, meter: Meter): AsyncIterable<ListedEntity> {
  switch (request.kind) {
    case 'list': {
      const { main, ...joined } = request.files;
      const others = Object.entries(joined).map(([role, path]) => [role, meter.read(path)] as const);
      const source = { main: meter.read(main), ...Object.fromEntries(others) };
      return loadList(request.format, source, request.name, report);
    }
    case 'deltas':
      return applyDeltas(request, report, meter);
    case 'file':
      return recover(request.path);
  }
}

async function* recover(path: string): AsyncGenerator<ListedEntity> {
  yield* await readRecords(path);
}

/** What changed is held in memory; what stays runs through. */
async function* applyDeltas(
  { name, index, deltas }: Extract<BuildRequest, { kind: 'deltas' }>,
  report: LoadReport,
  meter: Meter,
): AsyncGenerator<ListedEntity> {
  const changes = new Map<string, ListedEntity | undefined>();
  for (const path of deltas) {
    for await (const change of loadDelta(meter.read(path), name, report)) {
      if (change.op === 'put') changes.set(change.entity.id, change.entity);
      else changes.set(change.id, undefined);
    }
  }
  for (const entity of entitiesOf(index)) {
    const changed = changes.has(entity.id);
    const now = changed ? changes.get(entity.id) : entity;
    changes.delete(entity.id);
    if (now) yield now;
  }
  for (const added of changes.values()) if (added) yield added;
}

interface Meter {
  entities: number;
  read(path: string): AsyncIterable<Uint8Array>;
  tell(): void;
}

function createMeter(bytesTotal: number): Meter {
  let bytesRead = 0;
  let told = 0;
  const meter: Meter = {
    entities: 0,
    async *read(path) {
      for await (const chunk of createReadStream(path, { highWaterMark: 2 ** 17 })) {
        yield chunk;
        bytesRead += chunk.length;
        if (bytesRead - told >= STEP_BYTES) meter.tell();
      }
    },
    tell() {
      told = bytesRead;
      post({ type: 'progress', bytesRead, bytesTotal, entities: meter.entities });
    },
  };
  return meter;
}

function pathsOf(request: BuildRequest): readonly string[] {
  if (request.kind === 'list') return Object.values(request.files);
  return request.kind === 'deltas' ? request.deltas : [];
}

async function totalBytes(paths: readonly string[]): Promise<number> {
  const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
