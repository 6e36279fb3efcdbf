import type { LightJudgment } from '@limen/light';
import { type ShownColor, toCss } from '@limen/light';
import { LIGHT_LEAST_PERCENT, type LightDraw, type LightPlan } from '@limen/plan';
import { describe, expect, test } from 'vitest';
import { createFakePlatform } from '../../../testing/fakes/fake-platform.ts';
import type { CaptureScreen } from '../../course/screens.ts';
import { createColorChoice } from '../../flow/colour-choice.ts';
import { LightRun } from './light-run.ts';

const LIGHT: LightDraw = {
  colours: ['red', 'green', 'blue', 'yellow', 'cyan', 'magenta'],
  again: [],
  colourMs: 450,
};
const SECOND: LightDraw = { ...LIGHT, colours: ['blue', 'cyan', 'red', 'green', 'yellow', 'red'] };
const plan = (...attempts: LightDraw[]): LightPlan => ({ attempts, required: false });

const SCREEN: CaptureScreen = { name: 'capture', prompt: 'guide.lookAhead', tone: 'do', progress: null, paused: false };

interface RunOptions {
  isLeftOut?: boolean;
  light?: LightPlan;
  attemptsLit?: number;
  wasStopped?: boolean;
  /** Findings of the rounds, in order; later rounds are lit. */
  findings?: readonly LightJudgment[];
}

function start({
  isLeftOut = false,
  light = plan(LIGHT),
  attemptsLit = 0,
  wasStopped = false,
  findings = [],
}: RunOptions = {}) {
  const platform = createFakePlatform();
  const choice = createColorChoice(isLeftOut);
  const log: [position: number, at: number][] = [];
  const stops: number[] = [];
  const colors: (string | null)[] = [];
  const prompts: string[] = [];
  const judged: ShownColor[][] = [];
  const { now, after, pass } = platform;
  const run = new LightRun({
    plan: light,
    known: { colours: choice, attemptsLit, wasStopped },
    record: (event, position) => void (event === 'lit' ? log.push([position, now()]) : stops.push(position)),
    show(screen) {
      if (screen.name !== 'capture') return;
      colors.push(screen.light ?? null);
      prompts.push(screen.prompt);
    },
    judge: async (shown) => {
      judged.push([...shown]);
      return findings[judged.length - 1] ?? { finding: 'lit', because: '', figures: null };
    },
    clock: { now, after },
  });
  run.tint(SCREEN);
  /** Advances the clock and lets judgments settle. */
  const passAll = async (ms = 20_000) => {
    for (let passed = 0; passed < ms; passed += 10) {
      pass(10);
      await Promise.resolve();
      await Promise.resolve();
      await Promise.resolve();
    }
  };
  return { run, pass, passAll, log, stops, colours: colors, prompts, judged, platform, choice };
}

test('shows no colors after a reload if the person stopped them', async () => {
  const {
    run,
    passAll,
    colours: colors,
    log,
  } = start({ attemptsLit: 1, wasStopped: true, light: plan(LIGHT, SECOND) });
  run.begin();
  await passAll(5_000);
  expect([colors, log, run.isOver, await run.finding()]).toEqual([[], [], true, 'declined']);
});

