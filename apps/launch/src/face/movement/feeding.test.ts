// Exact inputs of each model. With wrong inputs they still answer, only worse.

import { createFrame } from '@limen/face-geometry';
import { drawLandmarks } from '@limen/face-geometry/testing/drawn-face.ts';
import { expect, test } from 'vitest';
import { readAge } from '../read/age.ts';
import { combineExaminations, type FrameReport, toObservation } from '../read/estimate.ts';
import { readEyes } from '../read/eyes.ts';
import { scoreLiveness } from '../read/liveness.ts';
import { type FaceModels, type ModelInput, type ModelRole, runModel } from '../read/models.ts';

const [RED, GREEN, BLUE] = [10, 20, 30];
const frame = createFrame(
  640,
  480,
  new Uint8ClampedArray(640 * 480 * 4).map((_, i) => [RED, GREEN, BLUE, 255][i % 4]!),
);
const box = { x: 240, y: 140, width: 160, height: 200 };
const landmarks = Float64Array.from({ length: 136 }, (_, i) =>
  // A tall box: 100 wide, 150 high.
  i % 2 === 0 ? 270 + ((i >> 1) % 2) * 100 : 165 + ((i >> 2) % 2) * 150,
);

/** Answers with `output` and records the inputs. */
function createRecorder(role: ModelRole, input: ModelInput, output: (call: number) => number[]) {
  const given: { values: Float32Array; shape: readonly number[] }[] = [];
  const models: FaceModels = {
    inputs: new Map([[role, input]]),
    thresholds: new Map(),
    async run(_, values, shape) {
      given.push({ values: values.slice(), shape }); // copied, because inputs are overwritten
      return { whatever: Float32Array.from(output(given.length - 1)) };
    },
  };
  return { given, models };
}

function joinModels(...parts: FaceModels[]): FaceModels {
  return {
    inputs: new Map(parts.flatMap(({ inputs }) => [...inputs])),
    thresholds: new Map(),
    run: (role, values, shape) => parts.find(({ inputs }) => inputs.has(role))!.run(role, values, shape),
  };
}

const bgr = (side: number, mean: number[]): ModelInput => ({
  width: side,
  height: side,
  channels: 'bgr',
  mean,
  scale: 1,
  layout: 'nchw',
});

test('overwrites the input of a model after its run', async () => {
  const { models } = createRecorder(
    'liveness',
    { width: 1, height: 1, channels: 'bgr', layout: 'nchw' } as ModelInput,
    () => [1],
  );
  const values = Float32Array.of(1, 2, 3);
  await runModel(models, 'liveness', values);
  expect([...values]).toEqual([0, 0, 0]);
});

test('feeds raw BGR to the liveness model and uses the first of three classes', async () => {
  const { models, given } = createRecorder('liveness', bgr(128, [0, 0, 0]), () => [Math.log(2), 0, 0]);
  expect(await scoreLiveness(models, frame, box)).toBeCloseTo(0.5, 5);
  const { values, shape } = given[0]!;
  expect(shape).toEqual([1, 3, 128, 128]);
  expect([values[0], values[128 * 128], values.at(-1)]).toEqual([BLUE, GREEN, RED]);
});

test('shows a face at the edge to the liveness model without padding', async () => {
  const corner = createFrame(640, 480, frame.data.slice());
  // One white column at the far left, which a crop beyond the edge would repeat.
  for (let y = 0; y < 480; y += 1) corner.data.fill(255, y * 640 * 4, y * 640 * 4 + 4);
  const { models, given } = createRecorder('liveness', bgr(128, [0, 0, 0]), () => [0, 0, 0]);
  await scoreLiveness(models, corner, { ...box, x: -20 });
  const row = given[0]!.values.slice(64 * 128, 65 * 128);
  expect(row.filter((value) => value > BLUE + 1).length).toBeLessThanOrEqual(1);
});

