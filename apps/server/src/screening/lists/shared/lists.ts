// Keeps the lists of several machines the same. Each machine has its own folder; the row of a list in the database says which version
// counts, and the other machines fetch its index from there. A list that is loaded, refreshed or removed on one machine is so on all. A
// list that was in common and then removed from the folder is removed from all; one that is only missing there comes back.
// If a row was edited in the database, a machine that has the list writes the row again from its own copy, and records it.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { shareRuns } from '../../../platform/async/share-runs.ts';
import type { Clock } from '../../../platform/base/clock.ts';
import { describeForLog } from '../../../platform/base/errors.ts';
import type { Database } from '../../../platform/database/database.ts';
import { isMissing, replaceFile } from '../../../platform/files/durable.ts';
import { makeInnerFolder } from '../../../platform/files/folder.ts';
import { exponentialBackoff } from '../../../platform/jobs/job.ts';
import { countEditedRow } from '../../../platform/sealing/edited-rows.ts';
import { DataKeyUnknown, type Sealer } from '../../../platform/sealing/sealer.ts';
import { type AuditLog, recordWith, THIS_MACHINE } from '../../../records/audit/log.ts';
import { tables } from '../../tables.ts';
import type { DatasetFolder, DatasetInfo, SurveyedList } from '../folder/folder.ts';
import { parseDatasetInfo } from '../folder/info.ts';
import { withDatasetLock } from '../folder/lock.ts';
import { DatasetBusy, DatasetError, IndexNotWhole } from '../folder/names.ts';
import { type Agreed, type ListPlaces, type ListStep, nextStep, type SharedState, sumOf } from './next-step.ts';
import { createSharedListStore, type SharedListRow, type SharedListStore } from './store.ts';

/** Holds what this machine and the database last agreed on, next to the lists. */
const AGREED_FILE = 'agreed.json';
const EVERY_MS = 5_000;
/** An index may have hundreds of megabytes, which are not fetched again every few seconds. */
const backoffMs = exponentialBackoff(5_000, 5 * 60_000);
const NOT_HERE = 'the other machines have it, and it could not be brought here; the log of the service says why.';

/** An edited row, and one that a later version of Limen wrote. */
type UnreadState = 'edited' | 'not understood';

interface FailedStep {
  /** The step and the versions that it was about. Another one is tried at once. */
  aim: string;
  sealed: Uint8Array | undefined;
  tries: number;
  failedAt: number;
  waitMs: number;
  reason: string;
}

export interface SharedListsOptions {
  database: Database;
  sealer: Sealer;
  folder: DatasetFolder;
  clock: Clock;
  audit: Pick<AuditLog, 'writeWith'>;
  log: Record<'info' | 'error', (fields: Record<string, unknown>, message: string) => void>;
  everyMs?: number | undefined;
}

export class SharedLists {
  readonly #options: SharedListsOptions;
  readonly #store: SharedListStore;
  readonly #editedNames = new Set<string>();
  readonly #failures = new Map<string, FailedStep>();
  #lacking = new Set<string>();
  #behind: ReadonlySet<string> = new Set();
  #isCompared = false;
  #isDatabaseDown = false;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  readonly #run = shareRuns(() => this.#runOnce());

  constructor(options: SharedListsOptions) {
    this.#options = options;
    this.#store = createSharedListStore(options.database);
  }

  /** Resolves after the first comparison, even a failed one: the lists of this machine are there all the same. */
  start(): Promise<void> {
    this.#timer = setInterval(this.#run, this.#options.everyMs ?? EVERY_MS).unref();
    return this.#run();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#isStopped = true;
    await this.#run(); // follows the comparison that is under way
  }

  /** Returns whether a comparison has succeeded. Until then the lists of the others are unknown. */
  isCompared(): boolean {
    return this.#isCompared;
  }