describe('a second round', () => {
  const AGAIN: LightDraw = { ...LIGHT, again: ['blue', 'red', 'green', 'cyan', 'red', 'blue'] };
  const UNTOLD = { finding: 'inconclusive', because: '', figures: {} } as unknown as LightJudgment;

  test('follows an unclear first round, and both are judged together', async () => {
    const { run, passAll, log, judged } = start({ light: plan(AGAIN), findings: [UNTOLD] });
    run.begin();
    await passAll();
    expect(log.map(([position]) => position)).toEqual(Array.from({ length: 12 }, (_, position) => position));
    for (let i = 1; i < log.length; i += 1) expect(log[i]![1] - log[i - 1]![1]).toBeGreaterThanOrEqual(AGAIN.colourMs);
    expect(judged.map((shown) => shown.length)).toEqual([6, 12]);
    expect([run.isOver, run.colour, await run.finding()]).toEqual([true, null, 'lit']);
  });

  test('asks the person to turn away from bright light first, and allows time for it', async () => {
    const outshone = { ...UNTOLD, finding: 'not_lit', because: 'the light of the screen is not on the face' } as const;
    const { run, passAll, log, prompts } = start({ light: plan(AGAIN), findings: [outshone] });
    run.begin();
    await passAll();
    expect([...new Set(prompts)]).toEqual(['guide.colours', 'guide.tooBright', 'guide.lookAhead']);
    expect([log.length, await run.finding()]).toEqual([12, 'lit']);
    expect(log[6]![1] - log[5]![1]).toBeGreaterThan(AGAIN.colourMs + 1_500);
  });

  test('does not ask the person to turn away if the result is only unclear', async () => {
    const { run, passAll, prompts } = start({ light: plan(AGAIN), findings: [UNTOLD] });
    run.begin();
    await passAll();
    expect(prompts).not.toContain('guide.tooBright');
  });

  test.each([
    ['the first was clear', []],
    ['the face was hardly visible', [{ ...UNTOLD, figures: null }]],
  ])('is left out if %s', async (_, findings) => {
    const { run, passAll, log } = start({ light: plan(AGAIN), findings });
    run.begin();
    await passAll();
    expect([log.length, run.isOver]).toEqual([6, true]);
  });

  test('is judged as usual if stopped after all of it was shown', async () => {
    const { run, passAll, pass, choice, log, stops, judged } = start({
      light: plan(AGAIN),
      findings: [UNTOLD, { ...UNTOLD, finding: 'not_lit' }],
    });
    run.begin();
    while (log.length < 12) await passAll(10);
    pass(100);
    choice.leaveOut(true);
    expect([run.colour, stops, run.isOver]).toEqual([null, [], true]);
    expect([await run.finding(), judged.length]).toEqual(['not_lit', 2]);
  });

  test('can be stopped too', async () => {
    const { run, passAll, pass, choice, log, stops } = start({ light: plan(AGAIN), findings: [UNTOLD] });
    run.begin();
    await passAll(4_000);
    expect(log.length).toBeGreaterThan(6);
    choice.leaveOut(true);
    pass(10_000);
    expect([run.isOver, run.colour, await run.finding()]).toEqual([true, null, 'declined']);
    expect(stops).toEqual([log.length - 1]);
  });

  const UNLIT = { ...UNTOLD, finding: 'not_lit' } as LightJudgment;

  test.each([
    ['before its first color', 3_560, 6],
    ['in the middle of it', 4_500, 8],
  ])('keeps the first round’s unlit finding when stopped %s', async (_, stopAt, seen) => {
    const { run, passAll, pass, choice, log, stops } = start({ light: plan(AGAIN), findings: [UNLIT] });
    run.begin();
    await passAll(stopAt);
    expect(log.length).toBe(seen);
    choice.leaveOut(true);
    pass(10_000);
    expect([run.isOver, run.colour, await run.finding()]).toEqual([true, null, 'not_lit']);
    expect(stops).toEqual([seen - 1]);
    run.clear();
    run.begin();
    expect(await run.finding()).toBe('declined');
  });

  test.each([
    ['not lit, without another round', [UNLIT], 'not_lit', [5]],
    ['unknown, which becomes declined', [UNTOLD], 'declined', [5]],
    ['lit, because nothing was left to stop', [], 'lit', []],
  ])('does not start if the colors are stopped while the first is judged %s', async (_, findings, found, stopped) => {
    const { run, pass, passAll, choice, log, stops } = start({ light: plan(AGAIN), findings });
    run.begin();
    pass(7 * LIGHT.colourMs + 350);
    choice.leaveOut(true);
    expect([run.isOver, run.colour, stops]).toEqual([true, null, []]);
    expect(await run.finding()).toBe(found);
    await passAll();
    expect([log.length, stops]).toEqual([6, stopped]);
  });

  test('does not start after the judgment of an abandoned attempt', async () => {
    const { run, passAll, pass, log } = start({ light: plan(AGAIN), findings: [UNTOLD] });
    run.begin();
    pass(6 * LIGHT.colourMs + 2 * LIGHT.colourMs);
    run.clear();
    await passAll();
    expect([log.length, run.hasBegun]).toEqual([6, false]);
  });
});

