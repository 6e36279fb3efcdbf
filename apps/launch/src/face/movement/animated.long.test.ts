// Animated portraits with the shipped models: only those that follow the prompts pass.

import type { Frame } from '@limen/face-geometry';
import { MOVEMENTS, type Movement } from '@limen/plan';
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { createActor, drawStyle, type MotionStyle, measureAnswer } from '../../../testing/act.ts';
import { createPortraitRig, type PortraitRig } from '../../../testing/animate-portrait.ts';
import { openModels } from '../../../testing/models.ts';
import { cutPortrait, PRINT, readSample } from '../../../testing/pictures.ts';
import { detectFaces } from '../read/detect.ts';
import { toObservation, watchFrame } from '../read/estimate.ts';
import type { FaceModels } from '../read/models.ts';
import { createChallengeRun } from './challenge.ts';
import type { ChallengeObservation } from './challenge-rules.ts';
import { MOVEMENT_KINDS } from './movement-kinds.ts';

const FRAME_MS = 100;
const NOISE = 2;
/** Same as the server's plan. */
const CHALLENGE_MS = 15_000;
/** Sample and position from the left: frontal, eyes open. */
const ALL_SITTERS = [
  [6, 4],
  [5, 1],
  [5, 4],
  [6, 3],
] as const;
const SITTERS = ALL_SITTERS.slice(0, onlyWhenLong(4, 1));
const STILL_EVENTS = ['shown 0', 'retried', 'shown 0', 'retried', 'shown 0'];

interface Sitter {
  name: string;
  portrait: Frame;
  rig: PortraitRig;
  /** Portrait without depth, which moves like paper. */
  flat: PortraitRig;
  manner: MotionStyle;
  /** Observations of one answer to each challenge, from the prompt until the head is straight. */
  answers: Map<Movement, (ChallengeObservation | null)[]>;
  rest: (ChallengeObservation | null)[];
}

let models: FaceModels;
const sitters: Sitter[] = [];

beforeAll(async () => {
  models = await openModels(['detect', 'landmarks', 'eye']);
  for (const [i, [sample, place]] of SITTERS.entries()) {
    const group = await readSample(sample);
    const faces = (await detectFaces(models, group)).toSorted((a, b) => a.box.x - b.box.x);
    const portrait = cutPortrait(group, faces[place - 1]!.box);
    const { landmarks } = toObservation(await watchFrame(models, portrait))!;
    const rig = createPortraitRig(portrait, landmarks, { within: PRINT, noise: NOISE });
    const flat = createPortraitRig(portrait, landmarks, { within: PRINT, depth: 0 });
    const manner = drawStyle(i + 1);
    const answers = new Map<Movement, (ChallengeObservation | null)[]>();
    for (const challenge of MOVEMENTS) answers.set(challenge, await watchAnswer(rig, challenge, manner));
    const rest = await watchActor(rig, createActor(manner), 0, 5 * FRAME_MS);
    sitters.push({ name: `${sample}.${place}`, portrait, rig, flat, manner, answers, rest });
  }
}, 600_000);

async function watchAnswer(rig: PortraitRig, challenge: Movement, manner: MotionStyle) {
  const actor = createActor(manner);
  actor.show(challenge, 0);
  return await watchActor(rig, actor, 0, measureAnswer(challenge, manner) + FRAME_MS);
}

async function watchActor(rig: PortraitRig, actor: ReturnType<typeof createActor>, fromMs: number, toMs: number) {
  const seen: (ChallengeObservation | null)[] = [];
  for (let now = fromMs; now < toMs; now += FRAME_MS) seen.push(await watchPose(rig, actor.moveAt(now), now));
  return seen;
}

async function watchPose(rig: PortraitRig, motion: Parameters<PortraitRig['render']>[0], seed: number) {
  return toObservation(await watchFrame(models, rig.render(motion, seed)));
}

/** Replays earlier observations as one run. */
function replay(challenges: readonly Movement[], frames: readonly (ChallengeObservation | null)[]): string[] {
  const run = createChallengeRun(challenges, { challengeMs: CHALLENGE_MS });
  return frames.flatMap((frame, i) =>
    run.observe(frame, i * FRAME_MS).map((event) => ('index' in event ? `${event.type} ${event.index}` : event.type)),
  );
}

