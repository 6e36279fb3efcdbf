// Judges a step log by taking out what was undone and comparing the rest: another way than the service's, to check the vectors by.
import type { LogEntry, PlanStep } from '@limen/plan';

interface Course {
  steps: readonly PlanStep[];
  stepsDue: readonly number[];
  cutShort: boolean;
  /** Positions of the steps that came along from another device. */
  carried?: readonly number[];
}

interface Plan {
  steps: readonly PlanStep[];
  carried: readonly number[];
}

type Happened = readonly [event: LogEntry[0], index: number];

export function isLegal(log: readonly LogEntry[], { steps, stepsDue, cutShort, carried = [] }: Course): boolean {
  if (log.length > 160 || !areInTime(log, steps)) return false;
  const left = takeOutUndone(
    { steps, carried },
    log.map(([event, index]) => [event, index]),
  );
  if (!left) return false;
  // A conditional step that began once stays due, also when it was undone.
  const begun = log.flatMap(([event, index]) => (event === 'started' || event === 'carried' ? [index] : []));
  if (!cutShort && begun.some((index) => !stepsDue.includes(index))) return false;
  if (!cutShort) return coursesOf({ steps, carried }, stepsDue).some((course) => isSame(left, course));
  // It was found in the last step that was due.
  const isThere = left.some(([event, index]) => event === 'started' && index === stepsDue.at(-1));
  return isThere && brokenOff({ steps, carried }, stepsDue).some((course) => isBeginning(left, course));
}

/** Undefined when something was undone that had not happened, or could not have. */
function takeOutUndone(plan: Plan, log: readonly Happened[]): readonly Happened[] | undefined {
  const at = log.findIndex(([event]) => event === 'retried');
  if (at < 0) return log;
  const undone = log.slice(0, at);
  if (!possibleCourses(plan).some((course) => isBeginning(undone, course))) return undefined;
  const again = log[at]![1];
  const start = undone.findIndex(([event, index]) => (event === 'started' || event === 'carried') && index === again);
  // Whatever it was before, it is done here now.
  return start < 0
    ? undefined
    : takeOutUndone(plan, [...log.slice(0, start), ['started', again], ...log.slice(at + 1)]);
}

/** With each conditional step and without it. */
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

/** Also without the camera being asked, where the face step does not finish: what is missing shows at its end. */
function brokenOff(plan: Plan, due: readonly number[]): Happened[][] {
  const unasked = coursesOf(plan, due).map((course) => {
    const end = course.findIndex(([event, index]) => event === 'finished' && plan.steps[index]?.step === 'face');
    return course.slice(0, end < 0 ? course.length : end).filter(([event]) => event !== 'asked');
  });
  return [...coursesOf(plan, due), ...unasked];
}

/** With none of the first steps from the other device, with one of them, with two, and so on. */
function coursesOf({ steps, carried }: Plan, due: readonly number[]): Happened[][] {
  const missing = due.findIndex((index) => !carried.includes(index));
  const most = missing < 0 ? due.length : missing;
  return Array.from({ length: most + 1 }, (_, count) =>
    [0, 1, 2].map((rounds) => [
      ...due.slice(0, count).map((index): Happened => ['carried', index]),
      ...courseOf(steps, due.slice(count), rounds),
    ]),
  ).flat();
}

function courseOf(steps: readonly PlanStep[], due: readonly number[], rounds: number): Happened[] {
  return due.flatMap((index) => {
    const step = steps[index]!;
    const { challenges, light, cameraRequest } =
      step.step === 'face' ? step : { challenges: [], light: undefined, cameraRequest: undefined };
    const done = [...challenges.keys()].flatMap((number): Happened[] => [
      ['shown', number],
      ['done', number],
      ...(cameraRequest?.after === number ? [['asked', number] as const] : []),
    ]);
    const shown = light ? [0, light.colours.length, light.colours.length + (light.again?.length ?? 0)][rounds]! : 0;
    const colours = Array.from({ length: shown }, (_, number): Happened => ['lit', number]);
    return [['started', index], ...done, ...colours, ['finished', index]] satisfies Happened[];
  });
}

function isSame(one: readonly Happened[], other: readonly Happened[]): boolean {
  return one.length === other.length && isBeginning(one, other);
}

function isBeginning(one: readonly Happened[], of: readonly Happened[]): boolean {
  return one.every(([event, index], at) => of[at]?.[0] === event && of[at][1] === index);
}

function areInTime(log: readonly LogEntry[], steps: readonly PlanStep[]): boolean {
  const [face] = steps.flatMap((step) => (step.step === 'face' ? [step] : []));
  return log.every(([event, , at], position) => {
    const before = log[position - 1];
    if (event === 'done' && before?.[0] === 'shown') return !face || at - before[2] <= face.challengeMs;
    const [follows, lasts] = [event === 'lit' || event === 'finished', before?.[0] === 'lit'];
    // The camera may be asked between the last movement and the light.
    const since = event === 'lit' && before?.[0] === 'asked' ? log[position - 2] : before;
    if (!face?.light || !since || !follows || (event === 'finished' && !lasts)) return true;
    return (at - since[2]) / face.light.colourMs >= 0.8;
  });
}
