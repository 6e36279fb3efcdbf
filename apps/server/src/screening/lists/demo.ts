// The fictional list that ships with the server. Its index comes with a build of the service; from the sources it is built in memory.
import { createReadStream } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { countTopics, createLoadReport, IndexBuilder, loadList, serializeIndex } from '@limen/screening';
import { VERSION } from '../../platform/base/version.ts';
import { type FileSum, writeDurably } from '../../platform/files/durable.ts';
import { openIndexFile } from './folder/index-file.ts';
import type { DatasetInfo } from './folder/info.ts';
import { DEMO } from './folder/names.ts';

/** Folder of a build of the service; not defined in the sources */
declare const BUILT_FOLDER: string | undefined;

const FILE = 'demo.ftm.json';
const INDEX_FILE = 'demo.index';
const INFO_FILE = 'demo.json';

let built: ReturnType<typeof buildDemoIndex> | undefined;

/** Builds the list once per process, because tests open several applications. */
export function loadDemoIndex() {
  built ??= (typeof BUILT_FOLDER === 'undefined' ? buildDemoIndex() : readDemoIndex(BUILT_FOLDER)).catch(
    (error: unknown) => {
      built = undefined; // the next call tries again
      throw error;
    },
  );
  return built;
}

export async function keepDemoIndex(folder: string): Promise<void> {
  const { index, info } = await buildDemoIndex();
  const sum = await writeDurably(join(folder, INDEX_FILE), serializeIndex(index));
  await writeFile(join(folder, INFO_FILE), JSON.stringify({ info, sum }));
}

async function readDemoIndex(folder: string) {
  const kept = JSON.parse(await readFile(join(folder, INFO_FILE), 'utf8')) as { info: DatasetInfo; sum: FileSum };
  return { index: await openIndexFile(join(folder, INDEX_FILE), kept.sum), info: kept.info };
}

async function buildDemoIndex() {
  const entry = createRequire(import.meta.url).resolve('@limen/screening');
  const path = join(entry, '../../demo', FILE);
  const main = createReadStream(path);
  const report = createLoadReport();
  const builder = new IndexBuilder();
  for await (const entity of loadList('ftm-json', { main }, DEMO, report)) builder.add(entity);
  const index = builder.finish();
  const version = report.version ?? VERSION;
  const info: DatasetInfo = {
    name: DEMO,
    format: 'ftm-json',
    source: FILE,
    version,
    entityCount: index.entityCount,
    ...countTopics(index),
    // The list is part of the release, so it is as old as the file.
    builtAt: (await stat(path)).mtime.toISOString(),
    indexFile: '',
    // Equal versions are equal lists, whether they come from a build or from the sources.
    indexSum: { bytes: index.bytes, sha256: `version ${version}` },
    bytes: index.bytes,
    problemCount: report.problemCount,
  };
  return { index, info };
}