function drawOrders(length: number): Movement[][] {
  if (length === 0) return [[]];
  return drawOrders(length - 1).flatMap((order) =>
    MOVEMENTS.filter((challenge) => !order.includes(challenge)).map((challenge) => [...order, challenge]),
  );
}

test('renders a resting head like the portrait, except for camera noise', () => {
  for (const { name, portrait, rig } of sitters) {
    const { data } = rig.render({});
    const differences = data.map((value, i) => Math.abs(value - portrait.data[i]!));
    const largest = differences.reduce((max, value) => Math.max(max, value), 0);
    expect(largest, name).toBeLessThanOrEqual(NOISE + 1);
  }
});

describe('a cooperative head', () => {
  test.each(MOVEMENTS)('passes %s at the first attempt', (challenge) => {
    for (const { name, rest, answers } of sitters)
      expect(replay([challenge], [...rest, ...answers.get(challenge)!]), name).toEqual(['shown 0', 'done 0']);
  });

  test('passes every order of three that the server may draw', () => {
    for (const order of drawOrders(3))
      for (const { name, rest, answers } of sitters) {
        const frames = [...rest, ...order.flatMap((challenge) => answers.get(challenge)!)];
        expect(replay(order, frames), `${name} ${order}`).toEqual(order.flatMap((_, i) => [`shown ${i}`, `done ${i}`]));
      }
  });

  const orders = onlyWhenLong(drawOrders(3), [['blink', 'turn_right', 'look_up']] satisfies Movement[][]);
  test('passes while following the prompts, before it is straight again', async () => {
    for (const [i, order] of orders.entries()) {
      const { name, rig } = sitters[i % sitters.length]!;
      const { events, phase } = await follow(rig, order, drawStyle(10 + i));
      expect(events, `${name} ${order}`).toEqual(order.flatMap((_, index) => [`shown ${index}`, `done ${index}`]));
      expect(phase).toBe('passed');
    }
  });
});

/** Passes prompts to the actor and the actor's movements to the camera until the end. */
async function follow(rig: PortraitRig, challenges: readonly Movement[], manner: MotionStyle) {
  const run = createChallengeRun(challenges, { challengeMs: CHALLENGE_MS });
  const actor = createActor(manner);
  const events: string[] = [];
  for (let now = 0; now < 60_000 && run.phase !== 'passed' && run.phase !== 'failed'; now += FRAME_MS)
    for (const event of run.observe(await watchPose(rig, actor.moveAt(now), now), now)) {
      events.push('index' in event ? `${event.type} ${event.index}` : event.type);
      if (event.type === 'shown') actor.show(challenges[event.index]!, now);
    }
  return { events, phase: run.phase };
}

describe('a wrong answer', () => {
  test.each(MOVEMENTS)('does not pass if another movement follows %s', (challenge) => {
    for (const { name, rest, answers } of sitters) {
      const otherMovements = MOVEMENTS.filter((movement) => movement !== challenge);
      for (const wrong of otherMovements)
        expect(replay([challenge], [...rest, ...answers.get(wrong)!]), `${name} ${wrong}`).toEqual(['shown 0']);
    }
  });

  test('does not pass in another order', () => {
    for (const { name, rest, answers } of sitters)
      for (const [challenge, next] of drawOrders(2) as [Movement, Movement][]) {
        const frames = [...rest, ...answers.get(next)!, ...answers.get(challenge)!, ...rest];
        expect(replay([challenge, next], frames), `${name} ${challenge} ${next}`).toEqual([
          ...['shown 0', 'done 0', 'shown 1'],
        ]);
      }
  });

  test('does not pass by keeping still, until all attempts are used up', () => {
    for (const { name, rest } of sitters) {
      // Three attempts of 15 seconds, each after a look at rest.
      const still = Array.from({ length: 470 }, (_, i) => rest[i % rest.length]!);
      for (const challenge of onlyWhenLong<readonly Movement[]>(MOVEMENTS, ['blink']))
        expect(replay([challenge], still), name).toEqual([...STILL_EVENTS, 'failed']);
    }
  });

  // Lids have no depth.
  const poses = MOVEMENTS.filter((movement) => MOVEMENT_KINDS[movement].tempo === 'held');
  const moves = onlyWhenLong(poses, poses.slice(1));
  test.each(moves)('does not pass %s with a head without depth', async (asked) => {
    for (const { name, flat, manner, rest } of sitters)
      expect(replay([asked], [...rest, ...(await watchAnswer(flat, asked, manner))]), name).toEqual(['shown 0']);
  });
});
