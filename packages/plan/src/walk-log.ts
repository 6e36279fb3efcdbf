// Grammar of the step log: whether it fits its plan, and its current state.
import { findFirstColor, LIGHT_LEAST_PERCENT, LIGHT_MOST_MS, type LightDraw, listColors } from './light.ts';
import type { LogEntry } from './log.ts';
import type { FacePlanStep, PlanCourse, PlanStep } from './steps.ts';

/** Position of the step at which a log does not fit. */
export type Misfit = { step: number };

/** Returns undefined if a legal log can start like this. */
export function checkPrefix(plan: PlanCourse, log: readonly LogEntry[]): Misfit | undefined {
  const walked = walk(plan, log);
  return 'misfit' in walked ? walked.misfit : undefined;
}

/** Positions of all steps that began, undone or not, in the order of their first start. */
export function listBegunSteps(log: readonly LogEntry[]): number[] {
  return [...new Set(log.flatMap(([event, step]) => (event === 'started' || event === 'carried' ? [step] : [])))];
}

/**
 * Returns undefined if the log is legal and contains exactly the due steps, completed. A log that
 * is cut short ends within the last of them, where the cause was found. A begun conditional step
 * stays due; otherwise people could repeat the face step until it is not required.
 */
export function checkWhole(
  plan: PlanCourse,
  log: readonly LogEntry[],
  { stepsDue, cutShort }: { stepsDue: readonly number[]; cutShort: boolean },
): Misfit | undefined {
  const walked = walk(plan, log);
  if ('misfit' in walked) return walked.misfit;
  const { started, running } = walked;
  const odd = started.findIndex((step, index) => step !== stepsDue[index]);
  if (odd >= 0) return { step: started[odd]! };
  const dropped = cutShort ? undefined : listBegunSteps(log).find((step) => !stepsDue.includes(step));
  const missing = (cutShort ? undefined : running) ?? stepsDue[started.length] ?? dropped;
  return missing === undefined ? undefined : { step: missing };
}

/** Returns the position of the running step in a legal log. */
export function findRunningStep(plan: PlanCourse, log: readonly LogEntry[]): number | undefined {
  const walked = walk(plan, log);
  return 'misfit' in walked ? undefined : walked.running;
}

/** Positions of the finished or carried steps that were not undone, in order. */
export function listFinishedSteps(plan: PlanCourse, log: readonly LogEntry[]): number[] {
  const walked = walk(plan, log);
  return 'misfit' in walked ? [] : walked.started.filter((position) => position !== walked.running);
}

/** Positions of the steps carried over from the previous device. */
export function listCarriedSteps(plan: PlanCourse, log: readonly LogEntry[]): number[] {
  const walked = walk(plan, log);
  return 'misfit' in walked ? [] : walked.carried;
}

interface Walked {
  /** Positions of steps that began and were not undone, in order. */
  started: number[];
  /** Steps of the previous device; always the first ones. */
  carried: number[];
  running: number | undefined;
}

interface Place extends Walked {
  /** Attempts with light, including undone ones. */
  attemptsLit: number;
  /** Completed challenges of the current attempt. */
  done: number;
  /** Time at which the next challenge was shown. */
  shownAt: number | undefined;
  askedAt: number | undefined;
  answered: boolean;
  lit: number;
  /** Whether the person stopped the colors. */
  stopped: boolean;
  /** Time of the last challenge or color, from which the next color waits. */
  waitsFrom: number;
}

function walk(plan: PlanCourse, log: readonly LogEntry[]): Place | { misfit: Misfit } {
  const place: Place = { started: [], carried: [], running: undefined, attemptsLit: 0, ...freshAttempt(0) };
  for (const entry of log) {
    if (!advance(plan, place, entry)) return { misfit: { step: concerned(plan.steps, place, entry) } };
  }
  return place;
}

/** Returns false if the entry is not allowed here. */
function advance({ steps, carried = [] }: PlanCourse, place: Place, [event, index, at]: LogEntry): boolean {
  const running = place.running === undefined ? undefined : steps[place.running];
  if (event === 'started') {
    if (running || !mayFollow(steps, place.started.at(-1) ?? -1, index)) return false;
    place.started.push(index);
    begin(place, index, at);
    return true;
  }
  if (event === 'carried') {
    // A repeated step may have another outcome, which would invalidate later steps of the previous
    // device.
    const isNextOfThem = carried.includes(index) && place.carried.length === place.started.length;
    if (running || !isNextOfThem || !mayFollow(steps, place.started.at(-1) ?? -1, index)) return false;
    place.started.push(index);
    place.carried.push(index);
    return true;
  }
  if (event === 'retried') return goBack(place, index, at);
  if (!running) return false;
  if (event === 'finished') {
    if (index !== place.running || (running.step === 'face' && !isFaceWhole(running, place, at))) return false;
    place.running = undefined;
    return true;
  }
  return running.step === 'face' && advanceFace(running, place, [event, index, at]);
}

