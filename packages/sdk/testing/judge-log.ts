// Judges a step log independently of the service, by removing undone steps and comparing the rest.
// Checks the vectors.
import type { FacePlanStep, LogEntry, PlanStep } from '@limen/plan';

interface Course {
  steps: readonly PlanStep[];
  stepsDue: readonly number[];
  cutShort: boolean;
  /** Positions of the steps that were carried over from another device. */
  carried?: readonly number[];
}

interface Plan {
  steps: readonly PlanStep[];
  carried: readonly number[];
}

type Happened = readonly [event: LogEntry[0], index: number];

export function isLegal(given: readonly LogEntry[], { steps, stepsDue, cutShort, carried = [] }: Course): boolean {
  const unanswered = takeOutAnswers(given);
  const log = unanswered && numberColors(unanswered, steps);
  if (!log || given.length > 160 || !areInTime(log, steps)) return false;
  const left = takeOutUndone(
    { steps, carried },
    log.map(([event, index]) => [event, index]),
  );
  if (!left) return false;
  // A conditional step remains required once started, even if it was undone.
  const begun = log.flatMap(([event, index]) => (event === 'started' || event === 'carried' ? [index] : []));
  if (!cutShort && begun.some((index) => !stepsDue.includes(index))) return false;
  if (!cutShort) return coursesOf({ steps, carried }, stepsDue).some((course) => isSame(left, course));
  // Found in the last required step.
  const isThere = left.some(([event, index]) => event === 'started' && index === stepsDue.at(-1));
  return isThere && brokenOff({ steps, carried }, stepsDue).some((course) => isBeginning(left, course));
}

/** Each must answer the single request of its attempt, after it. Returns undefined otherwise. */
function takeOutAnswers(log: readonly LogEntry[]): LogEntry[] | undefined {
  const isSound = log.every(([event, index, at], position) => {
    if (event !== 'answered') return true;
    const before = log.slice(0, position).findLast(([event]) => !['shown', 'done', 'lit', 'stopped'].includes(event));
    return before?.[0] === 'asked' && before[1] === index && before[2] <= at;
  });
  return isSound ? log.filter(([event]) => event !== 'answered') : undefined;
}

function lightOf(steps: readonly PlanStep[]): FacePlanStep['light'] {
  return steps.flatMap((step) => (step.step === 'face' ? [step.light] : []))[0];
}

/** Returns the attempt of each entry, counting only those with light. -1 before the first. */
function attemptsOf(log: readonly LogEntry[]): number[] {
  let attempt = -1;
  let isFresh = true;
  return log.map(([event]) => {
    if (event === 'retried' || event === 'started') isFresh = true;
    if (event === 'lit' && isFresh) [attempt, isFresh] = [attempt + 1, false];
    return attempt;
  });
}

/** Renumbers every attempt's colors from 0. Undefined if one belongs to another attempt. */
function numberColors(log: readonly LogEntry[], steps: readonly PlanStep[]): LogEntry[] | undefined {
  const light = lightOf(steps);
  const attempts = attemptsOf(log);
  const numbered = log.map((entry, position): LogEntry | undefined => {
    const [event, index, at] = entry;
    if (!light || (event !== 'lit' && event !== 'stopped')) return entry;
    const sizes = light.attempts.map(({ colours: colors, again }) => colors.length + again.length);
    const attempt = attempts[position]!;
    const first = sizes.slice(0, Math.max(attempt, 0)).reduce((sum, size) => sum + size, 0);
    const isOfAttempt = index >= first && index < first + (sizes[attempt] ?? 0);
    return isOfAttempt ? [event, index - first, at] : undefined;
  });
  return numbered.every((entry) => entry !== undefined) ? numbered : undefined;
}

/** Possible lights: none, one round, both, or stopped after some colors. */
function lightCourses(light: FacePlanStep['light']): Happened[][] {
  const [draw] = light?.attempts ?? [];
  if (!draw) return [[]];
  const colors = [...draw.colours, ...draw.again].map((_, number): Happened => ['lit', number]);
  const stopped = colors.map(([, last]): Happened[] => [...colors.slice(0, last + 1), ['stopped', last]]);
  return [[], colors.slice(0, draw.colours.length), colors, ...stopped];
}

