// Step logs and their plans: legal logs at every length, and changes that must be rejected.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LIGHT_LENGTH, type LightDraw } from './light.ts';
import { beginsWith, type LogEntry, readLog } from './log.ts';
import { measureLog } from './measure-log.ts';
import type { DocumentPlanStep, FacePlanStep, PlanStep } from './steps.ts';
import { checkPrefix as checkPrefixOf, checkWhole as checkWholeOf, listBegunSteps, readProgress } from './walk-log.ts';

const FACE: FacePlanStep = {
  step: 'face',
  when: 'always',
  report: 'threshold',
  ageThreshold: 18,
  challenges: ['blink', 'look_up', 'turn_left'],
  challengeMs: 15_000,
};
const DRAW: LightDraw = { colours: ['red', 'blue', 'yellow', 'cyan', 'red', 'green'], again: [], colourMs: 450 };
/** With every option of a face step, and light for every attempt of a test. */
const LIT_FACE: FacePlanStep = {
  ...FACE,
  light: { attempts: Array.from({ length: 40 }, () => DRAW), required: false },
  cameraRequest: { after: 1 },
};
const DOCUMENT: DocumentPlanStep = {
  step: 'identity_document',
  when: 'always',
  report: 'threshold',
  ageThreshold: 18,
  fromFile: false,
};
const STEP_UP: DocumentPlanStep = { ...DOCUMENT, when: 'face_below_threshold' };
const PLANS: readonly PlanStep[][] = [
  [FACE],
  [DOCUMENT],
  [FACE, DOCUMENT],
  [DOCUMENT, FACE],
  [FACE, STEP_UP],
  [LIT_FACE],
  [DOCUMENT, LIT_FACE],
  [LIT_FACE, STEP_UP],
];
const checkPrefix = (steps: PlanStep[], log: readonly LogEntry[]) => checkPrefixOf({ steps }, log);
const checkWhole = (steps: PlanStep[], log: readonly LogEntry[], due: Parameters<typeof checkWholeOf>[2]) =>
  checkWholeOf({ steps }, log, due);
const EVENTS = ['started', 'shown', 'done', 'asked', 'answered', 'lit', 'stopped', 'retried', 'finished'] as const;

/** Renumbers the colors of every attempt as drawn. */
function inOwnColors(log: readonly LogEntry[]): LogEntry[] {
  let [attempt, isFresh] = [-1, true];
  return log.map(([event, index, at]) => {
    if (event === 'started' || event === 'retried') isFresh = true;
    if (event !== 'lit') return [event, index, at];
    if (isFresh) [attempt, isFresh] = [attempt + 1, false];
    return [event, attempt * DRAW.colours.length + index, at];
  });
}

/** Creates a legal log of the due steps, with attempts broken off at the given lengths. */
function legalLog(steps: readonly PlanStep[], due: readonly number[], brokenOff: readonly number[] = []): LogEntry[] {
  const log: LogEntry[] = [];
  const add = (event: LogEntry[0], index: number) => log.push([event, index, log.length * 500]);
  for (const position of due) {
    const step = steps[position]!;
    const course = step.step === 'face' ? faceCourse(step) : [];
    add('started', position);
    for (const length of brokenOff) {
      for (const [event, index] of course.slice(0, length)) add(event, index);
      add('retried', position);
    }
    for (const [event, index] of course) add(event, index);
    add('finished', position);
  }
  return inOwnColors(log);
}

function faceCourse({ challenges, light, cameraRequest }: FacePlanStep): [LogEntry[0], number][] {
  return [
    ...[...challenges.keys()].flatMap((index): [LogEntry[0], number][] => [
      ['shown', index],
      ['done', index],
      ...(cameraRequest?.after === index ? ([['asked', index]] as [LogEntry[0], number][]) : []),
    ]),
    ...[...(light?.attempts[0]?.colours.keys() ?? [])].map((index): [LogEntry[0], number] => ['lit', index]),
  ];
}

const planAndDue = fc.constantFrom(...PLANS.map((steps) => ({ steps, due: [...steps.keys()] })), {
  steps: [FACE, STEP_UP],
  due: [0],
});
const attempts = fc.array(fc.nat(13), { maxLength: 3 });

