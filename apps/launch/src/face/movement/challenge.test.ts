import { estimatePose } from '@limen/face-geometry';
import { drawLandmarks, type HeadPose } from '@limen/face-geometry/testing/drawn-face.ts';
import { MOVEMENTS, type Movement } from '@limen/plan';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { drawAnswer } from '../../../testing/draw-answer.ts';
import { type ChallengeEvent, type ChallengeRun, createChallengeRun } from './challenge.ts';
import type { ChallengeObservation } from './challenge-rules.ts';
import { applyHomography } from './planarity.ts';

const FRAME_MS = 100;
const CHALLENGE_MS = 15_000;
const ANSWERS = Object.fromEntries(
  MOVEMENTS.map((movement) => [movement, drawAnswer(movement).map(({ pose, eyesClosed }) => look(pose, eyesClosed))]),
) as Record<Movement, ChallengeObservation[]>;
const REST = repeat(look(), 5);

function look(pose: HeadPose = {}, eyesClosed = 0.05): ChallengeObservation {
  return observe(drawLandmarks(pose), eyesClosed);
}

function closeEyes(pose: HeadPose = {}): ChallengeObservation {
  return look({ ...pose, opening: 0.5 }, 0.95);
}

function observe(landmarks: Float64Array, eyesClosed = 0.05): ChallengeObservation {
  return { landmarks, pose: estimatePose(landmarks)!, eyesClosed };
}

/** A face on paper, seen at an angle. */
function tilt(acrossShare: number, downShare: number, eyesClosed = 0.05, perspective = 0): ChallengeObservation {
  const flat = drawLandmarks();
  const homography = Float64Array.from([acrossShare, 0, 0, 0, downShare, 0, perspective, 0, 1]);
  const seen = flat.map((_, i) => applyHomography(homography, flat[i - (i % 2)]!, flat[i - (i % 2) + 1]!)[i % 2]!);
  return observe(seen, eyesClosed);
}

function repeat<T>(value: T, times: number): T[] {
  return Array.from({ length: times }, () => value);
}

/** Feeds frames, continuing at the time of the last call. */
function createFeeder(run: ChallengeRun) {
  let now = 1_000;
  return (frames: readonly (ChallengeObservation | null)[], frameMs = FRAME_MS): string[] =>
    frames.flatMap((frame) => {
      now += frameMs;
      return run.observe(frame, now).map(describeEvent);
    });
}

function describeEvent(event: ChallengeEvent): string {
  if (event.type === 'retried') return 'retried';
  return event.type === 'failed' ? `failed ${event.reason}` : `${event.type} ${event.index}`;
}

function start(challenges: readonly Movement[], options = {}) {
  const run = createChallengeRun(challenges, { challengeMs: CHALLENGE_MS, ...options });
  return { run, feed: createFeeder(run) };
}

describe('an interruption', () => {
  test('restarts everything after a new look at rest', () => {
    const { run, feed } = start(['turn_left', 'blink']);
    feed([...REST, ...ANSWERS.turn_left, look()]);
    run.startOver();
    expect([run.phase, run.index]).toEqual(['resting', 0]);
    expect(feed([...REST, ...ANSWERS.turn_left, look(), ...ANSWERS.blink])).toEqual([
      ...['shown 0', 'done 0', 'shown 1', 'done 1'],
    ]);
  });

  test('neither uses up nor restores an attempt', () => {
    const { run, feed } = start(['blink']);
    for (let attempt = 1; attempt < 3; attempt += 1) {
      expect(feed(REST)).toEqual(['shown 0']);
      expect(feed([look()], CHALLENGE_MS + 1)).toEqual(['retried']);
      feed(REST);
      run.startOver();
    }
    expect(feed(REST)).toEqual(['shown 0']);
    expect(feed([look()], CHALLENGE_MS + 1)).toEqual(['failed unanswered']);
  });

  test('does not reset the suspicion of a moved picture', () => {
    const { run, feed } = start(['turn_left']);
    const events: string[] = [];
    for (let times = 0; times < 20 && run.phase !== 'failed'; times += 1) {
      events.push(...feed([...REST, ...repeat(tilt(0.75, 1), 12)]));
      run.startOver();
      if (events.includes('failed spoof')) break;
    }
    expect(events).toContain('failed spoof');
  });
});

