// Keeps the lists of several machines the same. Each machine has its own folder; the database says which version of a list is in
// force, and brings its index to whoever has another. Whatever is loaded, refreshed or removed on one machine reaches all.
//
// Which of two versions is the news follows from what both last agreed on (agreed-lists.ts, next-step.ts): neither a machine whose clock
// is wrong nor a database that was put back to an earlier moment can bring an old list back or keep a new one away. A list that was in common and then removed from the folder is removed
// from all; one that is only missing there comes back.
// Where a row does not open because somebody edited it, whoever has the list writes it anew from its own copy, and puts that on record.
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/database/database.ts';
import { describeForLog } from '../../../platform/errors.ts';
import { countEditedRow } from '../../../platform/sealing/edited-rows.ts';
import { DataKeyUnknown, type Sealer } from '../../../platform/sealing/sealer.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import { recordWith, THIS_MACHINE } from '../../audit/record-act.ts';
import { DatasetBusy, DatasetError, IndexNotWhole } from '../folder/dataset-error.ts';
import type { DatasetFolder, DatasetInfo, SurveyedList } from '../folder/dataset-folder.ts';
import { parseDatasetInfo } from '../folder/dataset-info.ts';
import { withDatasetLock } from '../folder/dataset-lock.ts';
import { type Agreed, readAgreed, SOME_VERSION, writeAgreed } from './agreed-lists.ts';
import { type Aim, createFailedTries } from './failed-tries.ts';
import { countParts, downloadParts, PartsBroken, uploadParts } from './index-parts.ts';
import { type ListPlaces, nextStep, type SharedState, type Step, sumOf } from './next-step.ts';
import { createSharedListStore, type SharedListRow } from './store.ts';

const NOT_HERE = 'the other machines have it, and it could not be brought here; the log of the service says why.';

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
  /** Makes folder and database say the same. False where it could not be read yet what all have of some list. */
  reconcile(): Promise<boolean>;
  /** Those that others have and this machine has not brought, as of the last time: nobody here may be cleared by their absence. */
  lacking(): SurveyedList[];
  /** Those of which others have a newer version that this machine could not bring. */
  behind(): ReadonlySet<string>;
  /** The names of those that all should have, as of now. */
  inForce(): Promise<Set<string>>;
}

