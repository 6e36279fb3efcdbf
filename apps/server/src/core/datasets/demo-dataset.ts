// The fictional list that ships with the server: built in memory at start, in a moment, and never on disk.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { countTopics, createIndexBuilder, createLoadReport, loadList, type ScreeningIndex } from '@limen/screening';
import { VERSION } from '../../platform/version.ts';
import type { DatasetInfo } from './folder/dataset-info.ts';
import { DEMO } from './folder/dataset-names.ts';

const FILE = 'demo.ftm.json';

interface DemoDataset {
  index: ScreeningIndex;
  info: DatasetInfo;
}

let built: Promise<DemoDataset> | undefined;

/** Built once in a process: nothing changes it, and whoever makes several applications, as tests do, shares it. */
export function loadDemoIndex(): Promise<DemoDataset> {
  built ??= buildDemoIndex().catch((error: unknown) => {
    built = undefined; // the next one tries again
    throw error;
  });
  return built;
}

async function buildDemoIndex(): Promise<DemoDataset> {
  const entry = createRequire(import.meta.url).resolve('@limen/screening');
  const path = join(entry, '../../demo', FILE);
  const main = createReadStream(path);
  const report = createLoadReport();
  const builder = createIndexBuilder();
  for await (const entity of loadList('ftm-json', { main }, DEMO, report)) builder.add(entity);
  const index = builder.finish();
  const info: DatasetInfo = {
    name: DEMO,
    format: 'ftm-json',
    source: FILE,
    version: report.version ?? VERSION,
    entityCount: index.entityCount,
    ...countTopics(index),
    // The list is part of the release, so its time is that of the file, not of this start.
    builtAt: (await stat(path)).mtime.toISOString(),
    indexFile: '',
    bytes: index.bytes,
    problemCount: report.problemCount,
  };
  return { index, info };
}
