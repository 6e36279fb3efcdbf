// Judges a step log by taking out what was undone and comparing the rest: another way than the service's, to check the vectors by.
import type { LogEntry, PlanStep } from '@limen/contract';

interface Course {
  steps: readonly PlanStep[];
  stepsDue: readonly number[];
  cutShort: boolean;
}

type Happened = readonly [event: LogEntry[0], index: number];

export function isLegal(log: readonly LogEntry[], { steps, stepsDue, cutShort }: Course): boolean {
  if (log.length > 80 || !areInTime(log, steps)) return false;
  const left = takeOutUndone(
    steps,
    log.map(([event, index]) => [event, index]),
  );
  if (!left) return false;
  // A conditional step that began once stays due, also when it was undone.
  const begun = log.flatMap(([event, index]) => (event === 'started' ? [index] : []));
  if (!cutShort && begun.some((index) => !stepsDue.includes(index))) return false;
  const whole = courseOf(steps, stepsDue);
  if (!cutShort) return isSame(left, whole);
  // It was found in the last step that was due.
  const isThere = left.some(([event, index]) => event === 'started' && index === stepsDue.at(-1));
  return isThere && isBeginning(left, whole);
}

/** Undefined when something was undone that had not happened, or could not have. */
function takeOutUndone(steps: readonly PlanStep[], log: readonly Happened[]): readonly Happened[] | undefined {
  const at = log.findIndex(([event]) => event === 'retried');
  if (at < 0) return log;
  const undone = log.slice(0, at);
  if (!possibleCourses(steps).some((course) => isBeginning(undone, course))) return undefined;
  const start = undone.findIndex(([event, index]) => event === 'started' && index === log[at]![1]);
  return start < 0 ? undefined : takeOutUndone(steps, [...log.slice(0, start + 1), ...log.slice(at + 1)]);
}

/** With each conditional step and without it. */
function possibleCourses(steps: readonly PlanStep[]): Happened[][] {
  const choices = steps.reduce<number[][]>(
    (chosen, { when }, index) => [
      ...chosen.map((before) => [...before, index]),
      ...(when === 'always' ? [] : chosen.map((before) => [...before])),
    ],
    [[]],
  );
  return choices.map((due) => courseOf(steps, due));
}

function courseOf(steps: readonly PlanStep[], due: readonly number[]): Happened[] {
  return due.flatMap((index) => {
    const step = steps[index]!;
    const challenges = step.step === 'face' ? [...step.challenges.keys()] : [];
    const done = challenges.flatMap((number): Happened[] => [
      ['shown', number],
      ['done', number],
    ]);
    return [['started', index], ...done, ['finished', index]] satisfies Happened[];
  });
}

function isSame(one: readonly Happened[], other: readonly Happened[]): boolean {
  return one.length === other.length && isBeginning(one, other);
}

function isBeginning(one: readonly Happened[], of: readonly Happened[]): boolean {
  return one.every(([event, index], at) => of[at]?.[0] === event && of[at][1] === index);
}

function areInTime(log: readonly LogEntry[], steps: readonly PlanStep[]): boolean {
  const [limitMs] = steps.flatMap((step) => (step.step === 'face' ? [step.challengeMs] : []));
  return log.every(([event, , at], position) => {
    const shown = log[position - 1];
    return event !== 'done' || shown?.[0] !== 'shown' || limitMs === undefined || at - shown[2] <= limitMs;
  });
}
