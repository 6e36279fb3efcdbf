import type { LightJudgement } from '@limen/light';
import { type ShownColour, toCss } from '@limen/light';
import { LIGHT_LEAST_PERCENT, type LightDraw, type LightPlan } from '@limen/plan';
import { describe, expect, test } from 'vitest';
import { createFakePlatform } from '../../../testing/fakes/fake-platform.ts';
import type { CaptureScreen } from '../../course/screens.ts';
import { createColourChoice } from '../../flow/colour-choice.ts';
import { LightRun } from './light-run.ts';

const LIGHT: LightDraw = {
  colours: ['red', 'green', 'blue', 'yellow', 'cyan', 'magenta'],
  again: [],
  colourMs: 450,
};
const SECOND: LightDraw = { ...LIGHT, colours: ['blue', 'cyan', 'red', 'green', 'yellow', 'red'] };
const plan = (...attempts: LightDraw[]): LightPlan => ({ attempts, required: false });

const SCREEN: CaptureScreen = { name: 'capture', prompt: 'guide.lookAhead', tone: 'do', progress: null, paused: false };

/** With a clock that goes only when it is told to. */
interface Given {
  isLeftOut?: boolean;
  light?: LightPlan;
  attemptsLit?: number;
  wasStopped?: boolean;
  /** Of the rounds, in order; what comes after them is lit. */
  findings?: readonly LightJudgement[];
}