function advanceFace(step: FacePlanStep, place: Place, [event, index, at]: LogEntry): boolean {
  const isBetween = place.shownAt === undefined && place.lit === 0;
  switch (event) {
    case 'shown':
      if (!isBetween || index !== place.done || index >= step.challenges.length) return false;
      place.shownAt = at;
      return true;
    case 'done':
      if (place.shownAt === undefined || index !== place.done || at - place.shownAt > step.challengeMs) return false;
      place.done += 1;
      place.shownAt = undefined;
      place.waitsFrom = at;
      return true;
    case 'asked':
      if (!isBetween || place.askedAt !== undefined) return false;
      if (index !== step.cameraRequest?.after || place.done !== index + 1) return false;
      place.askedAt = at;
      return true;
    case 'answered':
      // Allowed during any activity of the person.
      if (place.askedAt === undefined || place.answered || index !== step.cameraRequest?.after) return false;
      place.answered = true;
      return at >= place.askedAt;
    case 'lit':
      return showColor(step, place, index, at);
    case 'stopped':
      if (!step.light || place.lit === 0 || place.stopped) return false;
      if (index !== findFirstColor(step.light, place.attemptsLit - 1) + place.lit - 1) return false;
      place.stopped = true;
      return true;
    default:
      return false;
  }
}

/** Shows the next color after all movements. An attempt never repeats colors of an earlier one. */
function showColor({ light, challenges }: FacePlanStep, place: Place, index: number, at: number): boolean {
  if (!light || place.done < challenges.length || place.stopped) return false;
  if (place.lit === 0) place.attemptsLit += 1;
  else if (at - place.waitsFrom > LIGHT_MOST_MS) return false;
  const attempt = place.attemptsLit - 1;
  const draw = light.attempts[attempt];
  if (!draw || place.lit >= listColors(draw).length || !hasWaited(draw, place, at)) return false;
  if (index !== findFirstColor(light, attempt) + place.lit) return false;
  place.lit += 1;
  place.waitsFrom = at;
  return true;
}

/** Returns whether everything requested is complete. Light may be declined or stopped. */
function isFaceWhole({ challenges, light, cameraRequest }: FacePlanStep, place: Place, at: number): boolean {
  if (place.done < challenges.length || (place.askedAt !== undefined) !== (cameraRequest !== undefined)) return false;
  const draw = light?.attempts[place.attemptsLit - 1];
  if (!draw || place.lit === 0 || place.stopped) return true;
  const isRoundWhole = place.lit === draw.colours.length || place.lit === listColors(draw).length;
  return isRoundWhole && hasWaited(draw, place, at);
}

/** Counts attempts with light, including undone ones, because each uses up a draw. */
export function countAttemptsLit(plan: PlanCourse, log: readonly LogEntry[]): number {
  const walked = walk(plan, log);
  return 'misfit' in walked ? 0 : walked.attemptsLit;
}

/** Returns whether the previous color had its minimum time. */
function hasWaited({ colourMs: colorMs }: LightDraw, { waitsFrom }: Place, at: number): boolean {
  return (at - waitsFrom) * 100 >= LIGHT_LEAST_PERCENT * colorMs;
}

/** Restarts a begun step and undoes everything after it, as after a reload. */
function goBack(place: Place, step: number, at: number): boolean {
  const position = place.started.indexOf(step);
  if (position < 0) return false;
  place.started.length = position + 1;
  place.carried.length = Math.min(place.carried.length, position);
  begin(place, step, at);
  return true;
}

function begin(place: Place, step: number, at: number): void {
  Object.assign(place, { running: step, ...freshAttempt(at) });
}

function freshAttempt(at: number) {
  return {
    done: 0,
    shownAt: undefined,
    askedAt: undefined,
    answered: false,
    lit: 0,
    stopped: false,
    waitsFrom: at,
  };
}

/** Only conditional steps can be skipped. */
function mayFollow(steps: readonly PlanStep[], last: number, next: number): boolean {
  return next > last && next < steps.length && steps.slice(last + 1, next).every(({ when }) => when !== 'always');
}

function concerned(steps: readonly PlanStep[], { running, started }: Place, [event, index]: LogEntry): number {
  if (running !== undefined) return running;
  return (event === 'started' || event === 'carried') && index < steps.length ? index : (started.at(-1) ?? 0);
}

export type Standing = 'running' | 'finished';

/** States of the begun steps that were not undone, by position and in order. */
export function readStanding(log: readonly LogEntry[]): ReadonlyMap<number, Standing> {
  const steps = new Map<number, Standing>();
  for (const [event, index] of log) {
    if (event === 'finished' || event === 'carried') steps.set(index, 'finished');
    if (event !== 'started' && event !== 'retried') continue;
    // Going back undoes everything after it.
    const begun = [...steps.keys()];
    if (steps.has(index)) for (const later of begun.slice(begun.indexOf(index) + 1)) steps.delete(later);
    steps.set(index, 'running');
  }
  return steps;
}

export interface Progress {
  step: number;
  challengesDone: number;
}

/** Returns the current progress; undefined before the first step. */
export function readProgress(log: readonly LogEntry[]): Progress | undefined {
  let progress: Progress | undefined;
  for (const [event, index] of log) {
    if (event === 'started' || event === 'retried' || event === 'carried')
      progress = { step: index, challengesDone: 0 };
    else if (event === 'done' && progress) progress.challengesDone += 1;
  }
  return progress;
}