export function createSharedLists(options: SharedListsOptions): SharedLists {
  const { database, sealer, folder, clock, audit, log } = options;
  const store = createSharedListStore(database);
  /** Told once each. */
  const told = new Set<string>();
  const failed = createFailedTries(clock);
  let lacking = new Set<string>();
  let behind: ReadonlySet<string> = new Set();

  function open({ name, sealed }: SharedListRow): SharedState | Unread {
    let found: { info?: unknown; removedAt?: number; revision?: number };
    try {
      found = sealer.openJson(sealed, sharedListPlace(name)) as typeof found;
    } catch (error) {
      if (error instanceof DataKeyUnknown) throw error; // it is whole, and opens soon
      if (!told.has(name)) {
        log.error({ dataset: name }, 'a shared list was edited in the database and is not taken over');
        countEditedRow('shared_lists');
      }
      told.add(name);
      return 'edited';
    }
    const { removedAt, revision } = found;
    if (removedAt !== undefined) return { removedAt, revision };
    const info = parseDatasetInfo(JSON.stringify(found.info));
    return info?.name === name && info.indexSum ? { info, revision } : 'not understood';
  }

  /** Only as long as nobody was faster: `seen` is the row by which it was decided. */
  async function announce(name: string, state: SharedState, seen: SharedListRow | undefined): Promise<boolean> {
    const sum = 'info' in state ? sumOf(state.info)! : null;
    const row = { name, sum, sealed: sealer.sealJson(state, sharedListPlace(name)) };
    const isEdited = seen !== undefined && open(seen) === 'edited';
    const isAnnounced = await database.transact(async (trx) => {
      // Pieces that were brought long ago may have been cleared away meanwhile.
      if ('info' in state && (await store.countParts(sum!, trx)) < countParts(state.info)) return false;
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

  async function publish(info: DatasetInfo, revision: number, seen: SharedListRow | undefined): Promise<boolean> {
    const { name, indexFile, indexSum } = info;
    if (!indexSum) return false; // of a version before checksums; its next refresh has one
    const isAskedFor = seen?.sum === null;
    if (isAskedFor || (await store.countParts(indexSum.sha256)) < countParts(info)) {
      // Pieces of a file that rotted would take the place of good ones.
      const problem = await folder.examineIndex(info, 'whole');
      if (problem !== undefined) throw new DatasetError(problem);
      await uploadParts(store, join(folder.path, name, indexFile), indexSum.sha256, clock.now());
    }
    const { previous: _, ...shared } = info; // each machine has its own
    if (!(await announce(name, { info: shared, revision }, seen))) return false;
    await store.removeOrphans(clock.now());
    log.info({ dataset: name, version: info.version }, 'a list was given to all machines');
    return true;
  }

  /** What arrives otherwise than it should is asked for again, of whoever has it. */
  async function adopt(info: DatasetInfo, local: DatasetInfo | undefined, row: SharedListRow): Promise<boolean> {
    try {
      if (!(await change(info.name, local, () => folder.adopt(info, downloadParts(store, info)).then(() => true))))
        return false;
    } catch (error) {
      if (error instanceof PartsBroken || error instanceof IndexNotWhole) await store.askForParts(row);
      throw error;
    }
    log.info({ dataset: info.name, version: info.version }, 'a list was taken over from another machine');
    return true;
  }

  /** As the only writer, and only where the list is still as it was when this was decided; else the next round decides anew. */
  function change(
    name: string,
    local: DatasetInfo | undefined,
    work: (now: DatasetInfo | undefined) => Promise<boolean>,
  ): Promise<boolean> {
    return withDatasetLock(folder.path, name, async () => {
      const now = await folder.find(name);
      return sumOf(now) === sumOf(local) && work(now);
    });
  }

  /** What the two agree on afterwards; undefined where the next round has to go on. */
  async function settle(
    name: string,
    step: Step,
    places: ListPlaces,
    row: SharedListRow | undefined,
  ): Promise<Agreed | undefined> {
    const { local, shared, agreed } = places;
    const info = shared && 'info' in shared ? shared.info : undefined;
    const present = shared?.revision ?? 0;
    const known = Math.max(present, agreed?.revision ?? 0);
    const revision = known + 1;
    switch (step) {
      case 'nothing':
        return shared && { sum: null, revision: known };
      case 'publish': {
        const isPublished = await change(name, local, () => publish(local!, revision, row));
        return isPublished ? { sum: sumOf(local)!, revision } : undefined;
      }
      case 'retract':
        return (await announce(name, { removedAt: clock.now(), revision }, row)) ? { sum: null, revision } : undefined;
      case 'remove':
        if (!(await change(name, local, () => folder.remove(name).then(() => true)))) return undefined;
        if (local) log.info({ dataset: name }, 'a list was removed, as on another machine');
        return { sum: null, revision: known };
      case 'adopt':
        if (places.isRemoved) await folder.forgetRemoval(name); // that was another one
        return (await adopt(info!, local, row!)) ? { sum: sumOf(info)!, revision: known } : undefined;
      case 'compare': {
        // A row without a revision is of an earlier version of Limen, and one with a lower one of an earlier moment.
        const isBehind = present === 0 || present < known;
        const same = { sum: sumOf(info)!, revision: isBehind ? revision : present };
        if (isBehind || row!.sum === null)
          return (await change(name, local, () => publish(local!, same.revision, row))) ? same : undefined;
        const [own, others] = [local, info].map((one) => Date.parse(one?.sync?.checkedAt ?? '') || 0) as [
          number,
          number,
        ];
        if (own > others) await announce(name, { info: { ...info!, sync: local!.sync! }, revision: present }, row);
        else if (others > own) await change(name, local, (now) => folder.noteSync(now!, info!.sync!).then(() => true));
        return same;
      }
    }
  }

  return {
    async reconcile() {
      // In this order: what was agreed on is never later than what is seen of the two.
      const before = await readAgreed(folder.path);
      const rows = new Map((await store.all()).map((row) => [row.name, row]));
      const removed = await folder.removed();
      const surveyed = await folder.survey();
      const sound = new Map(surveyed.flatMap(({ name, info, problem }) => (info && !problem ? [[name, info]] : [])));
      const damaged = new Set(surveyed.flatMap(({ name, problem }) => (problem ? [name] : [])));
      const after = new Map<string, Agreed>();
      const behindNow = new Set<string>();
      let isCompared = true;
      // From now on, and not only once all that is to be brought was tried.
      lacking = new Set([...rows].flatMap(([name, { sum }]) => (sum !== null && !sound.has(name) ? [name] : [])));
      for (const name of new Set([...sound.keys(), ...rows.keys()])) {
        const agreed = before.get(name);
        if (agreed !== undefined) after.set(name, agreed);
        const row = rows.get(name);
        let aim: Aim = { step: 'read', local: sumOf(sound.get(name)), shared: undefined };
        try {
          const read = row && open(row);
          if (!sound.has(name) && !(read && typeof read === 'object' && 'removedAt' in read)) lacking.add(name);
          if (read === 'not understood') continue;
          const places = {
            local: sound.get(name),
            shared: read === 'edited' ? undefined : read,
            agreed: damaged.has(name) ? undefined : agreed,
            isRemoved: removed.has(name),
          };
          // So that it can be removed from here, too.
          if (lacking.has(name) && !agreed) after.set(name, { sum: SOME_VERSION, revision: 0 });
          const step = nextStep(places);
          if (places.local && step === 'adopt') behindNow.add(name);
          const { shared } = places;
          aim = { ...aim, step, shared: shared && 'info' in shared ? sumOf(shared.info) : undefined };
          if (!failed.isDue(name, aim, row?.sealed)) continue;
          const settled = await settle(name, step, places, row);
          failed.forget(name);
          if (!settled) continue;
          after.set(name, settled);
          lacking.delete(name);
          behindNow.delete(name);
        } catch (error) {
          if (error instanceof DatasetBusy) continue; // whoever is writing it is soon done
          if (aim.step === 'read') isCompared = false;
          const facts = describeForLog(error);
          const reason = JSON.stringify({ ...facts, frames: undefined });
          if (failed.note(name, aim, row?.sealed, reason))
            log.error({ dataset: name, ...facts }, 'a list could not be shared and will be tried again');
        }
      }
      behind = behindNow;
      if (!isDeepStrictEqual(before, after)) await writeAgreed(folder.path, after);
      return isCompared;
    },
    behind: () => behind,
    inForce: async () => new Set(await store.namesInForce()),
    lacking: () => [...lacking].map((name) => ({ name, problem: `${name}: ${NOT_HERE}` })),
  };
}

export function sharedListPlace(name: string): string {
  return `shared_lists/sealed/${name}`;
}
