// From pixels to numbers with the shipped models, on group photos with 22 faces.

import type { Frame } from '@limen/face-geometry';
import {
  alignFace,
  applyAffine,
  estimatePose,
  estimateYawFromNose,
  fitSimilarity,
  invertAffine,
  takeFive,
} from '@limen/face-geometry';
import { MODEL_ROLES } from '@limen/face-models';
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { openModels } from '../../testing/models.ts';
import { blurFrame, changePixels, cutPortrait, mirrorFrame, readSample } from '../../testing/pictures.ts';
import { type DetectedFace, detectFaces } from './read/detect.ts';
import { compareEmbeddings, embedFace } from './read/embed.ts';
import { combineExaminations, examineFrame, watchFrame } from './read/estimate.ts';
import { findLandmarks } from './read/landmarks.ts';
import type { FaceModels } from './read/models.ts';

/** Number of people in each sample. */
const PEOPLE = [3, 3, 3, 4, 5, 4];

interface Person extends DetectedFace {
  /** Sample and position from the left: "3.2" is the second from the left on the third. */
  name: string;
  group: Frame;
  landmarks: Float32Array;
  embedding: Float32Array;
}

let models: FaceModels;
const people: Person[] = [];

beforeAll(async () => {
  models = await openModels(MODEL_ROLES);
  for (const [i] of PEOPLE.entries()) {
    const group = await readSample(i + 1);
    const faces = await detectFaces(models, group);
    for (const [place, face] of faces.toSorted((a, b) => a.box.x - b.box.x).entries()) {
      const landmarks = await findLandmarks(models, group, face.box);
      const embedding = (await embedFace(models, group, landmarks))!;
      people.push({ ...face, name: `${i + 1}.${place + 1}`, group, landmarks, embedding });
    }
  }
}, 600_000);

function personNamed(name: string): Person {
  return people.find((person) => person.name === name)!;
}

test('finds every face and nothing else', () => {
  expect(PEOPLE.map((_, i) => people.filter(({ name }) => name.startsWith(`${i + 1}.`)).length)).toEqual(PEOPLE);
});

test('finds eyes, nose and mouth in plausible places', () => {
  for (const { landmarks, name } of people) {
    const five = takeFive(landmarks);
    const toAligned = invertAffine(alignFace(landmarks));
    const aligned = [0, 1, 2, 3, 4].flatMap((i) => applyAffine(toAligned, five[i * 2]!, five[i * 2 + 1]!));
    const [leftX, leftY, rightX, rightY, , noseY, mouthLeftX, mouthLeftY, mouthRightX, mouthRightY] = aligned;
    expect([leftX! < rightX!, mouthLeftX! < mouthRightX!], name).toEqual([true, true]);
    expect(Math.max(leftY!, rightY!) < noseY! && noseY! < Math.min(mouthLeftY!, mouthRightY!), name).toBe(true);
  }
});

test('recognizes the one woman on two photos, and confuses no two other people', () => {
  const [woman, sameWoman] = [personNamed('1.3'), personNamed('3.2')];
  expect(compareEmbeddings(woman.embedding, sameWoman.embedding)).toBeGreaterThan(0.55);
  for (const [i, first] of people.entries())
    for (const second of people.slice(i + 1))
      if (first !== woman || second !== sameWoman)
        expect(compareEmbeddings(first.embedding, second.embedding), `${first.name} ${second.name}`).toBeLessThan(0.48);
});