describe('a cooperative person', () => {
  test('passes in any order', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...MOVEMENTS], { minLength: 1 }), (challenges) => {
        const { run, feed } = start(challenges);
        const events = feed([...REST, ...challenges.flatMap((challenge) => [...ANSWERS[challenge], look()])]);
        expect(events).toEqual(challenges.flatMap((_, i) => [`shown ${i}`, `done ${i}`]));
        expect(run.phase).toBe('passed');
      }),
    );
  });

  test('may start slightly turned, because only the change counts', () => {
    const { feed } = start(['turn_left']);
    expect(feed([...repeat(look({ yaw: -8, pitch: 6 }), 5), ...repeat(look({ yaw: 14, pitch: 6 }), 3)])).toEqual([
      'shown 0',
      'done 0',
    ]);
  });

  test('may come closer and lean during a movement', () => {
    const { feed } = start(['turn_left']);
    expect(feed([...REST, ...repeat(look({ yaw: 25, roll: 12, distance: 7, size: 110, x: 250 }), 3)])).toEqual([
      'shown 0',
      'done 0',
    ]);
  });

  test('has to look ahead before the next challenge is shown', () => {
    const { run, feed } = start(['turn_left', 'turn_right']);
    feed([...REST, ...ANSWERS.turn_left, ...ANSWERS.turn_left]);
    expect(run.phase).toBe('returning');
    expect(feed([look()])).toEqual(['shown 1']);
  });

  test('gets no event after the last challenge', () => {
    const { feed } = start(['blink']);
    feed([...REST, ...ANSWERS.blink]);
    expect(feed([...ANSWERS.turn_left, null, ...repeat(look(), 500)])).toEqual([]);
  });
});

describe('an invalid answer', () => {
  const notDone = (challenge: Movement, frames: (ChallengeObservation | null)[]) => {
    const { feed } = start([challenge]);
    expect(feed([...REST, ...frames])).toEqual(['shown 0']);
  };

  test('is a turn to the other side', () => notDone('turn_left', repeat(look({ yaw: -25 }), 10)));
  test('is a look down', () => notDone('look_up', repeat(look({ pitch: -20 }), 10)));
  test('is a small turn', () => notDone('turn_right', repeat(look({ yaw: -9 }), 10)));
  test('is a turn for two frames', () =>
    notDone('turn_left', [...repeat(look({ yaw: 25 }), 2), look(), ...repeat(look({ yaw: 25 }), 2)]));
  test('is a turn with a lost face in between', () =>
    notDone('turn_left', [...repeat(look({ yaw: 25 }), 2), null, ...repeat(look({ yaw: 25 }), 2)]));
  test('is eyes that stay closed', () => notDone('blink', [look(), ...repeat(closeEyes(), 10)]));
  test('is closed eyes that open', () => notDone('blink', [closeEyes(), look(), look()]));
  test('is half-closed eyes', () => notDone('blink', [look(), look({ opening: 0.7 }, 0.5), look()]));
  test('is a blink while turned', () =>
    notDone('blink', [look({ yaw: 20 }), closeEyes({ yaw: 20 }), look({ yaw: 20 })]));
  test('is eyes that look closed to the model while the lids do not move', () =>
    notDone('blink', [look(), look({}, 0.95), look()]));
  test('is a photo tilted until its eyes are slits', () =>
    notDone('blink', [look(), tilt(1, 0.7, 0.95), tilt(1, 0.7, 0.95), look()]));
});

describe('the person at rest', () => {
  test('is taken from five frontal frames in a row, with the eyes open', () => {
    const { feed } = start(['blink']);
    expect(feed([...repeat(look(), 4), look({ yaw: 30 }), ...repeat(look(), 4), look({}, 0.9)])).toEqual([]);
    expect(feed(repeat(look(), 4))).toEqual([]);
    expect(feed([look()])).toEqual(['shown 0']);
  });

  test('is never a mixture of two shapes', () => {
    const { feed } = start(['blink']);
    expect(feed([...repeat(look(), 4), ...repeat(tilt(0.7, 1), 4)])).toEqual([]);
  });

  test('is awaited without a limit', () => {
    const { feed } = start(['blink']);
    expect(feed(repeat(null, 1_000))).toEqual([]);
    expect(feed(REST)).toEqual(['shown 0']);
  });
});

