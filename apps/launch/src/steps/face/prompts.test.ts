import { describe, expect, test } from 'vitest';
import { FACE_STEP } from '../../../testing/fakes/fake-flow.ts';
import { createReport, FRAME_SIZE, type Look } from '../../../testing/fakes/fake-reports.ts';
import type { ChallengePhase } from '../../face/index.ts';
import { createPrompter } from './prompts.ts';

const GONE: Look = { people: 0 };

function start() {
  const prompter = createPrompter(FACE_STEP);
  const show = (phase: ChallengePhase, index: number, look: Look = {}, time = 10_000) =>
    prompter.screen({ phase, index }, createReport(look), FRAME_SIZE, time);
  const say = (...args: Parameters<typeof show>) => {
    const { prompt, tone } = show(...args);
    return [prompt, tone];
  };
  return { prompter, show, say };
}

describe('at rest', () => {
  test('praises a good frame without progress', () => {
    const { show } = start();
    expect(show('resting', 0)).toEqual({
      name: 'capture',
      prompt: 'guide.holdStill',
      tone: 'good',
      progress: null,
      paused: false,
    });
  });

  test('corrects a bad frame', () => {
    expect(start().say('resting', 0, { problems: ['too_dark'] })).toEqual(['guide.tooDark', 'fix']);
  });

  test('asks about glasses for six seconds in total, then continues with them', () => {
    const { prompter, say } = start();
    // Two frames may be wrong.
    for (const time of [1_000, 1_100]) {
      expect(prompter.waitsForGlasses(createReport({ glasses: true }), time)).toBe(true);
      expect(say('resting', 0, { glasses: true }, time)).toEqual(['guide.holdStill', 'good']);
    }
    expect(say('resting', 0, { glasses: true }, 1_200)).toEqual(['guide.glasses', 'fix']);
    expect(prompter.waitsForGlasses(createReport(), 2_000)).toBe(false);
    expect(prompter.waitsForGlasses(createReport({ glasses: true }), 6_999)).toBe(true);
    expect(prompter.waitsForGlasses(createReport({ glasses: true }), 7_000)).toBe(false);
    expect(say('resting', 0, { glasses: true }, 7_000)).toEqual(['guide.holdStill', 'good']);
  });

  test('announces a restart for a moment, before anything else', () => {
    const { prompter, say } = start();
    prompter.note('retried', 5_000);
    expect(say('resting', 0, { problems: ['blurred'] }, 5_899)).toEqual(['challenge.again', 'fix']);
    expect(say('resting', 0, { problems: ['blurred'] }, 5_900)).toEqual(['guide.blurred', 'fix']);
  });
});

describe('during a movement', () => {
  test('shows the movement with its progress', () => {
    expect(start().show('asking', 1)).toEqual({
      name: 'capture',
      prompt: 'challenge.blink',
      tone: 'do',
      paused: false,
      progress: { number: 2, total: 3, share: 1 / 3 },
    });
  });

  test('does not criticize the frame, because a turned head is never good', () => {
    expect(start().say('asking', 0, { problems: ['turned_away'] })).toEqual(['challenge.turnLeft', 'do']);
  });

  test('mentions a missing or second face only after a moment', () => {
    const { say } = start();
    expect(say('asking', 0, GONE, 1_000)).toEqual(['challenge.turnLeft', 'do']);
    expect(say('asking', 0, GONE, 1_700)).toEqual(['challenge.turnLeft', 'do']);
    expect(say('asking', 0, GONE, 1_701)).toEqual(['guide.noFace', 'fix']);
    expect(say('asking', 0, { people: 2 }, 1_702)).toEqual(['guide.severalFaces', 'fix']);
  });

  test('restarts the moment if the face was there in between', () => {
    const { say } = start();
    say('asking', 0, GONE, 1_000);
    say('asking', 0, {}, 1_500);
    expect(say('asking', 0, GONE, 2_000)).toEqual(['challenge.turnLeft', 'do']);
    say('returning', 1, GONE, 2_100);
    expect(say('asking', 1, GONE, 3_000)).toEqual(['challenge.blink', 'do']);
  });
});

describe('afterwards', () => {
  test('praises a movement for a moment, then asks to look ahead', () => {
    const { prompter, say } = start();
    prompter.note('done', 5_000);
    expect(say('returning', 1, { problems: ['turned_away'] }, 5_500)).toEqual(['challenge.done', 'good']);
    expect(say('returning', 1, { problems: ['turned_away'] }, 6_000)).toEqual(['challenge.back', 'do']);
  });

  test('asks to look ahead after the last movement until there are enough frames', () => {
    const { show, say } = start();
    expect(show('passed', 3).progress).toEqual({ number: 3, total: 3, share: 1 });
    expect(say('passed', 3)).toEqual(['guide.lookAhead', 'do']);
    expect(say('passed', 3, { problems: ['too_close'] })).toEqual(['guide.tooClose', 'fix']);
    expect(say('passed', 3, { glasses: true })).toEqual(['guide.lookAhead', 'do']);
  });
});
