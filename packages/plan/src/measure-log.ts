// Reads off a step log what the risk evaluation wants to know.
import type { LightCourse } from './light.ts';
import type { LogEntry } from './log.ts';

export interface LogMeasures {
  challengeMs: number[];
  /**
   * Milliseconds between the entries that a person times, in the attempt that counts: the beginning of the face step, and each
   * movement shown and done. The end of the step is timed by the light that the service drew.
   */
  rhythm: number[];
  /** From the first colour to the last; null where no light was shown. */
  lightMs: number | null;
  light: LightCourse;
  orderBreaks: number;
  retries: number;
  /** How many began here and were not undone. */
  steps: number;
  /** How many stand in it as the device before did them. */
  carried: number;
  /** Of the entry that is latest; 0 without any. */
  lastAt: number;
}

/** Of a legal log. Only the last attempt of a step counts: it is the one that was answered with. */
export function measureLog(log: readonly LogEntry[]): LogMeasures {
  const challengeMs: number[] = [];
  /** With how many challenges were done in the steps before. */
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
  // Steps without movements have a beginning alone.
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
