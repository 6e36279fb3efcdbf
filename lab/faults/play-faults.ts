// Plays faults on a loaded cluster one after another and measures their effects.
import { setTimeout as pause } from 'node:timers/promises';
import { askPostgres } from '../../testing/cluster/ask-postgres.ts';
import type { ClusterPrograms } from '../../testing/cluster/start-cluster.ts';
import { FAULT_CLASSES, type FaultClass, type Random } from './fault-classes.ts';
import { type Load, startLoad, type Tally } from './load.ts';
import { openStage, type Stage } from './stage.ts';

export interface FaultOptions {
  programs: ClusterPrograms;
  rounds: number;
  seed: number;
  /** Classes to play. Default: all. */
  only?: readonly string[];
  tell?: (text: string) => void;
}

/** Results of a class. */
export interface ClassResult {
  name: string;
  what: string;
  withinSeconds: number;
  rounds: number;
  writes: number;
  lostWrites: number;
  refused: number;
  longestSeconds: number;
  sessions: number;
  lostWebhooks: number;
  /** Webhooks that arrived only when due by a clock that was ahead. */
  lateWebhooks: number;
  /** Webhooks that arrived more than once under one id. */
  repeatedWebhooks: number;
  /** Webhooks that arrived under two ids, which hosts cannot distinguish from two ends. */
  doubledWebhooks: number;
  againSessions: number;
  signIns: number;
  againSignIns: number;
}

export interface FaultReport {
  classes: ClassResult[];
  /** Skipped because they cannot be played here. */
  leftOut: string[];
  /** Errors that no fault explains. */
  surprises: string[];
}

/** Wait for the last webhooks. A dead process's lease expires after half a minute. */
const WEBHOOKS_MS = 60_000;
const CHUNK = 1_000;

export async function playFaults({
  programs,
  rounds,
  seed,
  only,
  tell = () => {},
}: FaultOptions): Promise<FaultReport> {
  const stage = await openStage(programs);
  let load: Load | undefined;
  try {
    load = await startLoad(stage.cluster);
    await load.untilAnswered();
    load.take();
    const wanted = FAULT_CLASSES.filter(({ name }) => only?.includes(name) ?? true);
    const fitting = wanted.filter(({ fits }) => fits?.(stage) ?? true);
    const results = new Map(fitting.map((faultClass) => [faultClass.name, emptyResult(faultClass)]));
    const taken = new Map(fitting.map(({ name }) => [name, [] as Tally[]]));
    const random = createRandom(seed);
    const drawn = drawClasses(fitting, random);
    for (let round = 0; round < rounds; round += 1) {
      const fault = drawn.next().value;
      tell(`${round + 1}/${rounds} ${fault.name}`);
      await fault.play(stage, random);
      await load.untilAnswered();
      const tally = load.take();
      taken.get(fault.name)!.push(tally);
      addTally(results.get(fault.name)!, tally);
      tell(
        `: answered within ${(tally.longestMs / 1_000).toFixed(1)} s (${tally.longestOf}), ${tally.refused} refused\n`,
      );
    }
    await load.stop();
    await settle(stage, load, [...taken.entries()], results);
    const leftOut = wanted.filter((faultClass) => !fitting.includes(faultClass)).map(({ name }) => name);
    return {
      classes: [...results.values()].filter((result) => result.rounds > 0),
      leftOut,
      surprises: [...new Set(load.surprises)],
    };
  } finally {
    await load?.stop();
    load?.receiver.close();
    await stage.stop();
  }
}

/** Searches for everything acknowledged, in the database and at the host. */
async function settle(
  { cluster }: Stage,
  { receiver }: Load,
  taken: [name: string, tallies: Tally[]][],
  results: ReadonlyMap<string, ClassResult>,
): Promise<void> {
  const ended = taken.flatMap(([, tallies]) => tallies.flatMap((tally) => tally.ended));
  const missing = () => ended.filter((token) => !receiver.arrivals.has(token));
  const untilAllCame = async () => {
    const until = performance.now() + WEBHOOKS_MS;
    while (missing().length > 0 && performance.now() < until) await pause(200);
  };
  await untilAllCame();
  const url = new URL(cluster.postgres.primary().url);
  url.pathname = 'limen';
  const ask = <Row>(statement: string, values?: unknown[]) => askPostgres<Row>(url.href, statement, values);
  // Pending webhooks are due by their writer's clock, which is not awaited here.
  const late = new Set(missing());
  if (late.size > 0) await ask("update jobs set run_at = 0 where state = 'ready'");
  await untilAllCame();
  for (const [name, tallies] of taken) {
    const result = results.get(name)!;
    const ids = tallies.flatMap((tally) => tally.strings);
    for (let at = 0; at < ids.length; at += CHUNK) {
      const some = ids.slice(at, at + CHUNK);
      const [there] = await ask<{ n: number }>('select count(*) as n from strings where id = any($1)', [some]);
      result.lostWrites += some.length - there!.n;
    }
    for (const token of tallies.flatMap((tally) => tally.ended)) {
      const arrivals = receiver.arrivals.get(token) ?? [];
      if (arrivals.length === 0) result.lostWebhooks += 1;
      else if (late.has(token)) result.lateWebhooks += 1;
      else if (new Set(arrivals).size > 1) result.doubledWebhooks += 1;
      else if (arrivals.length > 1) result.repeatedWebhooks += 1;
    }
  }
}

/** Each class in turn, in a different order per turn. */
function* drawClasses(classes: readonly FaultClass[], random: Random): Generator<FaultClass, never> {
  for (;;) {
    const left = [...classes];
    while (left.length > 0) yield left.splice(Math.floor(random() * left.length), 1)[0]!;
  }
}

/** mulberry32 */
function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function addTally(result: ClassResult, tally: Tally): void {
  result.rounds += 1;
  result.writes += tally.strings.length;
  result.sessions += tally.ended.length;
  result.refused += tally.refused;
  result.longestSeconds = Math.max(result.longestSeconds, tally.longestMs / 1_000);
  result.againSessions += tally.againSessions;
  result.signIns += tally.signIns;
  result.againSignIns += tally.againSignIns;
}

function emptyResult({ name, what, withinSeconds }: FaultClass): ClassResult {
  const counts = { rounds: 0, writes: 0, lostWrites: 0, refused: 0, longestSeconds: 0, sessions: 0, lostWebhooks: 0 };
  const more = {
    lateWebhooks: 0,
    repeatedWebhooks: 0,
    doubledWebhooks: 0,
    againSessions: 0,
    signIns: 0,
    againSignIns: 0,
  };
  return { name, what, withinSeconds, ...counts, ...more };
}
