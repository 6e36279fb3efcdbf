// Keeps the lists of several machines the same. Each machine has its own folder; the database says which version of a list is in
// force, and brings its index to whoever has another. Whatever is loaded, refreshed or removed on one machine reaches all.
//
// Of two versions the one that was built later counts. A list that was in common and then removed from the folder is removed from all;
// one that is only missing there comes back.
// Where a row does not open because somebody edited it, whoever has the list writes it anew from its own copy, and puts that on record;
// of several, the version that was built last remains, as ever.
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import { isMissing, replaceFile } from '../../../platform/durable-files.ts';
import { describeForLog } from '../../../platform/errors.ts';
import { DataKeyUnknown, type Sealer } from '../../../platform/sealing/sealer.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import { recordWith, THIS_MACHINE } from '../../audit/record-act.ts';
import type { DatasetFolder, DatasetInfo } from '../folder/dataset-folder.ts';
import { parseDatasetInfo } from '../folder/dataset-info.ts';
import { withDatasetLock } from '../folder/dataset-lock.ts';
import { createSharedListStore, type SharedListRow } from './store.ts';

/** A row and what is in memory of it at once. */
const PART_BYTES = 2 ** 20;
/** In the folder of the lists: the names of those that were in common. */
const COMMON_FILE = 'shared.json';

/** What all have, or when it was removed. */
type SharedState = { info: DatasetInfo } | { removedAt: number };
/** A row that does not open, and one that a later version of Limen has written. */
type Unread = 'edited' | 'not understood';

/** Of a list on this machine. */
interface Here {
  wasCommon: boolean;
  /** And not loaded again since. */
  isRemoved: boolean;
}

export interface SharedListsOptions {
  database: Database;
  sealer: Sealer;
  folder: DatasetFolder;
  clock: Clock;
  audit: Pick<AuditLog, 'writeWith'>;
  log: {
    info(fields: Record<string, unknown>, message: string): void;
    error(fields: Record<string, unknown>, message: string): void;
  };
}

export interface SharedLists {
  /** Makes folder and database say the same. */
  reconcile(): Promise<void>;
}