/** Creates a legal log that sometimes goes back: a number over 6 restarts a begun step. */
function wanderingLog(steps: readonly PlanStep[], due: readonly number[], turns: readonly number[]): LogEntry[] {
  const course = legalLog(steps, due);
  const log: LogEntry[] = [];
  let at = 0;
  let next = 0;
  const add = ([event, index]: LogEntry | [LogEntry[0], number]) => {
    at += 1_000 + log.length;
    log.push([event, index, at]);
  };
  const begun = () => course.slice(0, next).flatMap(([event, index]) => (event === 'started' ? [index] : []));
  const goBack = (step: number) => {
    add(['retried', step]);
    next = course.findIndex(([event, index]) => event === 'started' && index === step) + 1;
  };
  for (const turn of turns) {
    if (turn > 6 && begun().length > 0) goBack(begun()[turn % begun().length]!);
    else if (next < course.length) add(course[next++]!);
  }
  for (const entry of course.slice(next)) add(entry);
  return inOwnColors(log);
}
const turns = fc.array(fc.nat(9), { maxLength: 30 });
/** Normalizes colors to their position within the attempt. */
const nameEntry = ([what, index]: LogEntry) => `${what} ${what === 'lit' ? index % LIGHT_LENGTH : index}`;

describe('a legal log', () => {
  it('fits as a whole and at every length, with any number of restarts', () => {
    fc.assert(
      fc.property(planAndDue, attempts, ({ steps, due }, brokenOff) => {
        const log = legalLog(steps, due, brokenOff);
        expect(checkWhole(steps, log, { stepsDue: due, cutShort: false })).toBe(undefined);
        for (let length = 0; length <= log.length; length += 1) {
          expect(checkPrefix(steps, log.slice(0, length))).toBe(undefined);
        }
      }),
    );
  });

  it('does not fit as a whole when an entry is missing, doubled or swapped with another', () => {
    fc.assert(
      fc.property(planAndDue, fc.nat(), fc.nat(), fc.constantFrom('drop', 'double', 'swap'), (plan, a, b, how) => {
        const { steps, due } = plan;
        const log = legalLog(steps, due);
        const [at, swapAt] = [a % log.length, b % log.length];
        const changed = [...log];
        if (how === 'drop') changed.splice(at, 1);
        else if (how === 'double') changed.splice(at, 0, log[at]!);
        else [changed[at], changed[swapAt]] = [log[swapAt]!, log[at]!];
        fc.pre(how !== 'swap' || at !== swapAt);
        expect(checkWhole(steps, changed, { stepsDue: due, cutShort: false })).not.toBe(undefined);
      }),
    );
  });

  it('may be cut short only if the answer says why', () => {
    const log = legalLog([FACE], [0]);
    for (let length = 1; length < log.length; length += 1) {
      const short = log.slice(0, length);
      expect(checkWhole([FACE], short, { stepsDue: [0], cutShort: true })).toBe(undefined);
      expect(checkWhole([FACE], short, { stepsDue: [0], cutShort: false })).toEqual({ step: 0 });
    }
  });
});

