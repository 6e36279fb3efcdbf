// Keeps the lists of several machines the same: the row of a list says which version counts, and machines without it fetch it.
// Loading, refreshing or removing a list on one machine applies to all. A list that is only missing from a folder comes back.
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
import { type Sealer, UnknownDataKeyError } from '../../../platform/sealing/sealer.ts';
import { type AuditLog, createActRecorder, THIS_MACHINE } from '../../../records/audit/log.ts';
import { tables } from '../../tables.ts';
import type { DatasetFolder, DatasetInfo, SurveyedList } from '../folder/folder.ts';
import { parseDatasetInfo } from '../folder/info.ts';
import { withDatasetLock } from '../folder/lock.ts';
import { DamagedIndexError, DatasetBusyError, DatasetError } from '../folder/names.ts';
import {
  type ListCopies,
  type ListStep,
  nextStep,
  requireSum,
  type SharedState,
  type SharedVersion,
} from './next-step.ts';
import { createSharedListStore, type SharedListRow } from './store.ts';

/** Holds what this machine and the database last agreed on, next to the lists. */
const AGREED_FILE = 'agreed.json';
const EVERY_MS = 5_000;
/** An index may have hundreds of megabytes, which are not fetched again every few seconds. */
const backoffMs = exponentialBackoff(5_000, 5 * 60_000);
const NOT_HERE = 'the other machines have it, but it could not be fetched; the service’s log has the reason.';

interface ComparedList extends ListCopies {
  name: string;
  /** The row as it was read; `shared` is its content. */
  row: SharedListRow | undefined;
}

interface FailedStep {
  /** The step and the versions that it was about. Another aim is tried at once. */
  aim: string;
  sealed: Uint8Array | undefined;
  tries: number;
  failedAt: number;
  waitMs: number;
  reason: string;
}

interface SharedListsOptions {
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
  readonly #store: ReturnType<typeof createSharedListStore>;
  readonly #editedNames = new Set<string>();
  readonly #failures = new Map<string, FailedStep>();
  #lacking = new Set<string>();
  #behind: ReadonlySet<string> = new Set();
  #isCompared = false;
  #isDatabaseDown = false;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;
  readonly #run = shareRuns(() => this.#runOnce());

  constructor(options: SharedListsOptions) {
    this.#options = options;
    this.#store = createSharedListStore(options.database);
  }

  /** Resolves after the first comparison, even a failed one: this machine can serve its own lists. */
  start(): Promise<void> {
    this.#timer = setInterval(this.#run, this.#options.everyMs ?? EVERY_MS).unref();
    return this.#run();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#isStopped = true;
    await this.#run(); // follows the comparison that is under way
  }

  /** Returns whether a comparison has succeeded. Until then, the lists of the other machines are unknown. */
  isCompared(): boolean {
    return this.#isCompared;
  }

