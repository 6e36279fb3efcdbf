import { LIGHT_LEAST_PERCENT, type LightPlan } from '@limen/plan';
import { describe, expect, test } from 'vitest';
import { createFakePlatform } from '../../../testing/fakes/fake-platform.ts';
import type { CaptureScreen } from '../../course/screens.ts';
import { type ShownColour, toCss } from '../../face/light/colours.ts';
import { createColourChoice } from '../../flow/colour-choice.ts';
import { createLightRun } from './light-run.ts';

const LIGHT: LightPlan = {
  colours: ['red', 'green', 'blue', 'yellow', 'cyan', 'magenta'],
  colourMs: 450,
  required: false,
};

const SCREEN: CaptureScreen = { name: 'capture', prompt: 'guide.lookAhead', tone: 'do', progress: null, paused: false };

/** With a clock that goes only when it is told to. */
function start({ isLeftOut = false } = {}) {
  const platform = createFakePlatform();
  const choice = createColourChoice(isLeftOut);
  const log: [position: number, at: number][] = [];
  const colours: (string | null)[] = [];
  const judged: ShownColour[][] = [];
  const { now, after, pass } = platform;
  const run = createLightRun({
    light: LIGHT,
    colours: choice,
    record: (_, position) => void log.push([position, now()]),
    show: (screen) => void colours.push(screen.name === 'capture' ? (screen.light ?? null) : null),
    judge: async (shown) => {
      judged.push([...shown]);
      return { finding: 'lit', because: '', figures: null };
    },
    now,
    after,
  });
  run.tint(SCREEN);
  return { run, pass, log, colours, judged, platform, choice };
}

describe('the colours', () => {
  test('come in the order that was drawn, each for its time, and the screen is itself again', async () => {
    const { run, pass, log, colours, judged } = start();
    run.begin();
    expect([run.hasBegun, run.isOver, run.colour]).toEqual([true, false, 'red']);
    pass(10_000);
    expect(colours).toEqual([...LIGHT.colours.map(toCss), null]);
    expect(log.map(([position]) => position)).toEqual([0, 1, 2, 3, 4, 5]);
    for (let i = 1; i < log.length; i += 1) expect(log[i]![1] - log[i - 1]![1]).toBe(LIGHT.colourMs);
    expect(run.isOver).toBe(true);
    expect(await run.finding()).toBe('lit');
    expect(judged).toEqual([log.map(([position, at]) => ({ colour: LIGHT.colours[position], at }))]);
  });

  test('are over only when the last one was shown as long as the service wants it', () => {
    const { run, pass, log } = start();
    run.begin();
    let lastMs = 0;
    while (!run.isOver) {
      pass(10);
      if (log.length === LIGHT.colours.length) lastMs += 10;
    }
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
