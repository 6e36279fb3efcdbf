// Table of eval:faces for the passive score: portraits at the camera, and pictures of them.

import { computeMedian } from '@limen/face-geometry';
import { chooseFace } from '../../../apps/launch/src/face/quality.ts';
import { detectFaces } from '../../../apps/launch/src/face/read/detect.ts';
import { scoreLiveness } from '../../../apps/launch/src/face/read/liveness.ts';
import type { FaceModels } from '../../../apps/launch/src/face/read/models.ts';
import { areaUnderCurve, describeRate, printTable, quantileOf } from '../shared/rates.ts';
import { PRESENTATIONS, showFrames } from './attacks.ts';
import type { Portrait } from './read.ts';

/** Number of frames of the median. The page uses at least as many. */
const FRAMES = 3;
const CANDIDATES = [0.1, 0.3, 0.5, 0.7, 0.9, 0.95];

export async function reportLiveness(models: FaceModels, portraits: readonly Portrait[], live: number): Promise<void> {
  const still = portraits.flatMap(({ examination }) => examination?.liveness ?? []);
  // Pictures of pictures: one per person, to save time. Portraits: all, because the older ones are
  // difficult.
  const sitters = [...new Map(portraits.map((portrait) => [portrait.person, portrait])).values()];
  const medians = new Map<string, number[]>();
  for (const presentation of PRESENTATIONS) {
    const found: number[] = [];
    for (const [i, { frame }] of (presentation.isAttack ? sitters : portraits).entries()) {
      const scores: number[] = [];
      for (const shown of showFrames(presentation, frame, FRAMES, i + 1)) {
        const { face } = chooseFace(await detectFaces(models, shown));
        if (face) scores.push(await scoreLiveness(models, shown, face.box));
      }
      if (scores.length > 0) found.push(computeMedian(scores));
    }
    medians.set(presentation.name, found);
    console.error(`${presentation.name}: done`);
  }

  const genuine = PRESENTATIONS.filter(({ isAttack }) => !isAttack).flatMap(({ name }) => medians.get(name)!);
  const spread = (values: readonly number[]) => [0, 0.05, 0.25, 0.5, 0.75].map((q) => quantileOf(values, q).toFixed(3));
  printTable(
    `Passive score: single portraits, then medians of ${FRAMES} frames (at ${live}: share that is called alive)`,
    ['', 'n', 'lowest', '5 %', '25 %', 'median', '75 %', `at ${live}`, 'AUC against the first row of frames'],
    [
      row('portraits as files, one frame', still, ''),
      ...PRESENTATIONS.map(({ name, isAttack }) => {
        const scores = medians.get(name)!;
        return row(name, scores, isAttack ? areaUnderCurve(genuine, scores).toFixed(2) : '');
      }),
    ],
  );
  const attacks = PRESENTATIONS.filter(({ isAttack }) => isAttack).flatMap(({ name }) => medians.get(name)!);
  printTable(
    'Effect of other thresholds',
    ['threshold', 'portraits refused', 'pictures of pictures refused'],
    CANDIDATES.map((least) => [String(least), ...[genuine, attacks].map((scores) => countBelow(scores, least))]),
  );

  function row(name: string, scores: readonly number[], area: string): string[] {
    const alive = scores.filter((score) => score >= live).length;
    return [name, String(scores.length), ...spread(scores), describeRate(alive, scores.length), area];
  }
}

function countBelow(scores: readonly number[], least: number): string {
  return describeRate(scores.filter((score) => score < least).length, scores.length);
}