/** Returns undefined if something was undone that had not happened, or could not have. */
function takeOutUndone(plan: Plan, log: readonly Happened[]): readonly Happened[] | undefined {
  const at = log.findIndex(([event]) => event === 'retried');
  if (at < 0) return log;
  const undone = log.slice(0, at);
  if (!possibleCourses(plan).some((course) => isBeginning(undone, course))) return undefined;
  const again = log[at]![1];
  const start = undone.findIndex(([event, index]) => (event === 'started' || event === 'carried') && index === again);
  // Completed here now, in any case.
  return start < 0
    ? undefined
    : takeOutUndone(plan, [...log.slice(0, start), ['started', again], ...log.slice(at + 1)]);
}

/** With and without each conditional step. */
function possibleCourses(plan: Plan): Happened[][] {
  const choices = plan.steps.reduce<number[][]>(
    (chosen, { when }, index) => [
      ...chosen.map((before) => [...before, index]),
      ...(when === 'always' ? [] : chosen.map((before) => [...before])),
    ],
    [[]],
  );
  return choices.flatMap((due) => brokenOff(plan, due));
}

/** Also without a camera request if the face step does not finish. */
function brokenOff(plan: Plan, due: readonly number[]): Happened[][] {
  const unasked = coursesOf(plan, due).map((course) => {
    const end = course.findIndex(([event, index]) => event === 'finished' && plan.steps[index]?.step === 'face');
    return course.slice(0, end < 0 ? course.length : end).filter(([event]) => event !== 'asked');
  });
  return [...coursesOf(plan, due), ...unasked];
}

/** With none of the first steps carried over, with one, with two, and so on. */
function coursesOf({ steps, carried }: Plan, due: readonly number[]): Happened[][] {
  const missing = due.findIndex((index) => !carried.includes(index));
  const most = missing < 0 ? due.length : missing;
  return Array.from({ length: most + 1 }, (_, count) =>
    lightCourses(lightOf(steps)).map((lit) => [
      ...due.slice(0, count).map((index): Happened => ['carried', index]),
      ...courseOf(steps, due.slice(count), lit),
    ]),
  ).flat();
}

function courseOf(steps: readonly PlanStep[], due: readonly number[], lit: readonly Happened[]): Happened[] {
  return due.flatMap((index) => {
    const step = steps[index]!;
    const { challenges, cameraRequest } = step.step === 'face' ? step : { challenges: [], cameraRequest: undefined };
    const done = [...challenges.keys()].flatMap((number): Happened[] => [
      ['shown', number],
      ['done', number],
      ...(cameraRequest?.after === number ? [['asked', number] as const] : []),
    ]);
    return [
      ['started', index],
      ...done,
      ...(step.step === 'face' ? lit : []),
      ['finished', index],
    ] satisfies Happened[];
  });
}

function isSame(left: readonly Happened[], right: readonly Happened[]): boolean {
  return left.length === right.length && isBeginning(left, right);
}

function isBeginning(start: readonly Happened[], of: readonly Happened[]): boolean {
  return start.every(([event, index], at) => of[at]?.[0] === event && of[at][1] === index);
}

function areInTime(log: readonly LogEntry[], steps: readonly PlanStep[]): boolean {
  const [face] = steps.flatMap((step) => (step.step === 'face' ? [step] : []));
  const attempts = attemptsOf(log);
  return log.every(([event, , at], position) => {
    const before = log[position - 1];
    if (event === 'done' && before?.[0] === 'shown') return !face || at - before[2] <= face.challengeMs;
    const [follows, lasts] = [event === 'lit' || event === 'finished', before?.[0] === 'lit'];
    // The camera request may come between the last movement and the light.
    const since = event === 'lit' && before?.[0] === 'asked' ? log[position - 2] : before;
    if (!face?.light || !since || !follows || (event === 'finished' && !lasts)) return true;
    if (event === 'lit' && lasts && at - since[2] > 15_000) return false;
    return (at - since[2]) / (face.light.attempts[attempts[position]!]?.colourMs ?? 0) >= 0.8;
  });
}