describe('the pose', () => {
  test('is the same by all landmarks and by the nose', () => {
    for (const { landmarks, name } of people) {
      const difference = estimatePose(landmarks)!.yaw - estimateYawFromNose(landmarks);
      expect(Math.abs(difference), name).toBeLessThan(6);
    }
  });

  test('changes its sign in the mirror image', async () => {
    for (const name of onlyWhenLong(['3.1', '3.3', '4.1', '5.5', '6.2', '6.3'], ['3.1', '4.1', '5.5'])) {
      const { group, box } = personNamed(name);
      const portrait = cutPortrait(group, box);
      const plain = (await watchFrame(models, portrait)).face!;
      const mirrored = (await watchFrame(models, mirrorFrame(portrait))).face!;
      expect(Math.abs(plain.pose.yaw + mirrored.pose.yaw), name).toBeLessThan(5);
      expect(Math.abs(plain.pose.roll + mirrored.pose.roll), name).toBeLessThan(5);
      if (Math.abs(plain.pose.yaw) > 8) expect(plain.pose.yaw * mirrored.pose.yaw, name).toBeLessThan(0);
    }
  });

  test('is to the person’s left when they look to the right of the picture', () => {
    expect(estimatePose(personNamed('4.1').landmarks)!.yaw).toBeGreaterThan(15);
    expect(estimatePose(personNamed('5.5').landmarks)!.yaw).toBeLessThan(-15);
  });
});

test('detects open and closed eyes', async () => {
  const readClosed = async (name: string) => {
    const { group, box } = personNamed(name);
    return (await watchFrame(models, cutPortrait(group, box))).face!.eyes.closed;
  };
  for (const name of ['3.1', '3.2', '5.1', '6.1']) expect(await readClosed(name), name).toBeLessThan(0.2);
  for (const name of ['1.2', '2.2']) expect(await readClosed(name), name).toBeGreaterThan(0.6);
});

test('estimates adult ages with lower bounds, and finds frontal faces live', async () => {
  for (const name of onlyWhenLong(['3.1', '5.1', '6.1', '6.3'], ['3.1', '6.3'])) {
    const { group, box } = personNamed(name);
    const portrait = cutPortrait(group, box);
    const { face } = await watchFrame(models, portrait);
    const examined = await examineFrame(models, portrait, face!, { age: true, embedding: true });
    expect(examined.age!.age, name).toBeGreaterThan(18);
    expect(examined.age!.age, name).toBeLessThan(45);
    expect(examined.age!.lowerBound, name).toBeLessThan(examined.age!.age);
    expect(examined.liveness, name).toBeGreaterThan(0.5);
    // Cropped, scaled and detected again, it is still the same face.
    expect(compareEmbeddings(examined.embedding!, personNamed(name).embedding), name).toBeGreaterThan(0.8);
    expect(combineExaminations([examined, examined, examined])!.age).toEqual(examined.age);
  }
});

describe('the guidance', () => {
  const portrait = () => cutPortrait(personNamed('5.1').group, personNamed('5.1').box);
  const listProblems = async (frame: Frame) => (await watchFrame(models, frame)).problems;

  test('finds no problems in a good frame, in landscape and portrait', async () => {
    expect(await listProblems(portrait())).toEqual([]);
    expect(await listProblems(cutPortrait(personNamed('5.1').group, personNamed('5.1').box, 480, 640))).toEqual([]);
  });

  test('detects an empty frame and a group', async () => {
    expect(await listProblems(changePixels(portrait(), () => 90))).toEqual(['no_face']);
    expect(await listProblems(personNamed('3.1').group)).toContain('several_faces');
  });

  test('detects darkness, glare and blur', async () => {
    expect(await listProblems(changePixels(portrait(), (value) => value * 0.4))).toContain('too_dark');
    expect(await listProblems(changePixels(portrait(), (value) => value * 0.5 + 200))).toContain('too_bright');
    expect(await listProblems(blurFrame(portrait(), 8))).toContain('blurred');
  });
});

test('moves the landmarks with the face', async () => {
  const { group, box } = personNamed('3.1');
  const near = (await watchFrame(models, cutPortrait(group, box))).face!;
  const far = (await watchFrame(models, group)).face;
  expect(far).not.toBeNull();
  const { a, d } = fitSimilarity(personNamed('3.1').landmarks, near.landmarks);
  expect(Math.hypot(a, d)).toBeCloseTo(200 / box.height, 1);
});