describe('a log that goes back to an earlier step', () => {
  it('fits as a whole and at every length, wherever it went back from', () => {
    fc.assert(
      fc.property(planAndDue, turns, ({ steps, due }, wandered) => {
        const log = wanderingLog(steps, due, wandered);
        expect(checkWhole(steps, log, { stepsDue: due, cutShort: false })).toBe(undefined);
        for (let length = 0; length <= log.length; length += 1) {
          expect(checkPrefix(steps, log.slice(0, length))).toBe(undefined);
        }
      }),
    );
  });

  it('counts only steps that were completed from their start after the last return', () => {
    let accepted = 0;
    const change = fc.record({ how: fc.constantFrom('none', 'drop', 'double', 'swap', 'rename'), at: fc.nat() });
    fc.assert(
      fc.property(planAndDue, turns, change, ({ steps, due }, wandered, { how, at: anywhere }) => {
        const log = wanderingLog(steps, due, wandered);
        const at = anywhere % (log.length - 1);
        const [event, index, time] = log[at]!;
        if (how === 'drop') log.splice(at, 1);
        else if (how === 'double') log.splice(at, 0, log[at]!);
        else if (how === 'swap') [log[at], log[at + 1]] = [log[at + 1]!, log[at]!];
        else if (how === 'rename') log[at] = [event, 1 - Math.min(index, 1), time];
        if (checkWhole(steps, log, { stepsDue: due, cutShort: false })) return;
        accepted += 1;
        for (const position of due) {
          const lastBack = log.findLastIndex(([what, step]) => what === 'retried' && step <= position);
          const after = log.slice(lastBack + 1).map(nameEntry);
          const again = lastBack < 0 || log[lastBack]![1] < position;
          const own = legalLog(steps, [position]).map(nameEntry);
          const wanted = again ? own : own.slice(1);
          const from = after.indexOf(wanted[0]!);
          expect(after.slice(from, from + wanted.length)).toEqual(wanted);
          expect(from).toBeGreaterThanOrEqual(0);
        }
      }),
      { numRuns: 500 },
    );
    expect(accepted).toBeGreaterThan(50);
  });

  it('is measured by its repeated challenges, with each step once and all returns', () => {
    fc.assert(
      fc.property(planAndDue, turns, ({ steps, due }, wandered) => {
        const log = wanderingLog(steps, due, wandered);
        const challenges = due.some((position) => steps[position]!.step === 'face') ? 3 : 0;
        const done = [...log.keys()].filter((at) => log[at]![0] === 'done');
        const repeated = done.slice(done.length - challenges);
        expect(measureLog(log)).toMatchObject({
          challengeMs: repeated.map((at) => log[at]![2] - log[at - 1]![2]),
          retries: log.filter(([event]) => event === 'retried').length,
          steps: due.length,
          orderBreaks: 0,
        });
      }),
    );
  });

  it('reports the restarted step to followers, with nothing done yet', () => {
    const log = legalLog([FACE, DOCUMENT], [0, 1]);
    expect(readProgress(log)).toEqual({ step: 1, challengesDone: 0 });
    expect(readProgress([...log, ['retried', 0, 9_000]])).toEqual({ step: 0, challengesDone: 0 });
    const again: LogEntry[] = [...log, ['retried', 0, 9_000], ['shown', 0, 9_500], ['done', 0, 9_900]];
    expect(readProgress(again)).toEqual({ step: 0, challengesDone: 1 });
  });

  it('does not go back to a step that has not begun or was undone', () => {
    const face = legalLog([FACE, DOCUMENT], [0]);
    expect(checkPrefix([FACE, DOCUMENT], [['retried', 0, 0]])).toEqual({ step: 0 });
    expect(checkPrefix([FACE, DOCUMENT], [...face, ['retried', 1, 9_000]])).toEqual({ step: 0 });
    const undone: LogEntry[] = [...face, ['started', 1, 9_000], ['retried', 0, 9_500], ['retried', 1, 9_600]];
    expect(checkPrefix([FACE, DOCUMENT], undone)).toEqual({ step: 0 });
  });
});

describe('a begun conditional step', () => {
  const steps = [FACE, STEP_UP];
  const [both, face] = [legalLog(steps, [0, 1]), legalLog(steps, [0])];
  const again: LogEntry[] = [['retried', 0, 20_000], ...face.slice(1)];

  it.each([
    ['begun', both.slice(0, -1)],
    ['finished', both],
  ])('stays due when it was %s and an earlier step restarts', (_, course) => {
    const undone = [...course, ...again];
    expect(checkPrefix(steps, undone)).toBe(undefined);
    expect(checkWhole(steps, undone, { stepsDue: [0], cutShort: false })).toEqual({ step: 1 });
    const completeLog: LogEntry[] = [...undone, ['started', 1, 30_000], ['finished', 1, 31_000]];
    expect(checkWhole(steps, completeLog, { stepsDue: [0, 1], cutShort: false })).toBe(undefined);
    expect(checkWhole(steps, completeLog, { stepsDue: [0], cutShort: false })).toEqual({ step: 1 });
  });

  it('is ignored once the face is a spoof', () => {
    const undone = [...both, ...again.slice(0, 3)];
    expect(checkWhole(steps, undone, { stepsDue: [0], cutShort: true })).toBe(undefined);
  });

  it('is listed once from the log, undone or not', () => {
    expect(listBegunSteps([...both, ...again])).toEqual([0, 1]);
    expect(listBegunSteps(face)).toEqual([0]);
    expect(listBegunSteps([])).toEqual([]);
  });
});

describe('a log that is cut short', () => {
  it('ends in the last due step, which must have begun', () => {
    const steps = [DOCUMENT, FACE];
    const log = legalLog(steps, [0, 1]);
    const due = { stepsDue: [0, 1], cutShort: true };
    expect(checkWhole(steps, log.slice(0, 1), due)).toEqual({ step: 1 });
    expect(checkWhole(steps, log.slice(0, 2), due)).toEqual({ step: 1 });
    expect(checkWhole(steps, log.slice(0, 3), due)).toBe(undefined);
    expect(checkWhole([FACE], [], { stepsDue: [0], cutShort: true })).toEqual({ step: 0 });
  });
});

