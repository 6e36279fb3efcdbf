// Photos in front of the camera, with the shipped models: no manipulation passes a challenge.

import type { Frame } from '@limen/face-geometry';
import { MOVEMENTS, type Movement } from '@limen/plan';
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import { beforeAll, expect, test } from 'vitest';
import { type PhotoPose, showPhoto } from '../../../testing/flat-photo.ts';
import { openModels } from '../../../testing/models.ts';
import { cutPortrait, readSample } from '../../../testing/pictures.ts';
import { detectFaces } from '../read/detect.ts';
import { toObservation, watchFrame } from '../read/estimate.ts';
import { createChallengeRun } from './challenge.ts';
import type { ChallengeObservation } from './challenge-rules.ts';

const ALL_POSES: PhotoPose[] = [
  ...[-55, -40, -25, 25, 40, 55].flatMap((yaw) => [
    { yaw, distance: 1.2 },
    { yaw, distance: 3 },
  ]),
  ...[-50, -30, 30, 50].flatMap((pitch) => [
    { pitch, distance: 1.2 },
    { pitch, distance: 3 },
  ]),
  ...[0.5, 0.65, 0.8].flatMap((share) => [{ squeezeX: share }, { squeezeY: share }]),
  ...[-35, 35].flatMap((roll) => [{ roll }, { roll, yaw: 35 }]),
  ...[0.7, 1.3].map((zoom) => ({ zoom })),
  ...[-35, 35].flatMap((yaw) => [-25, 25].map((pitch) => ({ yaw, pitch, distance: 1.2 }))),
];
/** Some of each kind: mostly steep and near, or close to passing. */
const HARD_POSES: PhotoPose[] = [
  ...[-55, -40, 40, 55].map((yaw) => ({ yaw, distance: 1.2 })),
  { yaw: -55, distance: 3 },
  ...[-50, -30, 30, 50].map((pitch) => ({ pitch, distance: 1.2 })),
  ...[{ squeezeX: 0.65 }, { squeezeY: 0.5 }, { squeezeY: 0.65 }, { zoom: 1.3 }],
  ...[{ roll: -35 }, { roll: 35, yaw: 35 }],
  ...[-35, 35].flatMap((yaw) => [-25, 25].map((pitch) => ({ yaw, pitch, distance: 1.2 }))),
];
const POSES = onlyWhenLong(ALL_POSES, HARD_POSES);
/** Sample and position from the left: frontal, eyes open. */
const ALL_SITTERS = [
  [5, 1],
  [5, 4],
  [6, 1],
  [6, 3],
] as const;
const SITTERS = ALL_SITTERS.slice(0, onlyWhenLong(4, 1));

interface Photo {
  rest: ChallengeObservation;
  moved: { pose: PhotoPose; seen: ChallengeObservation }[];
}

const photos: Photo[] = [];

beforeAll(async () => {
  const models = await openModels(['detect', 'landmarks', 'eye']);
  const groups = new Map<number, Frame>();
  for (const [sample, place] of SITTERS) {
    const group = groups.get(sample) ?? (await readSample(sample));
    groups.set(sample, group);
    const faces = (await detectFaces(models, group)).toSorted((a, b) => a.box.x - b.box.x);
    const portrait = cutPortrait(group, faces[place - 1]!.box);
    const photo: Photo = { rest: toObservation(await watchFrame(models, portrait))!, moved: [] };
    for (const pose of POSES) {
      const seen = toObservation(await watchFrame(models, showPhoto(portrait, pose)));
      if (seen) photo.moved.push({ pose, seen });
    }
    photos.push(photo);
  }
}, 600_000);

function runThrough(challenge: Movement, frames: readonly ChallengeObservation[], rules = {}): string[] {
  const run = createChallengeRun([challenge], { challengeMs: 60_000, ...rules });
  return frames.flatMap((frame, i) => run.observe(frame, i * 100).map((event) => event.type));
}

function repeat<T>(value: T, times: number): T[] {
  return Array.from({ length: times }, () => value);
}

test('detects a face in nearly all poses, so that the test is meaningful', () => {
  for (const { moved } of photos) expect(moved.length).toBeGreaterThan(0.9 * POSES.length);
});

test.each(MOVEMENTS)('passes no photo for %s by tilting, squeezing, rolling or moving it closer', (challenge) => {
  for (const { rest, moved } of photos) {
    expect(runThrough(challenge, repeat(rest, 5))).toEqual(['shown']);
    for (const { pose, seen } of moved) {
      const events = runThrough(challenge, [...repeat(rest, 6), ...repeat(seen, 5), ...repeat(rest, 3)]);
      expect(events, JSON.stringify(pose)).toEqual(['shown']);
    }
  }
});

test('passes no photo by a change between two poses', () => {
  const passed: string[] = [];
  for (const { moved } of photos)
    for (const from of moved)
      for (const to of moved)
        for (const challenge of MOVEMENTS) {
          // One frame suffices: easier than in reality, and faster to test.
          const rules = { baselineFrames: 1, holdFrames: 1 };
          const events = runThrough(challenge, [from.seen, from.seen, to.seen, from.seen], rules);
          if (events.includes('done')) passed.push(JSON.stringify([challenge, from.pose, to.pose]));
        }
  expect(passed).toEqual([]);
});

test('reports a spoof for a waved photo', () => {
  for (const { rest, moved } of photos) {
    const waving = moved.flatMap(({ seen }) => [...repeat(seen, 6), ...repeat(rest, 2)]);
    expect(runThrough('turn_left', [...repeat(rest, 5), ...waving]).at(-1)).toBe('failed');
  }
});
