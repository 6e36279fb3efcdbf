// Lists on disk: DATA_DIR/datasets/NAME holds a dataset.json and the index files that it names, of this version and the last one.
// An empty file NAME.removed next to it records a deliberate removal. A list that is missing without it was lost.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type EntityChange, IndexFileError, type ScreeningIndex, serializeIndex } from '@limen/screening';
import {
  isMissing,
  isSameSum,
  listFileNames,
  removeFiles,
  replaceFile,
  syncFolder,
  writeDurably,
} from '../../../platform/files/durable.ts';
import { makeInnerFolder } from '../../../platform/files/folder.ts';
import { checkIndexFile, compareIndexFiles, openIndexFile } from './index-file.ts';
import { type DatasetInfo, type DatasetSync, isIndexFile, type PreviousVersion, parseDatasetInfo } from './info.ts';
import { DamagedIndexError, DatasetError, isDatasetName, requireDatasetName } from './names.ts';

export type { DatasetInfo } from './info.ts';

export type DatasetFolder = ReturnType<typeof createDatasetFolder>;

export interface SurveyedList {
  name: string;
  /** Set despite a problem if only the index file is missing. */
  info?: DatasetInfo;
  /** Description of the damage. Index files are not opened, see `examineIndex`. */
  problem?: string;
}

const INFO_FILE = 'dataset.json';
const REMOVED = '.removed';

export function createDatasetFolder(dataDir: string) {
  const path = join(dataDir, 'datasets');
  const folderOf = (name: string) => join(path, name);

  async function survey(): Promise<SurveyedList[]> {
    const names = (await listFileNames(path)).filter(isDatasetName).sort();
    const examined = await Promise.all(names.map((name) => examine(folderOf(name), name)));
    return examined.filter((list) => list !== undefined);
  }

  return {
    path,
    survey,
    list: async () => (await survey()).flatMap(({ info, problem }) => (info && !problem ? [info] : [])),
    /** Returns also the lists whose index file is missing, because they can be refreshed. */
    remembered: async () => (await survey()).flatMap(({ info }) => (info ? [info] : [])),
    problems: async () => (await survey()).flatMap(({ problem }) => (problem ? [problem] : [])),

    async find(name: string): Promise<DatasetInfo | undefined> {
      const found = isDatasetName(name) ? await examine(folderOf(name), name) : undefined;
      return found?.problem === undefined ? found?.info : undefined;
    },

    /** Returns a sentence if the index is damaged. `head` takes a moment; `whole` reads all of the file. */
    examineIndex: (info: DatasetInfo, depth: 'head' | 'whole') => examineIndex(folderOf(info.name), info, depth),

    async openIndex(info: DatasetInfo): Promise<ScreeningIndex> {
      try {
        return await openIndexFile(join(folderOf(info.name), info.indexFile), info.indexSum);
      } catch (error) {
        throw explainDamage(error, info.name, `The index of ${info.name} is damaged; ${remedyFor(info)}.`);
      }
    },

    /** Replaces a list atomically, even if the process crashes. Callers hold the list's lock. */
    replace: (info: Omit<DatasetInfo, 'indexFile' | 'indexSum' | 'bytes' | 'previous'>, index: ScreeningIndex) =>
      putList(path, { ...info, bytes: index.bytes }, serializeIndex(index)),

    /** Stores an index file from another machine. Throws IndexNotWhole if `info` describes another one. */
    adopt: ({ previous: _, indexFile: __, ...info }: DatasetInfo, pieces: AsyncIterable<Uint8Array>) =>
      putList(path, info, pieces),

    /** Yields the changes since the previous version, read from disk on demand. Throws if there is none. */
    async *changesOf(info: DatasetInfo): AsyncGenerator<EntityChange> {
      const { name, previous } = info;
      if (!previous) {
        throw new DatasetError(`${name} has only one version; changes are available after the next one.`);
      }
      try {
        yield* compareIndexFiles(folderOf(name), previous, info);
      } catch (error) {
        const sentence = `An index file of ${name} is damaged, so that its versions cannot be compared.`;
        throw explainDamage(error, name, sentence);
      }
    },

    /** Stores what the next refresh needs; the list itself stays as it is. */
    async noteSync(info: DatasetInfo, sync: DatasetSync): Promise<DatasetInfo> {
      const noted = { ...info, sync };
      await writeInfo(folderOf(info.name), noted);
      await syncFolder(folderOf(info.name));
      return noted;
    },

    /** Records permanently that it was removed. Returns false if there was none. */
    async remove(name: string): Promise<boolean> {
      requireDatasetName(name);
      // Written before the list is deleted: a reader that misses the list finds the mark.
      makeInnerFolder(path);
      await replaceFile(markPath(path, name), '');
      await syncFolder(path);
      const infoFile = join(folderOf(name), INFO_FILE);
      const isThere = existsSync(infoFile);
      if (isThere) {
        // The list ends with its dataset.json; what is removed after it is only space.
        await rm(infoFile);
        await syncFolder(folderOf(name));
      }
      await rm(folderOf(name), { recursive: true, force: true });
      return isThere;
    },

    forgetRemoval: (name: string) => rm(markPath(path, name), { force: true }),

    /** Returns the names of lists that were removed and not loaded again since. */
    async removed(): Promise<Set<string>> {
      const marks = (await listFileNames(path)).filter((name) => name.endsWith(REMOVED));
      return new Set(marks.map((name) => name.slice(0, -REMOVED.length)));
    },
  };
}

