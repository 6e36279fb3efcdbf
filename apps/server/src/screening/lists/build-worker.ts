// Thread that reads a list and builds its index in shared memory.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import {
  countTopics,
  createLoadReport,
  IndexBuilder,
  type ListedEntity,
  type ListFormat,
  type LoadReport,
  listEntities,
  loadDelta,
  loadList,
  noteCut,
  noteRepeated,
  type ScreeningIndex,
} from '@limen/screening';
import { readRecords } from './folder/index-bytes.ts';
import type { BuildSummary, FileRole } from './folder/info.ts';

export type BuildRequest =
  | { kind: 'list'; name: string; format: ListFormat; files: ListFiles }
  /** Applies deltas, oldest first, to the records of an index. */
  | { kind: 'deltas'; name: string; index: ScreeningIndex; deltas: readonly string[] }
  | { kind: 'file'; path: string };

export type ListFiles = { main: string } & Partial<Record<Exclude<FileRole, 'main'>, string>>;

export interface BuildProgress {
  bytesRead: number;
  bytesTotal: number;
  entities: number;
}

export type BuildMessage =
  | ({ type: 'progress' } & BuildProgress)
  | ({ type: 'built' } & BuildSummary)
  | { type: 'failed'; name: string; code: string | undefined };

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
  const paths =
    request.kind === 'list' ? Object.values(request.files) : request.kind === 'deltas' ? request.deltas : [];
  const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size));
  const meter = createMeter(sizes.reduce((sum, size) => sum + size, 0));
  for await (const entity of entitiesFor(request, report, meter)) {
    builder.add(entity);
    meter.entities += 1;
  }
  meter.entities -= builder.repeated;
  meter.report();
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
      return readRecords(request.path);
  }
}

/** Holds the changes in memory and streams the rest. */
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
  for (const entity of listEntities(index)) {
    const changed = changes.has(entity.id) ? changes.get(entity.id) : entity;
    changes.delete(entity.id);
    if (changed) yield changed;
  }
  for (const added of changes.values()) if (added) yield added;
}

type Meter = ReturnType<typeof createMeter>;

function createMeter(bytesTotal: number) {
  let bytesRead = 0;
  let reported = 0;
  const meter = {
    entities: 0,
    async *read(path: string): AsyncGenerator<Uint8Array> {
      for await (const chunk of createReadStream(path, { highWaterMark: 2 ** 17 })) {
        yield chunk;
        bytesRead += chunk.length;
        if (bytesRead - reported >= STEP_BYTES) meter.report();
      }
    },
    report(): void {
      reported = bytesRead;
      post({ type: 'progress', bytesRead, bytesTotal, entities: meter.entities });
    },
  };
  return meter;
}