  /** Returns the lists of others that are not here, as of the last comparison: no one may be cleared by their absence. */
  lacking(): SurveyedList[] {
    return [...this.#lacking].map((name) => ({ name, problem: `${name}: ${NOT_HERE}` }));
  }

  /** Returns the lists of which others have a newer version that could not be fetched. */
  behind(): ReadonlySet<string> {
    return this.#behind;
  }

  /** Returns the folder as one of all machines: their lists are lacking here, and not unknown or removed. */
  extend(folder: DatasetFolder): DatasetFolder {
    return {
      ...folder,
      survey: async () => {
        const here = await folder.survey();
        const names = new Set(here.map(({ name }) => name));
        return [...here, ...this.lacking().filter(({ name }) => !names.has(name))];
      },
      removed: async () => {
        const removed = await folder.removed();
        if (removed.size === 0) return removed; // callers ask for every few subjects that are screened
        const inForce = await this.#store.namesInForce();
        return new Set([...removed].filter((name) => !inForce.includes(name)));
      },
    };
  }

  /** Makes folder and database agree. Returns false if the row of a list could not be read yet. */
  async reconcile(): Promise<boolean> {
    const { folder } = this.#options;
    // In this order: the agreement is never later than either of the two.
    const before = await readAgreed(folder.path);
    const rows = new Map((await this.#store.all()).map((row) => [row.name, row]));
    const removed = await folder.removed();
    const sound = new Map((await folder.list()).map((info) => [info.name, info]));
    const after = new Map<string, Agreed>();
    const behind = new Set<string>();
    let isCompared = true;
    // Before the first of them is fetched, which takes a while.
    this.#lacking = new Set([...rows].flatMap(([name, { sum }]) => (sum !== null && !sound.has(name) ? [name] : [])));
    for (const name of new Set([...sound.keys(), ...rows.keys()])) {
      const [row, local, agreed] = [rows.get(name), sound.get(name), before.get(name)];
      if (agreed) after.set(name, agreed);
      let aim = 'read';
      try {
        const read = row && this.#open(row);
        if (!local && !(typeof read === 'object' && 'removedAt' in read)) this.#lacking.add(name);
        if (read === 'not understood') continue;
        const shared = read === 'edited' ? undefined : read;
        const there = shared && 'info' in shared ? sumOf(shared.info) : undefined;
        // A list that was not fetched yet can be removed here, too.
        if (!local && !agreed && shared && there) after.set(name, { sum: there, revision: shared.revision });
        const places = { local, shared, agreed, isRemoved: removed.has(name) };
        const step = nextStep(places);
        if (local && step === 'adopt') behind.add(name);
        aim = `${step} ${local && sumOf(local)} ${there}`;
        if (!this.#isDue(name, aim, row)) continue;
        const settled = await this.#settle(name, step, places, row);
        this.#failures.delete(name);
        if (!settled) continue;
        after.set(name, settled);
        this.#lacking.delete(name);
        behind.delete(name);
      } catch (error) {
        if (error instanceof DatasetBusy) continue; // another process is writing it
        if (aim === 'read') isCompared = false;
        this.#noteFailure(name, aim, row, error);
      }
    }
    this.#behind = behind;
    if (!isDeepStrictEqual(before, after)) await writeAgreed(folder.path, after);
    return isCompared;
  }

  async #runOnce(): Promise<void> {
    if (this.#isStopped) return;
    try {
      this.#isCompared = (await this.reconcile()) || this.#isCompared;
      this.#isDatabaseDown = false;
    } catch (error) {
      const message = 'lists cannot be compared with those of other machines';
      if (!this.#isDatabaseDown) this.#options.log.error(describeForLog(error), message);
      this.#isDatabaseDown = true;
    }
  }

  #isDue(name: string, aim: string, row: SharedListRow | undefined): boolean {
    const failure = this.#failures.get(name);
    if (failure?.aim !== aim) return true;
    // A machine has uploaded the parts again. That helps at once or never; otherwise it would upload them every few seconds.
    if (failure.tries === 1 && !isDeepStrictEqual(failure.sealed, row?.sealed)) return true;
    // After a change of the clock, in either direction, it is due.
    return Math.abs(this.#options.clock.now() - failure.failedAt) >= failure.waitMs;
  }

  #noteFailure(name: string, aim: string, row: SharedListRow | undefined, error: unknown): void {
    const failure = this.#failures.get(name);
    const before = failure?.aim === aim ? failure : undefined;
    const tries = (before?.tries ?? 0) + 1;
    const facts = describeForLog(error);
    const reason = JSON.stringify({ ...facts, frames: undefined });
    const failedAt = this.#options.clock.now();
    this.#failures.set(name, { aim, sealed: row?.sealed, tries, failedAt, waitMs: backoffMs(tries), reason });
    if (before?.reason === reason) return;
    this.#options.log.error({ dataset: name, ...facts }, 'a list could not be shared and will be tried again');
  }

  /** Returns the new agreement; undefined if the next round has to continue. */
  async #settle(
    name: string,
    step: ListStep,
    { local, shared, agreed, isRemoved }: ListPlaces,
    row: SharedListRow | undefined,
  ): Promise<Agreed | undefined> {
    const { folder, log, clock } = this.#options;
    const info = shared && 'info' in shared ? shared.info : undefined;
    const present = shared?.revision ?? 0;
    const known = Math.max(present, agreed?.revision ?? 0);
    switch (step) {
      case 'nothing':
        return shared && { sum: null, revision: known };
      case 'publish':
        return this.#publish(local!, known + 1, row);
      case 'retract':
        return this.#announce(name, { removedAt: clock.now(), revision: known + 1 }, row);
      case 'remove':
        return this.#change(name, local, async () => {
          await folder.remove(name);
          if (local) log.info({ dataset: name }, 'a list was removed, as on another machine');
          return { sum: null, revision: known };
        });
      case 'adopt':
        if (isRemoved) await folder.forgetRemoval(name); // the removal of an earlier one
        return this.#adopt(info!, local, row!, known);
      case 'compare':
        // A row with a lower revision is one of an earlier moment. Without its sum, another machine needs the parts again.
        if (present < known) return this.#publish(local!, known + 1, row);
        if (row!.sum === null) return this.#publish(local!, present, row);
        await this.#compareSync(local!, info!, present, row!);
        return { sum: sumOf(local!), revision: present };
    }
  }

  /** Notes the later question to the publisher in the other place. */
  async #compareSync(local: DatasetInfo, info: DatasetInfo, revision: number, row: SharedListRow): Promise<void> {
    const [own, others] = [local, info].map(({ sync }) => Date.parse(sync?.checkedAt ?? '') || 0) as [number, number];
    if (own > others) await this.#announce(info.name, { info: { ...info, sync: local.sync! }, revision }, row);
    if (others > own) await this.#change(info.name, local, (now) => this.#options.folder.noteSync(now!, info.sync!));
  }