test('feeds the face and its mirror image to the age models, with black bars for the small one', async () => {
  const smallInput: ModelInput = {
    ...bgr(112, [122.782, 117.001, 104.298]),
    channels: 'rgb',
    scale: 255,
  };
  const small = createRecorder('age_small', smallInput, (call) => [call === 0 ? 20 : 22]);
  const shares = (year: number) => Array.from({ length: 100 }, (_, i) => (i === year ? 1 : 0));
  const deep = createRecorder('age_deep', bgr(224, [103.939, 116.779, 123.68]), (call) => shares(30 + call * 10));
  const readings = await readAge(joinModels(small.models, deep.models), frame, box, landmarks);

  expect(readings.small).toBe(20);
  expect(readings.smallMirrored).toBe(22);
  expect([readings.years[30], readings.years[40], readings.years[50]]).toEqual([0.5, 0.5, 0]);
  const [plain] = small.given;
  const middle = 56 * 112;
  expect(plain!.values[middle]).toBeCloseTo((0 - 122.782) / 255, 4);
  expect(plain!.values[middle + 56]).toBeCloseTo((RED - 122.782) / 255, 4);
  // 100 of 150 wide, so a sixth is black on either side.
  const black = plain!.values.slice(middle, middle + 112).filter((value) => value < -122.7 / 255).length;
  expect(black / 112).toBeCloseTo(1 / 3, 1);
  expect(deep.given[0]!.values[0]).toBeCloseTo(BLUE - 103.939, 3);
  expect(deep.given).toHaveLength(2);
});

test('feeds each eye in gray to the eye model, whose first of two classes is closed', async () => {
  const input: ModelInput = { width: 24, height: 24, channels: 'gray', mean: [0], scale: 255, layout: 'nchw' };
  const { models, given } = createRecorder('eye', input, (call) => (call === 0 ? [9, -9] : [-9, 9]));
  const eyes = await readEyes(models, frame, drawLandmarks());
  expect(eyes.left).toBeCloseTo(1, 3);
  expect(eyes.right).toBeCloseTo(0, 3);
  expect(eyes.closed).toBeCloseTo(0.5, 3);
  expect(given[0]!.values[0]).toBeCloseTo((0.299 * RED + 0.587 * GREEN + 0.114 * BLUE) / 255, 4);
});

test('rejects a model by name if its output has another length', async () => {
  const { models } = createRecorder('liveness', bgr(128, [0, 0, 0]), () => [1, 2]);
  await expect(scoreLiveness(models, frame, box)).rejects.toThrow('The model liveness returned 2 values');
  await expect(readEyes(models, frame, drawLandmarks())).rejects.toThrow('The model eye is not loaded');
});

test('gives the challenges no observation while there are two people', () => {
  const face = {
    box,
    score: 1,
    landmarks: new Float32Array(136),
    pose: { yaw: 1, pitch: 2, roll: 3 },
    eyes: { left: 0, right: 0.4, closed: 0.2 },
    light: 100,
    sharpness: 1,
    glasses: 0,
  };
  const report: FrameReport = { people: 1, face, problems: [], advice: null };
  expect(toObservation(report)).toEqual({ landmarks: face.landmarks, pose: face.pose, eyesClosed: 0.2 });
  expect(toObservation({ ...report, people: 2 })).toBeNull();
  expect(toObservation({ people: 0, face: null, problems: ['no_face'], advice: null })).toBeNull();
});

test('combines examinations by their medians, without unrequested values', () => {
  const examine = (liveness: number, age: number) => ({
    liveness,
    age: { age, lowerBound: age - 3 },
    embedding: null,
  });
  expect(combineExaminations([examine(0.9, 30), examine(0.1, 70), examine(0.8, 31)])).toEqual({
    liveness: 0.8,
    age: { age: 31, lowerBound: 28 },
    embedding: null,
  });
  expect(combineExaminations([])).toBeNull();
});
