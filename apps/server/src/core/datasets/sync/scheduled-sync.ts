// Refreshes the lists of this machine every so often, one after the other. DATA_DIR belongs to one machine, so this is a
// timer of the process and not a job of the database that several machines share.
import { setTimeout as sleepUntil } from 'node:timers/promises';
import type { Clock } from '../../../platform/clock.ts';
import type { DatasetFolder, DatasetInfo } from '../folder/dataset-folder.ts';
import { sentenceOf } from '../sentence-of.ts';
import { createListOutbound } from './list-outbound.ts';
import { syncDataset } from './sync-dataset.ts';

const HOUR_MS = 3_600_000;
/** After a failure the publisher is asked again sooner than usual, but not at once. */
const RETRY_MS = HOUR_MS / 2;
/** Many servers start at the same full minute; their publishers should not notice. */
const FIRST_MS = 60_000;
const LONGEST_TIMER_MS = 24 * HOUR_MS;

export interface ScheduledSyncOptions {
  folder: DatasetFolder;
  hours: number;
  clock: Clock;
  log: {
    info(fields: Record<string, unknown>, message: string): void;
    warn(fields: Record<string, unknown>, message: string): void;
  };
  /** From 0 to 1. */
  random?: () => number;
  /** Rejects when the signal ends it. */
  sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

export interface ScheduledSync {
  /** Ends a refresh that is under way; the list that was there stays. */
  stop(): Promise<void>;
}

/** 0 hours: never. */
export function startScheduledSync(options: ScheduledSyncOptions): ScheduledSync {
  const { hours, random = Math.random, sleep = sleepQuietly } = options;
  const ended = new AbortController();
  const { signal } = ended;

  async function run(): Promise<void> {
    let delay = FIRST_MS * (0.5 + random());
    for (;;) {
      await sleep(delay, signal);
      const allWell = await refreshDue(options, signal);
      const usual = hours * HOUR_MS;
      delay = (allWell ? usual : Math.min(usual, RETRY_MS)) * (0.95 + 0.1 * random());
    }
  }

  const running = hours === 0 ? Promise.resolve() : run().catch((error) => refuseToEnd(error, signal));
  return {
    async stop() {
      ended.abort();
      await running;
    },
  };
}

/** Whether every list that was due could be asked for. */
async function refreshDue({ folder, hours, clock, log }: ScheduledSyncOptions, signal: AbortSignal): Promise<boolean> {
  const outbound = createListOutbound();
  let allWell = true;
  try {
    for (const info of await folder.remembered()) {
      signal.throwIfAborted();
      const { name } = info;
      if (!isDue(info, hours, clock.now()) && !(await isBroken(info, folder))) continue;
      try {
        const outcome = await syncDataset(name, { folder, outbound, clock }, { signal, known: true });
        const { version, entityCount } = outcome.info;
        const fields = { dataset: name, version, entities: entityCount };
        if (outcome.state === 'unchanged') log.info(fields, 'dataset is up to date');
        else log.info({ ...fields, how: outcome.how, problems: outcome.report.problemCount }, 'dataset was refreshed');
      } catch (error) {
        signal.throwIfAborted();
        allWell = false;
        log.warn({ dataset: name, reason: reasonOf(error) }, 'dataset could not be refreshed; the old list stays');
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    allWell = false;
    log.warn({ reason: reasonOf(error) }, 'datasets could not be refreshed');
  } finally {
    await outbound.close();
  }
  return allWell;
}

/** A server that is started again and again does not ask again and again. */
function isDue({ sync }: DatasetInfo, hours: number, now: number): boolean {
  if (sync === undefined) return false;
  const checkedAt = Date.parse(sync.checkedAt);
  // A clock that was ahead must not put refreshes off until it is right again.
  return checkedAt > now || checkedAt + 0.9 * hours * HOUR_MS <= now;
}

/** A list that cannot be searched does not wait for its time. */
async function isBroken(info: DatasetInfo, folder: DatasetFolder): Promise<boolean> {
  return info.sync !== undefined && (await folder.examineIndex(info, 'head')) !== undefined;
}

/** An error that has no sentence of ours is reported by class and code only. */
function reasonOf(error: unknown): string {
  const { name, code } = (error ?? {}) as { name?: string; code?: string };
  return sentenceOf(error) ?? [name, code].filter(Boolean).join(' ');
}

/** In steps: a timer of more than 24 days would fire at once. */
async function sleepQuietly(milliseconds: number, signal: AbortSignal): Promise<void> {
  for (let left = milliseconds; left > 0; left -= LONGEST_TIMER_MS) {
    await sleepUntil(Math.min(left, LONGEST_TIMER_MS), undefined, { signal, ref: false });
  }
}

/** Only the stop ends the loop. */
function refuseToEnd(error: unknown, signal: AbortSignal): void {
  if (!signal.aborted) throw error;
}
