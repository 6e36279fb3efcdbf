// Keeps the lists of several machines the same. Each machine has its own folder; the database says which version of a list is in
// force, and brings its index to whoever has another. Whatever is loaded, refreshed or removed on one machine reaches all.
//
// Which of two versions is the news follows from what both last agreed on (agreed-lists.ts, next-step.ts): a machine whose clock is
// wrong can neither bring an old list back nor keep a new one away. A list that was in common and then removed from the folder is removed
// from all; one that is only missing there comes back.
// Where a row does not open because somebody edited it, whoever has the list writes it anew from its own copy, and puts that on record.
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/database/database.ts';
import { describeForLog } from '../../../platform/errors.ts';
import { DataKeyUnknown, type Sealer } from '../../../platform/sealing/sealer.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import { recordWith, THIS_MACHINE } from '../../audit/record-act.ts';
import { DatasetBusy } from '../folder/dataset-error.ts';
import type { DatasetFolder, DatasetInfo } from '../folder/dataset-folder.ts';
import { parseDatasetInfo } from '../folder/dataset-info.ts';
import { withDatasetLock } from '../folder/dataset-lock.ts';
import { type Agreed, readAgreed, writeAgreed } from './agreed-lists.ts';
import { type ListPlaces, nextStep, type SharedState, sumOf } from './next-step.ts';
import { createSharedListStore, type SharedListRow } from './store.ts';

/** A row and what is in memory of it at once. */
const PART_BYTES = 2 ** 20;

/** A row that does not open, and one that a later version of Limen has written. */
type Unread = 'edited' | 'not understood';

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

  /** Only as long as nobody was faster: `seen` is the row by which it was decided. */
  async function announce(name: string, state: SharedState, seen: SharedListRow | undefined): Promise<boolean> {
    const sum = 'info' in state ? sumOf(state.info)! : null;
    const row = { name, sum, sealed: sealer.sealJson(state, sharedListPlace(name)) };
    const isEdited = seen !== undefined && open(seen) === 'edited';
    const isAnnounced = await database.transact(async (trx) => {
      if (!seen) return store.add(trx, row);
      const held = await store.hold(trx, name);
      if (!held || !Buffer.from(seen.sealed).equals(held.sealed)) return false;
      await store.replace(trx, row);
      if (isEdited) await recordWith(audit, THIS_MACHINE, 'dataset.heal', name)(trx);
      return true;
    });
    if (!isAnnounced || !isEdited) return isAnnounced;
    told.delete(name);
    log.info({ dataset: name }, 'a shared list that was edited in the database was written anew');
    return true;
  }

  async function publish(info: DatasetInfo, seen: SharedListRow | undefined): Promise<boolean> {
    const { name, indexFile, indexSum } = info;
    if (!indexSum) return false; // of a version before checksums; its next refresh has one
    if ((await store.countParts(indexSum.sha256)) < Math.ceil(indexSum.bytes / PART_BYTES)) {
      let number = 0;
      for await (const part of createReadStream(join(folder.path, name, indexFile), { highWaterMark: PART_BYTES })) {
        await store.addPart(indexSum.sha256, number, part as Buffer, clock.now());
        number += 1;
      }
    }
    const { previous: _, ...shared } = info; // each machine has its own
    if (!(await announce(name, { info: shared }, seen))) return false;
    await store.removeOrphans(clock.now());
    log.info({ dataset: name, version: info.version }, 'a list was given to all machines');
    return true;
  }

  async function* partsOf({ indexSum }: DatasetInfo): AsyncGenerator<Uint8Array> {
    const count = Math.ceil(indexSum!.bytes / PART_BYTES);
    for (let number = 0; number < count; number += 1) {
      const part = await store.findPart(indexSum!.sha256, number);
      if (!part) throw new Error('a part of a shared list is missing');
      yield part;
    }
  }

  /** As the only writer, and only where the list is still as it was when this was decided; else the next round decides anew. */
  function change(
    name: string,
    local: DatasetInfo | undefined,
    work: (now: DatasetInfo | undefined) => Promise<unknown>,
  ) {
    return withDatasetLock(folder.path, name, async () => {
      const now = await folder.find(name);
      if (sumOf(now) !== sumOf(local)) return false;
      await work(now);
      return true;
    });
  }

  /** What the two agree on afterwards; undefined where the next round has to go on. */
  async function settle(name: string, places: ListPlaces, row: SharedListRow | undefined): Promise<Agreed | undefined> {
    const { local, shared } = places;
    const info = shared && 'info' in shared ? shared.info : undefined;
    switch (nextStep(places)) {
      case 'nothing':
        return shared && null;
      case 'publish':
        return (await publish(local!, row)) ? sumOf(local) : undefined;
      case 'retract':
        return (await announce(name, { removedAt: clock.now() }, row)) ? null : undefined;
      case 'remove':
        return (await change(name, local, () => folder.remove(name))) ? null : undefined;
      case 'adopt':
        if (!(await change(name, local, () => folder.adopt(info!, partsOf(info!))))) return undefined;
        log.info({ dataset: name, version: info!.version }, 'a list was taken over from another machine');
        return sumOf(info);
      case 'compare': {
        const [own, others] = [local, info].map((one) => Date.parse(one?.sync?.checkedAt ?? '') || 0) as [
          number,
          number,
        ];
        if (own > others) await announce(name, { info: { ...info!, sync: local!.sync! } }, row);
        else if (others > own) await change(name, local, (now) => folder.noteSync(now!, info!.sync!));
        return sumOf(info);
      }
    }
  }

  return {
    async reconcile() {
      const surveyed = await folder.survey();
      const sound = new Map(surveyed.flatMap(({ name, info, problem }) => (info && !problem ? [[name, info]] : [])));
      const damaged = new Set(surveyed.flatMap(({ name, problem }) => (problem ? [name] : [])));
      const rows = new Map((await store.all()).map((row) => [row.name, row]));
      const before = await readAgreed(folder.path);
      const after = new Map<string, Agreed>();
      const removed = await folder.removed();
      for (const name of new Set([...sound.keys(), ...rows.keys()])) {
        const agreed = before.get(name);
        if (agreed !== undefined) after.set(name, agreed);
        try {
          const row = rows.get(name);
          const read = row && open(row);
          if (read === 'not understood') continue;
          const places = {
            local: sound.get(name),
            shared: read === 'edited' ? undefined : read,
            agreed: damaged.has(name) ? undefined : agreed,
            isRemoved: removed.has(name),
          };
          const settled = await settle(name, places, row);
          if (settled !== undefined) after.set(name, settled);
        } catch (error) {
          if (error instanceof DatasetBusy) continue; // whoever is writing it is soon done
          log.error({ dataset: name, ...describeForLog(error) }, 'a list could not be shared and will be tried again');
        }
      }
      if (!isDeepStrictEqual(before, after)) await writeAgreed(folder.path, after);
    },
  };
}

export function sharedListPlace(name: string): string {
  return `shared_lists/sealed/${name}`;
}