  /** Returns the lists of other machines that are not here. Their absence must not clear anyone. */
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
        return [...here, ...this.lacking().filter(({ name }) => !here.some((list) => list.name === name))];
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
    // Read in this order, so that the agreement is never newer than the rows and the lists.
    const before = await readAgreed(folder.path);
    const rows = new Map((await this.#store.all()).map((row) => [row.name, row]));
    const removed = await folder.removed();
    const sound = new Map((await folder.list()).map((info) => [info.name, info]));
    const after = new Map<string, SharedVersion>();
    const behind = new Set<string>();
    let isCompared = true;
    // Set before the first of them is fetched, which takes a while.
    this.#lacking = new Set([...rows].flatMap(([name, { sum }]) => (sum !== null && !sound.has(name) ? [name] : [])));
    for (const name of new Set([...sound.keys(), ...rows.keys()])) {
      const [row, local, agreed] = [rows.get(name), sound.get(name), before.get(name)];
      if (agreed) after.set(name, agreed);
      let aim = 'read';
      try {
        const shared = row && this.#open(row);
        if (shared === 'newer') continue; // a later version of Limen wrote it
        if (!local && shared?.removedAt === undefined) this.#lacking.add(name);
        // A list that was not fetched yet can be removed here, too.
        if (!local && !agreed && shared?.info)
          after.set(name, { sum: requireSum(shared.info), revision: shared.revision });
        const list = { name, row, local, shared, agreed, isRemoved: removed.has(name) };
        const step = nextStep(list);
        if (local && step === 'adopt') behind.add(name);
        aim = `${step} ${local && requireSum(local)} ${shared?.info && requireSum(shared.info)}`;
        if (!this.#isDue(name, aim, row)) continue;
        const settled = await this.#settle(step, list);
        this.#failures.delete(name);
        if (!settled) continue;
        after.set(name, settled);
        this.#lacking.delete(name);
        behind.delete(name);
      } catch (error) {
        if (error instanceof DatasetBusyError) continue; // another process is writing it
        if (error instanceof UnknownDataKeyError) isCompared = false;
        this.#noteFailure(name, aim, row, error);
      }
    }
    this.#behind = behind;
    if (!isDeepStrictEqual(before, after)) {
      makeInnerFolder(folder.path); // missing until this machine has its first list
      await replaceFile(join(folder.path, AGREED_FILE), JSON.stringify(Object.fromEntries(after)));
    }
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
    // After a first failure another machine uploads the parts again. If that does not help at once, it never does.
    if (failure.tries === 1 && !isDeepStrictEqual(failure.sealed, row?.sealed)) return true;
    // A change of the clock in either direction makes the next try due.
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
    this.#options.log.error({ dataset: name, ...facts }, 'a list could not be shared and will be retried');
  }

  /** Returns the new agreement, or undefined if the next round has to continue. */
  async #settle(step: ListStep, list: ComparedList): Promise<SharedVersion | undefined> {
    const { folder, log, clock } = this.#options;
    const { name, local, shared, row } = list;
    const info = shared?.info;
    const present = shared?.revision ?? 0;
    const known = Math.max(present, list.agreed?.revision ?? 0);
    switch (step) {
      case 'nothing':
        return shared && { sum: null, revision: known };
      case 'publish':
        return this.#publish(list, known + 1);
      case 'retract':
        return this.#announce(list, { removedAt: clock.now(), revision: known + 1 });
      case 'remove':
        return this.#change(list, async () => {
          await folder.remove(name);
          if (local) log.info({ dataset: name }, 'a list was removed, as on another machine');
          return { sum: null, revision: known };
        });
      case 'adopt':
        if (list.isRemoved) await folder.forgetRemoval(name); // a removal from now on is a new one
        return this.#change(list, async () => {
          await folder.adopt(info!, this.#store.download(info!)).catch(async (error) => {
            if (error instanceof DamagedIndexError) await this.#store.askForParts(row!);
            throw error;
          });
          log.info({ dataset: name, version: info!.version }, 'a list was fetched from another machine');
          return { sum: requireSum(info!), revision: known };
        });
      case 'compare':
        // A lower revision is that of a restored database. Without its sum, another machine needs the parts again.
        if (present < known) return this.#publish(list, known + 1);
        if (row!.sum === null) return this.#publish(list, present);
        await this.#shareLastCheck(list, local!, info!);
        return { sum: requireSum(local!), revision: present };
    }
  }

  /** Copies the later check with the publisher to the other place, so that it is not repeated. */
  async #shareLastCheck(list: ComparedList, local: DatasetInfo, info: DatasetInfo): Promise<void> {
    const [own = 0, others = 0] = [local, info].map(({ sync }) => Date.parse(sync?.checkedAt ?? '') || 0);
    const { revision } = list.shared!;
    if (own > others) await this.#announce(list, { info: { ...info, sync: local.sync! }, revision });
    if (others > own) await this.#change(list, (now) => this.#options.folder.noteSync(now!, info.sync!));
  }

  #publish(list: ComparedList, revision: number): Promise<SharedVersion | undefined> {
    const { folder, clock, log } = this.#options;
    const { previous: _, ...info } = list.local!; // each machine has its own
    const { name, version, indexFile, indexSum } = info;
    return this.#change(list, async () => {
      if (list.row?.sum === null || !(await this.#store.hasParts(indexSum))) {
        // Parts of a damaged file must not replace good ones.
        const problem = await folder.examineIndex(info, 'whole');
        if (problem !== undefined) throw new DatasetError(problem);
        await this.#store.upload(join(folder.path, name, indexFile), indexSum.sha256, clock.now());
      }
      const agreed = await this.#announce(list, { info, revision });
      if (!agreed) return undefined;
      await this.#store.removeOrphans(clock.now());
      log.info({ dataset: name, version }, 'a list was shared with all machines');
      return agreed;
    });
  }

  /** Writes the folder under the list's lock. Returns undefined if the list is no longer the one that was read. */
  #change<T>(
    { name, local }: ComparedList,
    work: (now: DatasetInfo | undefined) => Promise<T>,
  ): Promise<T | undefined> {
    const { folder } = this.#options;
    return withDatasetLock(folder.path, name, async () => {
      const now = await folder.find(name);
      return now?.indexSum.sha256 === local?.indexSum.sha256 ? work(now) : undefined;
    });
  }

  /** Writes the row of a list. Returns undefined if it is no longer the row that was read. */
  async #announce({ name, row, shared }: ComparedList, state: SharedState): Promise<SharedVersion | undefined> {
    const { database, sealer, audit, log } = this.#options;
    const sum = state.info ? requireSum(state.info) : null;
    const sealed = sealer.sealJson(state, tables.shared_lists.places.sealed({ name }));
    const isEdited = row !== undefined && !shared;
    const isWritten = await database.transact(async (trx) => {
      if (!(await this.#store.write(trx, { name, sum, sealed }, row))) return false;
      if (isEdited) await createActRecorder(audit, THIS_MACHINE, 'dataset.heal', name)(trx);
      return true;
    });
    if (!isWritten) return undefined;
    if (isEdited) log.info({ dataset: name }, 'a shared list that was edited in the database was rewritten');
    this.#editedNames.delete(name);
    return { sum, revision: state.revision };
  }

  /** Returns undefined if the row was edited. */
  #open({ name, sealed }: SharedListRow): SharedState | 'newer' | undefined {
    const { sealer, log } = this.#options;
    let state: SharedState;
    try {
      state = sealer.openJson(sealed, tables.shared_lists.places.sealed({ name })) as SharedState;
    } catch (error) {
      if (error instanceof UnknownDataKeyError) throw error; // this machine learns the key soon
      if (!this.#editedNames.has(name)) {
        log.error({ dataset: name }, 'a shared list was edited in the database and is not fetched');
        countEditedRow('shared_lists');
      }
      this.#editedNames.add(name);
      return undefined;
    }
    if (state.removedAt !== undefined) return state;
    const info = parseDatasetInfo(JSON.stringify(state.info));
    return info?.name === name ? { info, revision: state.revision } : 'newer';
  }
}

export async function readAgreed(folder: string): Promise<Map<string, SharedVersion>> {
  try {
    const agreed = JSON.parse(await readFile(join(folder, AGREED_FILE), 'utf8')) as Record<string, SharedVersion>;
    return new Map(Object.entries(agreed));
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return new Map();
    throw error;
  }
}