export function createSharedLists(options: SharedListsOptions): SharedLists {
  const { database, sealer, folder, clock, audit, log } = options;
  const store = createSharedListStore(database);
  /** Told once each. */
  const told = new Set<string>();

  function open({ name, sealed }: SharedListRow): SharedState | Unread {
    let found: { info?: unknown; removedAt?: number };
    try {
      found = sealer.openJson(sealed, sharedListPlace(name)) as typeof found;
    } catch (error) {
      if (error instanceof DataKeyUnknown) throw error; // it is whole, and opens soon
      if (!told.has(name))
        log.error({ dataset: name }, 'a shared list was edited in the database and is not taken over');
      told.add(name);
      return 'edited';
    }
    if (found.removedAt !== undefined) return { removedAt: found.removedAt };
    const info = parseDatasetInfo(JSON.stringify(found.info));
    return info?.name === name && info.indexSum ? { info } : 'not understood';
  }

  function put(trx: Transaction, name: string, state: SharedState): Promise<void> {
    const sum = 'info' in state ? state.info.indexSum!.sha256 : null;
    return store.put(trx, { name, sum, sealed: sealer.sealJson(state, sharedListPlace(name)) });
  }

  /** Only as long as nobody was faster with something later. */
  async function announce(name: string, state: SharedState): Promise<void> {
    const isHealed = await database.transact(async (trx) => {
      const row = await store.hold(trx, name);
      const before = row && open(row);
      if (before === 'not understood') return false;
      if (before && before !== 'edited' && timeOf(before) > timeOf(state)) return false;
      await put(trx, name, state);
      if (before !== 'edited') return false;
      await recordWith(audit, THIS_MACHINE, 'dataset.heal', name)(trx);
      return true;
    });
    if (!isHealed) return;
    told.delete(name);
    log.info({ dataset: name }, 'a shared list that was edited in the database was written anew');
  }

  async function publish(info: DatasetInfo): Promise<void> {
    const { name, indexFile, indexSum } = info;
    if (!indexSum) return; // of a version before checksums; its next refresh has one
    if ((await store.countParts(indexSum.sha256)) < Math.ceil(indexSum.bytes / PART_BYTES)) {
      let number = 0;
      for await (const part of createReadStream(join(folder.path, name, indexFile), { highWaterMark: PART_BYTES })) {
        await store.addPart(indexSum.sha256, number, part as Buffer, clock.now());
        number += 1;
      }
    }
    const { previous: _, ...shared } = info; // each machine has its own
    await announce(name, { info: shared });
    await store.removeOrphans(clock.now());
    log.info({ dataset: name, version: info.version }, 'a list was given to all machines');
  }

  async function* partsOf({ indexSum }: DatasetInfo): AsyncGenerator<Uint8Array> {
    const count = Math.ceil(indexSum!.bytes / PART_BYTES);
    for (let number = 0; number < count; number += 1) {
      const part = await store.findPart(indexSum!.sha256, number);
      if (!part) throw new Error('a part of a shared list is missing');
      yield part;
    }
  }

  async function adopt(info: DatasetInfo): Promise<void> {
    await withDatasetLock(folder.path, info.name, () => folder.adopt(info, partsOf(info)));
    log.info({ dataset: info.name, version: info.version }, 'a list was taken over from another machine');
  }

  const remove = (name: string) => withDatasetLock(folder.path, name, () => folder.remove(name));

  /** What has to be done for one list. */
  async function settle(name: string, local: DatasetInfo | undefined, shared: SharedState | undefined, here: Here) {
    const { wasCommon, isRemoved } = here;
    if (!shared) return local && publish(local);
    if ('removedAt' in shared) {
      // Also by who never had it, so that nobody takes it for lost.
      if (!local) return isRemoved ? undefined : remove(name);
      return Date.parse(local.builtAt) > shared.removedAt ? publish(local) : remove(name);
    }
    const { info } = shared;
    if (!local) return wasCommon && isRemoved ? announce(name, { removedAt: clock.now() }) : adopt(info);
    if (local.indexSum?.sha256 !== info.indexSum?.sha256)
      return Date.parse(local.builtAt) > Date.parse(info.builtAt) ? publish(local) : adopt(info);
    // The same; who asked the publisher last saves the others the asking.
    const [own, others] = [local, info].map(({ sync }) => Date.parse(sync?.checkedAt ?? '') || 0) as [number, number];
    if (own > others) await announce(name, { info: { ...info, sync: local.sync! } });
    else if (others > own) await withDatasetLock(folder.path, name, () => folder.noteSync(local, info.sync!));
  }

  return {
    async reconcile() {
      const surveyed = await folder.survey();
      const sound = new Map(surveyed.flatMap(({ name, info, problem }) => (info && !problem ? [[name, info]] : [])));
      const damaged = new Set(surveyed.flatMap(({ name, problem }) => (problem ? [name] : [])));
      const rows = new Map((await store.all()).map((row) => [row.name, row]));
      const common = await readCommon(folder.path);
      const removed = await folder.removed();
      for (const name of new Set([...sound.keys(), ...rows.keys()])) {
        try {
          const row = rows.get(name);
          const read = row && open(row);
          if (read === 'not understood') continue;
          const shared = read === 'edited' ? undefined : read;
          await settle(name, sound.get(name), shared, {
            wasCommon: common.has(name) && !damaged.has(name),
            isRemoved: removed.has(name),
          });
        } catch (error) {
          log.error({ dataset: name, ...describeForLog(error) }, 'a list could not be shared and will be tried again');
        }
      }
      const names = (await folder.list()).map((info) => info.name);
      if (names.length !== common.size || names.some((name) => !common.has(name)))
        await replaceFile(join(folder.path, COMMON_FILE), JSON.stringify(names));
    },
  };
}

/** When a state came to be: by it, the later of two is known. */
function timeOf(state: SharedState): number {
  return 'info' in state ? Date.parse(state.info.builtAt) : state.removedAt;
}

async function readCommon(path: string): Promise<Set<string>> {
  try {
    return new Set(JSON.parse(await readFile(join(path, COMMON_FILE), 'utf8')) as string[]);
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return new Set();
    throw error;
  }
}

export function sharedListPlace(name: string): string {
  return `shared_lists/sealed/${name}`;
}