describe('a person who does not answer', () => {
  test('restarts from the first challenge on a timeout, and fails the third time', () => {
    const { run, feed } = start(['turn_left', 'blink']);
    const waiting = repeat(look(), 151);
    expect(feed([...REST, ...ANSWERS.turn_left, look(), ...waiting])).toEqual([
      'shown 0',
      'done 0',
      'shown 1',
      'retried',
    ]);
    expect(feed([...REST, ...waiting])).toEqual(['shown 0', 'retried']);
    expect(feed([...REST, ...waiting])).toEqual(['shown 0', 'failed unanswered']);
    expect(run.phase).toBe('failed');
  });

  test('is in time up to the last millisecond, and not after it', () => {
    for (const [late, expected] of [
      [0, 'done 0'],
      [1, 'retried'],
    ] as const) {
      const run = createChallengeRun(['turn_left'], { challengeMs: 1_000 });
      for (const frame of REST) run.observe(frame, 500);
      const events = [500, 500, 1_500 + late].flatMap((at) => run.observe(look({ yaw: 25 }), at));
      expect(events.map(describeEvent)).toEqual([expected]);
    }
  });

  test('restarts after a rejected movement, even after the last, while attempts are left', () => {
    const { run, feed } = start(['turn_left']);
    for (const expected of ['retried', 'retried', 'failed unanswered']) {
      expect(feed([...REST, ...ANSWERS.turn_left])).toEqual(['shown 0', 'done 0']);
      expect(run.retry().map(describeEvent)).toEqual([expected]);
    }
    expect(run.phase).toBe('failed');
  });

  test('restarts when never looking ahead after a challenge', () => {
    const { feed } = start(['turn_left', 'blink']);
    expect(feed([...REST, ...repeat(look({ yaw: 25 }), 200)])).toEqual(['shown 0', 'done 0', 'retried']);
  });
});

describe('a flat picture', () => {
  test.each([
    ['squeezed', tilt(0.7, 1)],
    ['tilted back', tilt(1, 0.7)],
    ['tilted in perspective', tilt(0.8, 1, 0.05, 0.0004)],
  ])('is a spoof when %s repeatedly, whatever the challenge', (_, moved) => {
    for (const challenge of MOVEMENTS) {
      const { feed } = start([challenge]);
      const swings = Array.from({ length: 10 }, () => [...repeat(moved, 6), ...repeat(look(), 6)]).flat();
      expect(feed([...REST, ...swings])).toEqual(['shown 0', 'failed spoof']);
    }
  });

  test('is not suspected after one odd movement', () => {
    const { feed } = start(['turn_left']);
    expect(feed([...REST, ...repeat(tilt(0.8, 1), 6), look(), ...ANSWERS.turn_left])).toEqual(['shown 0', 'done 0']);
  });

  test('runs out of attempts if it never moves', () => {
    const { feed } = start(['turn_left']);
    expect(feed(repeat(look(), 600)).at(-1)).toBe('failed unanswered');
  });
});

describe('any sequence of frames', () => {
  const anyPose = fc.record({
    yaw: fc.constantFrom(-40, -22, -12, 0, 0, 12, 22, 40),
    pitch: fc.constantFrom(-20, 0, 0, 0, 16),
  });
  const anyFrames = fc.oneof(
    fc
      .tuple(anyPose, fc.constantFrom(0.05, 0.4, 0.9))
      .map(([pose, closed]) => look({ ...pose, opening: closed > 0.6 ? 0.5 : 1 }, closed)),
    fc.constant(null),
    fc.constant(tilt(0.75, 1)),
  );
  const anyRun = fc.array(fc.tuple(anyFrames, fc.integer({ min: 1, max: 8 }), fc.integer({ min: -50, max: 3_000 })), {
    maxLength: 60,
  });

  test('shows challenges before they are done, in order and in time, and nothing after the end', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...MOVEMENTS], { minLength: 2 }), anyRun, (challenges, pieces) => {
        const run = createChallengeRun(challenges, { challengeMs: 4_000, maxAttempts: 4 });
        let now = 0;
        let time = 0;
        let expected = 0;
        let shownAt: number | null = null;
        let hasEnded = false;
        for (const [frame, times, gap] of pieces) {
          for (let i = 0; i < times; i += 1) {
            now += i === 0 ? gap : FRAME_MS;
            time = Math.max(time, now);
            for (const event of run.observe(frame, now)) {
              expect(hasEnded).toBe(false);
              if (event.type === 'shown') {
                expect([event.index, shownAt]).toEqual([expected, null]);
                shownAt = time;
              } else if (event.type === 'done') {
                expect(event.index).toBe(expected);
                expect(time - shownAt!).toBeLessThanOrEqual(4_000);
                expected += 1;
                shownAt = null;
              } else if (event.type === 'retried') {
                expected = 0;
                shownAt = null;
              } else hasEnded = true;
            }
          }
        }
        expect(run.phase === 'passed').toBe(expected === challenges.length);
        expect(run.phase === 'failed').toBe(hasEnded);
      }),
      { numRuns: 300 },
    );
  });
});

test('passes at once without challenges', () => {
  expect(createChallengeRun([], { challengeMs: 1 }).phase).toBe('passed');
});
