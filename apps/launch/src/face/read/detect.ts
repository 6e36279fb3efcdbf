import type { Box } from '@limen/face-geometry';
import { type Frame, readPixels } from '@limen/face-geometry';
import { checkOutput, type FaceModels, getInput, getThreshold, runModel } from './models.ts';

export interface DetectedFace {
  box: Box;
  score: number;
}

/** Limits the number of comparisons in a crowd. */
const MAX_CANDIDATES = 200;

export async function detectFaces(models: FaceModels, frame: Frame): Promise<DetectedFace[]> {
  const input = getInput(models, 'detect');
  // Keeps the aspect ratio: squeezing a portrait frame into a landscape input loses faces.
  const scale = Math.max(frame.width / input.width, frame.height / input.height);
  const from = {
    a: scale,
    b: 0,
    c: (frame.width - input.width * scale) / 2,
    d: 0,
    e: scale,
    f: (frame.height - input.height * scale) / 2,
  };
  const outputs = await runModel(models, 'detect', readPixels(frame, input, { from, beyond: 'black' }));
  const scores = outputs['scores'] ?? new Float32Array();
  const corners = checkOutput('detect', outputs['boxes'], scores.length * 2);

  const minScore = getThreshold(models, 'detect', 'score');
  const found: DetectedFace[] = [];
  for (let i = 0; i < scores.length / 2; i += 1) {
    const score = scores[i * 2 + 1]!;
    if (!(score >= minScore)) continue;
    const x = corners[i * 4]! * input.width * scale + from.c;
    const y = corners[i * 4 + 1]! * input.height * scale + from.f;
    const width = corners[i * 4 + 2]! * input.width * scale + from.c - x;
    const height = corners[i * 4 + 3]! * input.height * scale + from.f - y;
    if (width > 0 && height > 0) found.push({ box: { x, y, width, height }, score });
  }
  return keepBest(found, getThreshold(models, 'detect', 'overlap'));
}

/** Suppresses non-maxima: boxes that overlap by more than `maxOverlap` are one face. */
export function keepBest(found: readonly DetectedFace[], maxOverlap: number): DetectedFace[] {
  const kept: DetectedFace[] = [];
  for (const face of found.toSorted((a, b) => b.score - a.score).slice(0, MAX_CANDIDATES))
    if (kept.every(({ box }) => measureOverlap(box, face.box) <= maxOverlap)) kept.push(face);
  return kept;
}

/** Computes the intersection over union. */
export function measureOverlap(a: Box, b: Box): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  if (width <= 0 || height <= 0) return 0;
  return (width * height) / (a.width * a.height + b.width * b.height - width * height);
}
