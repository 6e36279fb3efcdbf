// An empty dataset folder and helpers to fill it, for one test.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countTopics, createLoadReport, IndexBuilder, LOADER_VERSION, loadList } from '@limen/screening';
import { onTestFinished } from 'vitest';
import { createManualClock, type ManualClock } from '#testing/manual-clock.ts';
import { createOutbound, type OutboundOptions } from '../../src/platform/outbound/guarded-fetch.ts';
import { createDatasetFolder } from '../../src/screening/lists/folder/folder.ts';
import type { DatasetInfo, DatasetSync } from '../../src/screening/lists/folder/info.ts';
import type { DatasetTools } from '../../src/screening/lists/sync/sync.ts';

export interface TestTools extends DatasetTools {
  clock: ManualClock;
  dataDir: string;
}

export function createTestTools(outboundOptions: Partial<OutboundOptions> = {}): TestTools {
  const dataDir = mkdtempSync(join(tmpdir(), 'limen-datasets-'));
  const outbound = createOutbound({
    allowPrivate: true,
    maxConcurrent: 2,
    headersTimeoutMs: 10_000,
    idleTimeoutMs: 10_000,
    totalTimeoutMs: 30_000,
    maxRedirects: 5,
    ...outboundOptions,
  });
  onTestFinished(async () => {
    await outbound.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const chosen = { outbound, allowPrivate: true };
  const lists = { startingAt: async () => chosen, asBefore: () => chosen };
  return { folder: createDatasetFolder(dataDir), outbound: lists, clock: createManualClock(), dataDir };
}

/** Simulates a list that was stored before loaders had versions. */
export function forgetLoader({ folder }: Pick<TestTools, 'folder'>, name: string): void {
  const path = join(folder.path, name, 'dataset.json');
  const { loader: _, ...info } = JSON.parse(readFileSync(path, 'utf8')) as DatasetInfo;
  writeFileSync(path, JSON.stringify(info));
}

/** Stores a list of FollowTheMoney lines without a worker thread, as if from an address. */
export async function storeList(
  { folder, clock }: TestTools,
  list: { name: string; body: string; version?: string; sync: Omit<DatasetSync, 'checkedAt'> },
): Promise<DatasetInfo> {
  const builder = new IndexBuilder();
  const main = (async function* () {
    yield Buffer.from(list.body);
  })();
  for await (const entity of loadList('ftm-json', { main }, list.name, createLoadReport())) builder.add(entity);
  const index = builder.finish();
  const builtAt = new Date(clock.now()).toISOString();
  const { name, version = builtAt, sync } = list;
  const about = {
    name,
    format: 'ftm-json',
    source: 'test',
    version,
    builtAt,
    problemCount: 0,
    loader: LOADER_VERSION,
  } as const;
  const counts = { entityCount: index.entityCount, ...countTopics(index) };
  return folder.replace({ ...about, ...counts, sync: { allowPrivate: true, ...sync, checkedAt: builtAt } }, index);
}