  #publish(info: DatasetInfo, revision: number, seen: SharedListRow | undefined): Promise<Agreed | undefined> {
    const { folder, clock, log } = this.#options;
    const { previous: _, ...shared } = info; // each machine has its own
    const { name, version, indexFile, indexSum } = info;
    return this.#change(name, info, async () => {
      if (seen?.sum === null || !(await this.#store.hasParts(info))) {
        // Parts of a damaged file must not replace good ones.
        const problem = await folder.examineIndex(info, 'whole');
        if (problem !== undefined) throw new DatasetError(problem);
        await this.#store.upload(join(folder.path, name, indexFile), indexSum.sha256, clock.now());
      }
      const agreed = await this.#announce(name, { info: shared, revision }, seen);
      if (!agreed) return undefined;
      await this.#store.removeOrphans(clock.now());
      log.info({ dataset: name, version }, 'a list was given to all machines');
      return agreed;
    });
  }

  async #adopt(info: DatasetInfo, local: DatasetInfo | undefined, row: SharedListRow, revision: number) {
    const { folder, log } = this.#options;
    const adopted = await this.#change(info.name, local, () => folder.adopt(info, this.#store.download(info))).catch(
      async (error) => {
        if (error instanceof IndexNotWhole) await this.#store.askForParts(row);
        throw error;
      },
    );
    if (!adopted) return undefined;
    log.info({ dataset: info.name, version: info.version }, 'a list was taken over from another machine');
    return { sum: sumOf(info), revision };
  }

  /** Writes the folder under the list's lock. Returns undefined if the list is no longer the one that was read. */
  #change<T>(
    name: string,
    local: DatasetInfo | undefined,
    work: (now: DatasetInfo | undefined) => Promise<T>,
  ): Promise<T | undefined> {
    const { folder } = this.#options;
    return withDatasetLock(folder.path, name, async () => {
      const now = await folder.find(name);
      return now?.indexSum.sha256 === local?.indexSum.sha256 ? work(now) : undefined;
    });
  }

  /** Writes the row of a list. Returns undefined if it is no longer the row that was read, `seen`. */
  async #announce(name: string, state: SharedState, seen: SharedListRow | undefined): Promise<Agreed | undefined> {
    const { database, sealer, audit, log } = this.#options;
    const sum = 'info' in state ? sumOf(state.info) : null;
    const row = { name, sum, sealed: sealer.sealJson(state, tables.shared_lists.places.sealed({ name })) };
    const isEdited = seen !== undefined && this.#open(seen) === 'edited';
    const isAnnounced = await database.transact(async (trx) => {
      if (!(await this.#store.write(trx, row, seen))) return false;
      if (isEdited) await recordWith(audit, THIS_MACHINE, 'dataset.heal', name)(trx);
      return true;
    });
    if (!isAnnounced) return undefined;
    if (isEdited) log.info({ dataset: name }, 'a shared list that was edited in the database was written anew');
    this.#editedNames.delete(name);
    return { sum, revision: state.revision };
  }

  #open({ name, sealed }: SharedListRow): SharedState | UnreadState {
    let state: { info?: unknown; removedAt?: number; revision: number };
    try {
      state = this.#options.sealer.openJson(sealed, tables.shared_lists.places.sealed({ name })) as typeof state;
    } catch (error) {
      if (error instanceof DataKeyUnknown) throw error; // it is whole, and opens soon
      if (!this.#editedNames.has(name)) {
        this.#options.log.error({ dataset: name }, 'a shared list was edited in the database and is not taken over');
        countEditedRow('shared_lists');
      }
      this.#editedNames.add(name);
      return 'edited';
    }
    const { removedAt, revision } = state;
    if (removedAt !== undefined) return { removedAt, revision };
    const info = parseDatasetInfo(JSON.stringify(state.info));
    return info?.name === name ? { info, revision } : 'not understood';
  }
}

export async function readAgreed(folder: string): Promise<Map<string, Agreed>> {
  try {
    return new Map(
      Object.entries(JSON.parse(await readFile(join(folder, AGREED_FILE), 'utf8')) as Record<string, Agreed>),
    );
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return new Map();
    throw error;
  }
}

async function writeAgreed(folder: string, agreed: ReadonlyMap<string, Agreed>): Promise<void> {
  makeInnerFolder(folder); // missing until this machine has its first list
  await replaceFile(join(folder, AGREED_FILE), JSON.stringify(Object.fromEntries(agreed)));
}
