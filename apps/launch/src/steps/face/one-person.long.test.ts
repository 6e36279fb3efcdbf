// Swaps of the person in front of the shipped models, with animated portraits.
import type { Movement } from '@limen/plan';
import { beforeAll, describe, expect, test } from 'vitest';
import { createPortraitRig, type PortraitRig } from '../../../testing/animate-portrait.ts';
import { openModels } from '../../../testing/models.ts';
import { cutPortrait, PRINT, readSample } from '../../../testing/pictures.ts';
import { PLAYED_ROLES, type Play, playFaceStep, type Scene } from '../../../testing/play-face-step.ts';
import { compareEmbeddings, embedFace, type FaceModels, type Frame, watchFrame } from '../../face/index.ts';
import { detectFaces } from '../../face/read/detect.ts';

const CHALLENGES: Movement[] = ['turn_left', 'look_up', 'turn_right'];
let models: FaceModels;
let anna: PortraitRig;
let bert: PortraitRig;
let stillOfAnna: Frame;

/** Seats a person by sample and position from the left: frontal, eyes open. */
async function seat(sample: number, position: number) {
  const group = await readSample(sample);
  const faces = (await detectFaces(models, group)).toSorted((a, b) => a.box.x - b.box.x);
  const portrait = cutPortrait(group, faces[position - 1]!.box);
  const { face } = await watchFrame(models, portrait);
  return { portrait, rig: createPortraitRig(portrait, face!.landmarks, { within: PRINT }) };
}

beforeAll(async () => {
  models = await openModels(PLAYED_ROLES);
  const first = await seat(5, 1);
  anna = first.rig;
  stillOfAnna = first.portrait;
  bert = (await seat(6, 4)).rig;
}, 600_000);

const play = (cast: Play['cast']) => playFaceStep(models, { challenges: CHALLENGES, cast });
const countRetries = (log: readonly (readonly [string, number, number])[]) =>
  log.filter(([event]) => event === 'retried').length;

async function looksLike(embedding: Float32Array | null, rig: PortraitRig): Promise<boolean> {
  const frame = rig.render({});
  const vector = await embedFace(models, frame, (await watchFrame(models, frame)).face!.landmarks);
  return compareEmbeddings(embedding!, vector!) > 0.8;
}

describe('before the shipped models', () => {
  test('passes one person at the first attempt, measuring two faces at rest and two per movement', async () => {
    const { outcome, log, embeddings } = await play(() => anna);
    expect([outcome.face.spoof, countRetries(log)]).toEqual([false, 0]);
    expect(embeddings).toBeLessThanOrEqual(2 + 2 * CHALLENGES.length);
    expect(await looksLike(outcome.embedding, anna)).toBe(true);
  });

  const changes: [string, (scene: Scene) => boolean][] = [
    ['the first movement', ({ asked }) => asked >= 1],
    ['the second', ({ asked }) => asked >= 2],
    ['the third', ({ asked }) => asked >= 3],
    ['after the last', ({ isAfter }) => isAfter],
  ];
  test.each(changes)('reports a spoof if another person appears from %s on in every attempt', async (_, isBert) => {
    const { outcome, log } = await play((scene) => (isBert(scene) ? bert : anna));
    expect(outcome).toEqual({ face: { spoof: true }, embedding: null });
    // One more retry if his movement, compared with her face at rest, is not recognized.
    expect([1, 2]).toContain(countRetries(log));
  });

  test.each(changes)('restarts once with the other person if they appear from %s on', async (_, isBert) => {
    const { outcome, log } = await play((scene) => (scene.attempt > 1 || isBert(scene) ? bert : anna));
    expect(outcome.face.spoof).toBe(false);
    expect([1, 2]).toContain(countRetries(log));
    expect(await looksLike(outcome.embedding, bert)).toBe(true);
  });

  test('reports a spoof for a photo with another person doing the movements', async () => {
    // The photo is shown at rest and at the end, and hidden during movements.
    const { outcome } = await play(({ asked, isAfter }) => (asked > 0 && !isAfter ? bert : stillOfAnna));
    expect(outcome.face).toEqual({ spoof: true });
  });
});