function start({
  isLeftOut = false,
  light = plan(LIGHT),
  attemptsLit = 0,
  wasStopped = false,
  findings = [],
}: Given = {}) {
  const platform = createFakePlatform();
  const choice = createColourChoice(isLeftOut);
  const log: [position: number, at: number][] = [];
  const stops: number[] = [];
  const colours: (string | null)[] = [];
  const prompts: string[] = [];
  const judged: ShownColour[][] = [];
  const { now, after, pass } = platform;
  const run = new LightRun({
    plan: light,
    known: { colours: choice, attemptsLit, wasStopped },
    record: (event, position) => void (event === 'lit' ? log.push([position, now()]) : stops.push(position)),
    show(screen) {
      if (screen.name !== 'capture') return;
      colours.push(screen.light ?? null);
      prompts.push(screen.prompt);
    },
    judge: async (shown) => {
      judged.push([...shown]);
      return findings[judged.length - 1] ?? { finding: 'lit', because: '', figures: null };
    },
    clock: { now, after },
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
  return { run, pass, passAll, log, stops, colours, prompts, judged, platform, choice };
}

test('whoever stopped the colours once is not shown them again by a page that was loaded anew', async () => {
  const { run, passAll, colours, log } = start({ attemptsLit: 1, wasStopped: true, light: plan(LIGHT, SECOND) });
  run.begin();
  await passAll(5_000);
  expect([colours, log, run.isOver, await run.finding()]).toEqual([[], [], true, 'declined']);
});

describe('a second round', () => {
  const AGAIN: LightDraw = { ...LIGHT, again: ['blue', 'red', 'green', 'cyan', 'red', 'blue'] };
  const UNTOLD = { finding: 'inconclusive', because: '', figures: {} } as unknown as LightJudgement;

  test('is shown where the first did not tell, and both are judged together', async () => {
    const { run, passAll, log, judged } = start({ light: plan(AGAIN), findings: [UNTOLD] });
    run.begin();
    await passAll();
    expect(log.map(([position]) => position)).toEqual(Array.from({ length: 12 }, (_, position) => position));
    for (let i = 1; i < log.length; i += 1) expect(log[i]![1] - log[i - 1]![1]).toBeGreaterThanOrEqual(AGAIN.colourMs);
    expect(judged.map((shown) => shown.length)).toEqual([6, 12]);
    expect([run.isOver, run.colour, await run.finding()]).toEqual([true, null, 'lit']);
  });

  test('asks whoever the room outshines to turn away first, and gives them the time for it', async () => {
    const outshone = { ...UNTOLD, finding: 'not_lit', because: 'the light of the screen is not on the face' } as const;
    const { run, passAll, log, prompts } = start({ light: plan(AGAIN), findings: [outshone] });
    run.begin();
    await passAll();
    expect([...new Set(prompts)]).toEqual(['guide.colours', 'guide.tooBright', 'guide.lookAhead']);
    expect([log.length, await run.finding()]).toEqual([12, 'lit']);
    expect(log[6]![1] - log[5]![1]).toBeGreaterThan(AGAIN.colourMs + 1_500);
  });

  test('asks nobody to turn away where it is only hard to tell', async () => {
    const { run, passAll, prompts } = start({ light: plan(AGAIN), findings: [UNTOLD] });
    run.begin();
    await passAll();
    expect(prompts).not.toContain('guide.tooBright');
  });

  test.each([
    ['the first told', []],
    ['the face was hardly seen', [{ ...UNTOLD, figures: null }]],
  ])('is left out where %s', async (_, findings) => {
    const { run, passAll, log } = start({ light: plan(AGAIN), findings });
    run.begin();
    await passAll();
    expect([log.length, run.isOver]).toEqual([6, true]);
  });

  test('cannot be taken back once all of it was shown: it is judged as if nobody had pressed anything', async () => {
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

  const UNLIT = { ...UNTOLD, finding: 'not_lit' } as LightJudgement;

  test.each([
    ['before its first colour', 3_560, 6],
    ['in the middle of it', 4_500, 8],
  ])('that is stopped %s takes nothing back: who was unlit in the first stays so', async (_, stopAt, seen) => {
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
    ['not lit: it stays so, and no other round comes', [UNLIT], 'not_lit', [5]],
    ['not known: that is declined', [UNTOLD], 'declined', [5]],
    ['lit: there was nothing left to stop', [], 'lit', []],
  ])(
    'is not begun where the colours are stopped while the first is judged, and it is %s',
    async (_, findings, found, stopped) => {
      const { run, pass, passAll, choice, log, stops } = start({ light: plan(AGAIN), findings });
      run.begin();
      pass(7 * LIGHT.colourMs + 350);
      choice.leaveOut(true);
      expect([run.isOver, run.colour, stops]).toEqual([true, null, []]);
      expect(await run.finding()).toBe(found);
      await passAll();
      expect([log.length, stops]).toEqual([6, stopped]);
    },
  );

  test('is not begun by the judgement of an attempt that was given up', async () => {
    const { run, passAll, pass, log } = start({ light: plan(AGAIN), findings: [UNTOLD] });
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

  test('are others after an interruption: those that were seen could be prepared for', () => {
    const { run, pass, log, colours, platform } = start({ light: plan(LIGHT, SECOND) });
    run.begin();
    pass(1_000);
    run.clear();
    expect([run.colour, run.hasBegun, platform.timers]).toEqual([null, false, 0]);
    log.length = 0;
    colours.length = 0;
    run.begin();
    pass(3_000);
    expect(log.map(([position]) => position)).toEqual([6, 7, 8, 9, 10, 11]);
    expect(colours).toEqual(SECOND.colours.map(toCss));
  });

  test('lapse where one stays too long, as when the device sleeps: no more is told of, and the next attempt has others', async () => {
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

  test('are the same where none of them was shown before the interruption', () => {
    const { run, pass, log } = start({ light: plan(LIGHT, SECOND) });
    run.begin();
    pass(LIGHT.colourMs - 10);
    run.clear();
    run.begin();
    pass(3_000);
    expect(log[0]?.[0]).toBe(0);
  });

  test('go on behind those that were seen before the page was loaded again', () => {
    const { run, pass, colours } = start({ light: plan(LIGHT, SECOND), attemptsLit: 1 });
    run.begin();
    pass(3_000);
    expect(colours).toEqual(SECOND.colours.map(toCss));
  });

  test('are none when those of all attempts were seen', async () => {
    const { run, pass, colours } = start({ light: plan(LIGHT, SECOND), attemptsLit: 2 });
    run.begin();
    pass(3_000);
    expect([run.isOver, colours, await run.finding()]).toEqual([true, [], 'declined']);
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
    const { run, pass, log, stops, colours, judged, choice } = start();
    run.begin();
    pass(1_000);
    choice.leaveOut(true);
    choice.leaveOut(true);
    pass(10_000);
    expect([run.isOver, run.colour, colours.at(-1)]).toEqual([true, null, null]);
    expect([log.length, stops]).toEqual([2, [1]]);
    expect([await run.finding(), judged]).toEqual(['declined', []]);
  });

  test('has nothing to stop before the first colour is there', async () => {
    const { run, pass, stops, choice } = start();
    run.begin();
    pass(100);
    choice.leaveOut(true);
    expect([run.isOver, run.colour, stops, await run.finding()]).toEqual([true, null, [], 'declined']);
  });

  test('changes nothing of what was found before', async () => {
    const { run, passAll, stops, choice } = start();
    run.begin();
    await passAll();
    choice.leaveOut(true);
    expect([stops, await run.finding()]).toEqual([[], 'lit']);
  });
});