describe('the colors', () => {
  test('follow the drawn order, each for its time, and then the screen is restored', async () => {
    const { run, passAll, log, colours: colors, judged } = start();
    run.begin();
    expect([run.hasBegun, run.isOver, run.colour]).toEqual([true, false, 'red']);
    await passAll();
    expect(colors).toEqual([...LIGHT.colours.map(toCss), null]);
    expect(log.map(([position]) => position)).toEqual([0, 1, 2, 3, 4, 5]);
    for (let i = 1; i < log.length; i += 1) expect(log[i]![1] - log[i - 1]![1]).toBe(LIGHT.colourMs);
    expect(run.isOver).toBe(true);
    expect(await run.finding()).toBe('lit');
    expect(judged).toEqual([log.map(([position, at]) => ({ colour: LIGHT.colours[position], at }))]);
  });

  test('end only after the last one was shown as long as the service requires', async () => {
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

  test('change after an interruption, because known colors could be prepared for', () => {
    const { run, pass, log, colours: colors, platform } = start({ light: plan(LIGHT, SECOND) });
    run.begin();
    pass(1_000);
    run.clear();
    expect([run.colour, run.hasBegun, platform.timers]).toEqual([null, false, 0]);
    log.length = 0;
    colors.length = 0;
    run.begin();
    pass(3_000);
    expect(log.map(([position]) => position)).toEqual([6, 7, 8, 9, 10, 11]);
    expect(colors).toEqual(SECOND.colours.map(toCss));
  });

  test('lapse if one stays too long, and the next attempt has others', async () => {
    const { run, pass, passAll, log, platform } = start({ light: plan(LIGHT, SECOND) });
    run.begin();
    pass(1_000);
    expect([log.length, run.isLapsed]).toEqual([2, false]);
    platform.sleep(15_000);
    pass(1_000);
    expect([log.length, run.isLapsed, run.isOver]).toEqual([2, true, false]);
    run.clear();
    expect(run.isLapsed).toBe(false);
    run.begin();
    await passAll();
    expect(log.slice(2).map(([position]) => position)).toEqual([6, 7, 8, 9, 10, 11]);
  });

  test('stay the same if none was shown before the interruption', () => {
    const { run, pass, log } = start({ light: plan(LIGHT, SECOND) });
    run.begin();
    pass(LIGHT.colourMs - 10);
    run.clear();
    run.begin();
    pass(3_000);
    expect(log[0]?.[0]).toBe(0);
  });

  test('continue after a reload with unseen ones', () => {
    const { run, pass, colours: colors } = start({ light: plan(LIGHT, SECOND), attemptsLit: 1 });
    run.begin();
    pass(3_000);
    expect(colors).toEqual(SECOND.colours.map(toCss));
  });

  test('are empty when those of all attempts were seen', async () => {
    const { run, pass, colours: colors } = start({ light: plan(LIGHT, SECOND), attemptsLit: 2 });
    run.begin();
    pass(3_000);
    expect([run.isOver, colors, await run.finding()]).toEqual([true, [], 'declined']);
  });
});

describe('a person who wants no colors', () => {
  test('sees none', async () => {
    const { run, pass, log, colours: colors } = start({ isLeftOut: true });
    run.begin();
    pass(10_000);
    expect([run.isOver, colors, log]).toEqual([true, [], []]);
    expect(await run.finding()).toBe('declined');
  });

  test('sees no more after stopping, and nothing is judged', async () => {
    const { run, pass, log, stops, colours: colors, judged, choice } = start();
    run.begin();
    pass(1_000);
    choice.leaveOut(true);
    choice.leaveOut(true);
    pass(10_000);
    expect([run.isOver, run.colour, colors.at(-1)]).toEqual([true, null, null]);
    expect([log.length, stops]).toEqual([2, [1]]);
    expect([await run.finding(), judged]).toEqual(['declined', []]);
  });

  test('has nothing to stop before the first color', async () => {
    const { run, pass, stops, choice } = start();
    run.begin();
    pass(100);
    choice.leaveOut(true);
    expect([run.isOver, run.colour, stops, await run.finding()]).toEqual([true, null, [], 'declined']);
  });

  test('does not change an earlier finding', async () => {
    const { run, passAll, stops, choice } = start();
    run.begin();
    await passAll();
    choice.leaveOut(true);
    expect([stops, await run.finding()]).toEqual([[], 'lit']);
  });
});