function markPath(path: string, name: string): string {
  return join(path, `${name}${REMOVED}`);
}

async function putList(
  path: string,
  info: Omit<DatasetInfo, 'previous' | 'indexFile' | 'indexSum'> & Partial<Pick<DatasetInfo, 'indexSum'>>,
  contents: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<DatasetInfo> {
  requireDatasetName(info.name);
  const folder = join(path, info.name);
  // A unique name even for the same index, so that a failure removes only its own file.
  const indexFile = `index-${Date.parse(info.builtAt).toString(36)}-${randomBytes(6).toString('hex')}.bin`;
  makeInnerFolder(folder);
  const previous = findPrevious(await examine(folder, info.name));
  const file = join(folder, indexFile);
  let stored: DatasetInfo;
  try {
    const indexSum = await writeDurably(file, contents);
    if (info.indexSum && !isSameSum(info.indexSum, indexSum))
      throw new DamagedIndexError(`The index of ${info.name} arrived incomplete.`);
    stored = { ...info, indexFile, indexSum, ...(previous && { previous }) };
    await rm(markPath(path, info.name), { force: true });
    await writeInfo(folder, stored);
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
  await syncFolder(folder);
  await syncFolder(path);
  // Includes files of a process that was killed.
  const needed = [indexFile, previous?.indexFile];
  await removeFiles(folder, (name) => isIndexFile(name) && !needed.includes(name));
  return stored;
}

async function examineIndex(folder: string, info: DatasetInfo, depth: 'head' | 'whole'): Promise<string | undefined> {
  try {
    await checkIndexFile(join(folder, info.indexFile), info.indexSum, depth);
    return undefined;
  } catch (error) {
    if (isMissing(error)) return (await examine(folder, info.name))?.problem;
    if (error instanceof IndexFileError) return `${info.name}: its index file is damaged; ${remedyFor(info)}.`;
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    return `${info.name}: its index file cannot be read (${code}); check its owner and permissions.`;
  }
}

function explainDamage(error: unknown, name: string, sentence: string): unknown {
  if (isMissing(error)) return new DatasetError(`${name} was replaced or removed during the call; try again.`);
  return error instanceof IndexFileError ? new DatasetError(sentence) : error;
}

/** Returns the facts to keep about the current version; undefined if damaged or missing. */
function findPrevious(found: SurveyedList | undefined): PreviousVersion | undefined {
  if (!found?.info || found.problem !== undefined) return undefined;
  const { version, entityCount, builtAt, indexFile, indexSum } = found.info;
  return { version, entityCount, builtAt, indexFile, indexSum };
}

async function writeInfo(folder: string, info: DatasetInfo): Promise<void> {
  await replaceFile(join(folder, INFO_FILE), `${JSON.stringify(info, null, 2)}\n`);
}

function remedyFor({ name, sync }: Partial<DatasetInfo>): string {
  const again = sync ? `limen datasets sync ${name}` : `limen datasets add ${name} …`;
  return `load it again (${again}) or remove it (limen datasets remove ${name})`;
}

/** Returns undefined if there is no list. An interrupted first load leaves a folder without dataset.json. */
async function examine(folder: string, name: string): Promise<SurveyedList | undefined> {
  try {
    const info = parseDatasetInfo(await readFile(join(folder, INFO_FILE), 'utf8'));
    if (info?.name !== name) return { name, problem: `${name}: its ${INFO_FILE} is damaged; ${remedyFor({ name })}.` };
    if (!existsSync(join(folder, info.indexFile))) {
      // The list may have been replaced since the first read.
      const again = parseDatasetInfo(await readFile(join(folder, INFO_FILE), 'utf8'));
      if (again && again.indexFile !== info.indexFile) return { name, info: again };
      return { name, info, problem: `${name}: its index file is missing; ${remedyFor(info)}.` };
    }
    return { name, info };
  } catch (error) {
    if (isMissing(error) || (error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined;
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    return { name, problem: `${name}: its ${INFO_FILE} cannot be read (${code}); check its owner and permissions.` };
  }
}

export async function examineLists(folder: DatasetFolder, depth: 'head' | 'whole') {
  const surveyed = await folder.survey();
  const sound: DatasetInfo[] = [];
  const problems = surveyed.flatMap(({ problem }) => problem ?? []);
  for (const { info, problem } of surveyed) {
    if (!info || problem !== undefined) continue;
    const damage = await folder.examineIndex(info, depth);
    if (damage === undefined) sound.push(info);
    else problems.push(damage);
  }
  return { sound, problems };
}
