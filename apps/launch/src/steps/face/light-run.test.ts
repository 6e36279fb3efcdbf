import { LIGHT_LEAST_PERCENT, type LightPlan } from '@limen/plan';
import { describe, expect, test } from 'vitest';
import { createFakePlatform } from '../../../testing/fakes/fake-platform.ts';
import type { CaptureScreen } from '../../course/screens.ts';
import { type ShownColour, toCss } from '../../face/light/colours.ts';
import type { LightJudgement } from '../../face/light/judge-light.ts';
import { createColourChoice } from '../../flow/colour-choice.ts';
import { createLightRun } from './light-run.ts';

const LIGHT: LightPlan = {
  colours: ['red', 'green', 'blue', 'yellow', 'cyan', 'magenta'],
  colourMs: 450,
  required: false,
};

const SCREEN: CaptureScreen = { name: 'capture', prompt: 'guide.lookAhead', tone: 'do', progress: null, paused: false };

/** With a clock that goes only when it is told to. */
interface Given {
  isLeftOut?: boolean;
  light?: LightPlan;
  /** Of the rounds, in order; what comes after them is lit. */
  findings?: readonly LightJudgement[];
}

function start({ isLeftOut = false, light = LIGHT, findings = [] }: Given = {}) {
  const platform = createFakePlatform();
  const choice = createColourChoice(isLeftOut);
  const log: [position: number, at: number][] = [];
  const colours: (string | null)[] = [];
  const judged: ShownColour[][] = [];
  const { now, after, pass } = platform;
  const run = createLightRun({
    light,
    colours: choice,
    record: (_, position) => void log.push([position, now()]),
    show: (screen) => void colours.push(screen.name === 'capture' ? (screen.light ?? null) : null),
    judge: async (shown) => {
      judged.push([...shown]);
      return findings[judged.length - 1] ?? { finding: 'lit', because: '', figures: null };
    },
    now,
    after,
  });
  run.tint(SCREEN);
  /** Gives judgements the turns that they take. */
  const passAll = async (ms = 20_000) => {
    for (let passed = 0; passed < ms; passed += 10) {
      pass(10);
      await Promise.resolve();
      await Promise.resolve();
      await Promise.resolve();
    }
  };
  return { run, pass, passAll, log, colours, judged, platform, choice };
}

describe('a second round', () => {
  const AGAIN: LightPlan = { ...LIGHT, again: ['blue', 'red', 'green', 'cyan', 'red', 'blue'] };
  const UNTOLD = { finding: 'inconclusive', because: '', figures: {} } as unknown as LightJudgement;

  test('is shown where the first did not tell, and both are judged together', async () => {
    const { run, passAll, log, judged } = start({ light: AGAIN, findings: [UNTOLD] });
    run.begin();
    await passAll();
    expect(log.map(([position]) => position)).toEqual(Array.from({ length: 12 }, (_, position) => position));
    for (let i = 1; i < log.length; i += 1) expect(log[i]![1] - log[i - 1]![1]).toBeGreaterThanOrEqual(AGAIN.colourMs);
    expect(judged.map((shown) => shown.length)).toEqual([6, 12]);
    expect([run.isOver, run.colour, await run.finding()]).toEqual([true, null, 'lit']);
  });

  test.each([
    ['the first told', []],
    ['the face was hardly seen', [{ ...UNTOLD, figures: null }]],
  ])('is left out where %s', async (_, findings) => {
    const { run, passAll, log } = start({ light: AGAIN, findings });
    run.begin();
    await passAll();
    expect([log.length, run.isOver]).toEqual([6, true]);
  });

  test('can be stopped too', async () => {
    const { run, passAll, pass, choice, log } = start({ light: AGAIN, findings: [UNTOLD] });
    run.begin();
    await passAll(4_000);
    expect(log.length).toBeGreaterThan(6);
    choice.leaveOut(true);
    pass(10_000);
    expect([run.isOver, run.isCutShort, run.colour, await run.finding()]).toEqual([true, true, null, 'declined']);
  });

  test('is not begun by the judgement of an attempt that was given up', async () => {
    const { run, passAll, pass, log } = start({ light: AGAIN, findings: [UNTOLD] });
    run.begin();
    pass(6 * LIGHT.colourMs + 2 * LIGHT.colourMs);
    run.clear();
    await passAll();
    expect([log.length, run.hasBegun]).toEqual([6, false]);
  });
});

describe('the colours', () => {
  test('come in the order that was drawn, each for its time, and the screen is itself again', async () => {
    const { run, passAll, log, colours, judged } = start();
    run.begin();
    expect([run.hasBegun, run.isOver, run.colour]).toEqual([true, false, 'red']);
    await passAll();
    expect(colours).toEqual([...LIGHT.colours.map(toCss), null]);
    expect(log.map(([position]) => position)).toEqual([0, 1, 2, 3, 4, 5]);
    for (let i = 1; i < log.length; i += 1) expect(log[i]![1] - log[i - 1]![1]).toBe(LIGHT.colourMs);
    expect(run.isOver).toBe(true);
    expect(await run.finding()).toBe('lit');
    expect(judged).toEqual([log.map(([position, at]) => ({ colour: LIGHT.colours[position], at }))]);
  });

  test('are over only when the last one was shown as long as the service wants it', async () => {
    const { run, passAll, log } = start();
    run.begin();
    let lastMs = 0;
    for (let passed = 0; !run.isOver && passed < 20_000; passed += 10) {
      await passAll(10);
      if (log.length === LIGHT.colours.length) lastMs += 10;
    }
    expect(run.isOver).toBe(true);
    expect(lastMs).toBeGreaterThan((LIGHT.colourMs * LIGHT_LEAST_PERCENT) / 100);
  });

  test('begin again from the first one after an interruption', () => {
    const { run, pass, log, platform } = start();
    run.begin();
    pass(1_000);
    run.clear();
    expect([run.colour, run.hasBegun, platform.timers]).toEqual([null, false, 0]);
    log.length = 0;
    run.begin();
    pass(10_000);
    expect(log.map(([position]) => position)).toEqual([0, 1, 2, 3, 4, 5]);
  });
});

describe('who wants none', () => {
  test('sees none', async () => {
    const { run, pass, log, colours } = start({ isLeftOut: true });
    run.begin();
    pass(10_000);
    expect([run.isOver, colours, log]).toEqual([true, [], []]);
    expect(await run.finding()).toBe('declined');
  });

  test('sees no more from then on, and nothing is judged', async () => {
    const { run, pass, log, colours, judged, choice } = start();
    run.begin();
    pass(1_000);
    choice.leaveOut(true);
    pass(10_000);
    expect([run.isOver, run.colour, colours.at(-1)]).toEqual([true, null, null]);
    expect(log).toHaveLength(2);
    expect([await run.finding(), judged]).toEqual(['declined', []]);
  });
});