describe('the steps of a plan', () => {
  it('include only due steps', () => {
    const both = legalLog([FACE, STEP_UP], [0, 1]);
    const face = legalLog([FACE, STEP_UP], [0]);
    expect(checkWhole([FACE, STEP_UP], both, { stepsDue: [0], cutShort: false })).toEqual({ step: 1 });
    expect(checkWhole([FACE, STEP_UP], face, { stepsDue: [0, 1], cutShort: false })).toEqual({ step: 1 });
  });

  it('cannot be skipped unless they are conditional', () => {
    expect(checkPrefix([FACE, DOCUMENT], legalLog([FACE, DOCUMENT], [1]))).toEqual({ step: 1 });
    expect(checkPrefix([STEP_UP, FACE], legalLog([STEP_UP, FACE], [1]))).toBe(undefined);
  });

  it('begin only once, within the plan, and not while another step runs', () => {
    const [started] = legalLog([FACE], [0]);
    expect(checkPrefix([FACE, DOCUMENT], [started!, ['started', 1, 900]])).toEqual({ step: 0 });
    expect(checkPrefix([FACE], [...legalLog([FACE], [0]), ['started', 0, 9_000]])).toEqual({ step: 0 });
    expect(checkPrefix([FACE], [['started', 1, 0]])).toEqual({ step: 0 });
  });

  it('have challenges only in a face step', () => {
    expect(
      checkPrefix(
        [DOCUMENT],
        [
          ['started', 0, 0],
          ['shown', 0, 100],
        ],
      ),
    ).toEqual({ step: 0 });
  });
});

describe('the window of a challenge', () => {
  const shown: LogEntry[] = [
    ['started', 0, 0],
    ['shown', 0, 100],
  ];

  it('is exactly as long as its milliseconds', () => {
    expect(checkPrefix([FACE], [...shown, ['done', 0, 15_100]])).toBe(undefined);
    expect(checkPrefix([FACE], [...shown, ['done', 0, 15_101]])).toEqual({ step: 0 });
  });

  it('restarts with the step', () => {
    const again: LogEntry[] = [...shown, ['retried', 0, 40_000], ['shown', 0, 40_100], ['done', 0, 41_000]];
    expect(checkPrefix([FACE], again)).toBe(undefined);
  });
});

describe('arbitrary entries', () => {
  const entry = fc.tuple(fc.constantFrom(...EVENTS), fc.nat(4), fc.nat(100_000));

  it('are judged without an error, and a misfit names a step of the plan', () => {
    fc.assert(
      fc.property(fc.constantFrom(...PLANS), fc.array(entry, { maxLength: 20 }), (steps, log) => {
        const misfit = checkPrefix(steps, log);
        if (misfit) expect(steps[misfit.step]).toBeDefined();
        measureLog(log);
        readProgress(log);
      }),
    );
  });

  it('are a log only in a valid form', () => {
    expect(readLog([['started', 0, 0]])).toEqual([['started', 0, 0]]);
    for (const wrong of [{}, 'log', [[]], [['started', 0]], [['started', 0.5, 0]], [['started', 0, -1]], [[1, 0, 0]]]) {
      expect(readLog(wrong)).toBe(undefined);
    }
    expect(readLog(Array.from({ length: 161 }, () => ['started', 0, 0]))).toBe(undefined);
  });
});

describe('progress of a log', () => {
  it('counts the times of the last attempt only', () => {
    const log: LogEntry[] = [
      ['started', 0, 0],
      ['shown', 0, 100],
      ['done', 0, 300],
      ['retried', 0, 400],
      ['shown', 0, 500],
      ['done', 0, 1_500],
      ['shown', 1, 1_400],
    ];
    expect(measureLog(log)).toEqual({
      challengeMs: [1_000],
      rhythm: [100, 1_000, -100],
      lightMs: null,
      light: { colours: 0, isStopped: false },
      orderBreaks: 1,
      retries: 1,
      steps: 1,
      carried: 0,
      lastAt: 1_500,
    });
    expect(readProgress(log)).toEqual({ step: 0, challengesDone: 1 });
  });

  it('is undefined before the first step', () => {
    const noLight = { lightMs: null, light: { colours: 0, isStopped: false } };
    const nothing = {
      challengeMs: [],
      rhythm: [],
      ...noLight,
      orderBreaks: 0,
      retries: 0,
      steps: 0,
      carried: 0,
      lastAt: 0,
    };
    expect(measureLog([])).toEqual(nothing);
    expect(readProgress([])).toBe(undefined);
  });

  it('detects whether a log continues another', () => {
    const log = legalLog([FACE], [0]);
    expect(beginsWith(log, log.slice(0, 4))).toBe(true);
    expect(beginsWith(log.slice(0, 4), log)).toBe(false);
    expect(beginsWith(log, [['started', 0, 1]])).toBe(false);
  });
});
