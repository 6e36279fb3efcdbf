// Lists on disk: DATA_DIR/datasets/NAME holds one dataset.json and the index files that it names: this version's and the last one's.
// Beside it, an empty file NAME.removed says that somebody removed the list: one that is missing without it was lost, as after a restore.
import { randomBytes } from 'node:crypto';
import { access, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type EntityChange, IndexFileError, type ScreeningIndex, serialiseIndex } from '@limen/screening';
import {
  isMissing,
  isSameSum,
  namesIn,
  removeFiles,
  replaceFile,
  syncFolder,
  writeDurably,
} from '../../../platform/files/durable.ts';
import { makeInnerFolder } from '../../../platform/files/folder.ts';
import { checkIndexFile, compareIndexFiles, openIndexFile } from './index-file.ts';
import { type DatasetInfo, type DatasetSync, isIndexFile, type PreviousVersion, parseDatasetInfo } from './info.ts';
import { DatasetError, IndexNotWhole, isDatasetName, requireDatasetName } from './names.ts';

export type { DatasetInfo } from './info.ts';

export interface DatasetFolder {
  readonly path: string;
  /** All that is there, sorted by name, in one look. */
  survey(): Promise<SurveyedList[]>;
  /** Sorted by name. A damaged one is left out, see `problems`. */
  list(): Promise<DatasetInfo[]>;
  find(name: string): Promise<DatasetInfo | undefined>;
  /** Like `list`, and with those whose index file is missing: what is known of them is enough for a refresh. */
  remembered(): Promise<DatasetInfo[]>;
  /** Reads the index into shared memory; one with an older layout is rebuilt from its records. */
  openIndex(info: DatasetInfo): Promise<ScreeningIndex>;
  /** Atomic: a reader finds the old list or the new one, even after a crash at any moment. One caller per name. */
  replace(
    info: Omit<DatasetInfo, 'indexFile' | 'indexSum' | 'bytes' | 'previous'>,
    index: ScreeningIndex,
  ): Promise<DatasetInfo>;
  /** The same with an index file that was made elsewhere. Throws where it is not the one that `info` tells of. */
  adopt(info: DatasetInfo, pieces: AsyncIterable<Uint8Array>): Promise<DatasetInfo>;
  /** What led from the version before to this one, read from disk as it is asked for. Throws where there is none. */
  changesOf(info: DatasetInfo): AsyncGenerator<EntityChange>;
  /** Remembers for the next refresh what this one saw; the list itself stays as it is. */
  noteSync(info: DatasetInfo, sync: DatasetSync): Promise<DatasetInfo>;
  /** Says for good that it was removed. False when there was none. */
  remove(name: string): Promise<boolean>;
  /** For one that comes back from another machine. */
  forgetRemoval(name: string): Promise<void>;
  /** The names of those that were removed and not loaded again since. */
  removed(): Promise<Set<string>>;
  /** One sentence per list that is damaged. Index files are not opened, see `examineIndex`. */
  problems(): Promise<string[]>;
  /** The sentence when the index is damaged. `head` takes a moment; `whole` reads all of the file. */
  examineIndex(info: DatasetInfo, depth: 'head' | 'whole'): Promise<string | undefined>;
}

export interface SurveyedList {
  name: string;
  /** Also beside a problem, where only the index file is missing. */
  info?: DatasetInfo;
  /** One sentence on what is damaged; index files are not opened, see `examineIndex`. */
  problem?: string;
}

const INFO_FILE = 'dataset.json';
const REMOVED = '.removed';

