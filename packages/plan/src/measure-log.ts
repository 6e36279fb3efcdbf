// Extracts measurements for the risk evaluation from a step log.
import type { LightCourse } from './light.ts';
import type { LogEntry } from './log.ts';

export interface LogMeasures {
  challengeMs: number[];
  /**
   * Intervals in milliseconds that depend on the person, in the attempt that counts: start of the
   * face step, and each movement shown and done. Excludes the end of the step, which depends on the
   * light.
   */
  rhythm: number[];
  /** Time from the first to the last color; null without light. */
  lightMs: number | null;
  light: LightCourse;
  orderBreaks: number;
  retries: number;
  /** Number of steps that began here and were not undone. */
  steps: number;
  /** Number of steps carried over from the previous device. */
  carried: number;
  /** Latest time of an entry; 0 without any. */
  lastAt: number;
}

/** Expects a legal log. Only the last attempt of a step counts, because the answer is about it. */
export function measureLog(log: readonly LogEntry[]): LogMeasures {
  const challengeMs: number[] = [];
  /** Steps with the number of challenges completed before them. */
  const started: {
    step: number;
    before: number;
    carried: boolean;
    timedAt: number[];
    litAt: number[];
    stopped: boolean;
  }[] = [];
  let shownAt = 0;
  for (const [event, index, at] of log) {
    if (event === 'started' || event === 'carried') {
      started.push({
        step: index,
        before: challengeMs.length,
        carried: event === 'carried',
        timedAt: [at],
        litAt: [],
        stopped: false,
      });
    } else if (event === 'retried') {
      started.length = started.findIndex(({ step }) => step === index) + 1;
      const again = started.at(-1);
      challengeMs.length = again?.before ?? 0;
      if (again) Object.assign(again, { carried: false, timedAt: [at], litAt: [], stopped: false });
    } else if (event === 'shown') shownAt = at;
    else if (event === 'done') challengeMs.push(Math.max(0, at - shownAt));
    else if (event === 'lit') started.at(-1)?.litAt.push(at);
    else if (event === 'stopped') Object.assign(started.at(-1) ?? {}, { stopped: true });
    if (event === 'shown' || event === 'done') started.at(-1)?.timedAt.push(at);
  }
  const litAt = started.flatMap((step) => step.litAt);
  // Steps without movements only have a start.
  const timedAt = started.find((step) => step.timedAt.length > 1)?.timedAt ?? [];
  return {
    challengeMs,
    rhythm: timedAt.slice(1).map((at, index) => at - timedAt[index]!),
    lightMs: litAt.length > 0 ? Math.max(0, litAt.at(-1)! - litAt[0]!) : null,
    light: { colours: litAt.length, isStopped: started.some(({ stopped }) => stopped) },
    orderBreaks: log.filter((entry, index) => index > 0 && entry[2] < log[index - 1]![2]).length,
    retries: log.filter(([event]) => event === 'retried').length,
    steps: started.filter(({ carried }) => !carried).length,
    carried: started.filter(({ carried }) => carried).length,
    lastAt: log.reduce((latest, [, , at]) => Math.max(latest, at), 0),
  };
}