export function createDatasetFolder(dataDir: string): DatasetFolder {
  const path = join(dataDir, 'datasets');
  const folderOf = (name: string) => join(path, name);
  const markOf = (name: string) => join(path, `${name}${REMOVED}`);

  async function survey(): Promise<SurveyedList[]> {
    const names = (await namesIn(path)).filter(isDatasetName).sort();
    const examined = await Promise.all(names.map((name) => examine(folderOf(name), name)));
    return examined.filter((one) => one !== undefined);
  }

  /** Takes the place of the version that is there, which becomes the one before. */
  async function put(
    info: Omit<DatasetInfo, 'previous' | 'indexFile'>,
    contents: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  ): Promise<DatasetInfo> {
    requireDatasetName(info.name);
    const folder = folderOf(info.name);
    // A name that no other has, also where the same index came before or comes to another process: what fails removes only its own.
    const indexFile = `index-${Date.parse(info.builtAt).toString(36)}-${randomBytes(6).toString('hex')}.bin`;
    makeInnerFolder(folder);
    const previous = previousOf(await examine(folder, info.name));
    const file = join(folder, indexFile);
    let stored: DatasetInfo;
    try {
      const indexSum = await writeDurably(file, contents);
      if (info.indexSum && !isSameSum(info.indexSum, indexSum))
        throw new IndexNotWhole(`The index of ${info.name} did not arrive whole.`);
      stored = { ...info, indexFile, indexSum, ...(previous && { previous }) };
      await rm(markOf(info.name), { force: true });
      await writeInfo(folder, stored);
    } catch (error) {
      await rm(file, { force: true });
      throw error;
    }
    await syncFolder(folder);
    await syncFolder(path);
    // Also what a process that was killed in between has left.
    const needed = [indexFile, previous?.indexFile];
    await removeFiles(folder, (name) => isIndexFile(name) && !needed.includes(name));
    return stored;
  }

  return {
    path,
    survey,
    list: async () => (await survey()).flatMap(({ info, problem }) => (info && !problem ? [info] : [])),
    remembered: async () => (await survey()).flatMap(({ info }) => (info ? [info] : [])),
    problems: async () => (await survey()).flatMap(({ problem }) => (problem ? [problem] : [])),

    async find(name) {
      const found = isDatasetName(name) ? await examine(folderOf(name), name) : undefined;
      return found?.problem === undefined ? found?.info : undefined;
    },

    async examineIndex(info, depth) {
      try {
        await checkIndexFile(join(folderOf(info.name), info.indexFile), info.indexSum, depth);
        return undefined;
      } catch (error) {
        if (isMissing(error)) return (await examine(folderOf(info.name), info.name))?.problem;
        if (error instanceof IndexFileError) return `${info.name}: its index file is damaged; ${remedyFor(info)}.`;
        const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
        return `${info.name}: its index file cannot be read (${code}); check its owner and permissions.`;
      }
    },

    async openIndex(info) {
      const file = join(folderOf(info.name), info.indexFile);
      try {
        return await openIndexFile(file, info.indexSum);
      } catch (error) {
        if (isMissing(error)) throw new DatasetError(`${info.name} was replaced or removed meanwhile; look again.`);
        if (!(error instanceof IndexFileError)) throw error;
        throw new DatasetError(`The index of ${info.name} is damaged; ${remedyFor(info)}.`);
      }
    },

    replace: (info, index) => put({ ...info, bytes: index.bytes }, serialiseIndex(index)),

    adopt: ({ previous: _, indexFile: __, ...info }, pieces) => put(info, pieces),

    async *changesOf(info) {
      const { name, previous } = info;
      if (!previous) {
        throw new DatasetError(`${name} has been loaded once; what changed can be told after the next new version.`);
      }
      const files = [previous, info].map(({ indexFile, indexSum }) => ({
        path: join(folderOf(name), indexFile),
        sum: indexSum,
      }));
      try {
        yield* compareIndexFiles(files[0]!, files[1]!);
      } catch (error) {
        if (isMissing(error)) throw new DatasetError(`${name} was replaced or removed meanwhile; look again.`);
        if (!(error instanceof IndexFileError)) throw error;
        throw new DatasetError(`An index file of ${name} is damaged, so that its versions cannot be compared.`);
      }
    },

    async noteSync(info, sync) {
      const noted = { ...info, sync };
      await writeInfo(folderOf(info.name), noted);
      await syncFolder(folderOf(info.name));
      return noted;
    },

    async remove(name) {
      requireDatasetName(name);
      const folder = folderOf(name);
      // Before the list ends: whoever no longer finds it finds this.
      makeInnerFolder(path);
      await replaceFile(markOf(name), '');
      await syncFolder(path);
      if (!(await exists(folder))) return false;
      const removed = await exists(join(folder, INFO_FILE));
      // The list ends with its dataset.json; what is removed after it is only space.
      await rm(join(folder, INFO_FILE), { force: true });
      await syncFolder(folder);
      await rm(folder, { recursive: true, force: true });
      return removed;
    },

    forgetRemoval: (name) => rm(markOf(name), { force: true }),

    async removed() {
      const marks = (await namesIn(path)).filter((name) => name.endsWith(REMOVED));
      return new Set(marks.map((name) => name.slice(0, -REMOVED.length)));
    },
  };
}

/** What is kept of the version that is there; a damaged one tells nothing. */
function previousOf(found: SurveyedList | undefined): PreviousVersion | undefined {
  if (!found?.info || found.problem !== undefined) return undefined;
  const { version, entityCount, builtAt, indexFile, indexSum } = found.info;
  return { version, entityCount, builtAt, indexFile, ...(indexSum && { indexSum }) };
}

async function writeInfo(folder: string, info: DatasetInfo): Promise<void> {
  await replaceFile(join(folder, INFO_FILE), `${JSON.stringify(info, null, 2)}\n`);
}

/** A list from an address is best fetched again; `sync` does so by itself when the index is of no use. */
function remedyFor({ name, sync }: Partial<DatasetInfo>): string {
  const again = sync ? `limen datasets sync ${name}` : `limen datasets add ${name} …`;
  return `load it again (${again}) or remove it (limen datasets remove ${name})`;
}

/** Undefined where there is no list: a first load that was interrupted leaves a folder without dataset.json. */
async function examine(folder: string, name: string): Promise<SurveyedList | undefined> {
  try {
    const info = parseDatasetInfo(await readFile(join(folder, INFO_FILE), 'utf8'));
    if (info?.name !== name) return { name, problem: `${name}: its ${INFO_FILE} is damaged; ${remedyFor({ name })}.` };
    if (!(await exists(join(folder, info.indexFile)))) {
      // It may have been replaced between the two looks.
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

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

interface ExaminedLists {
  sound: DatasetInfo[];
  /** One sentence per damaged list. */
  problems: string[];
}

export async function examineLists(folder: DatasetFolder, depth: 'head' | 'whole'): Promise<ExaminedLists> {
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
