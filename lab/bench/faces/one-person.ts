// Table of eval:faces for the identity check: animated portraits in the poses of the movements,
// compared with two frames of the same head at rest, and of every other.

import { type HeadMotion, sway } from '@limen/face-geometry/testing/head-motion.ts';
import { combineEmbeddings, compareEmbeddings, embedFace } from '../../../apps/launch/src/face/read/embed.ts';
import { watchFrame } from '../../../apps/launch/src/face/read/estimate.ts';
import type { FaceModels } from '../../../apps/launch/src/face/read/models.ts';
import { createPortraitRig } from '../../../apps/launch/testing/animate-portrait.ts';
import { cutPortrait, PRINT } from '../../../apps/launch/testing/pictures.ts';
import { describeRate, printTable, quantileOf } from '../shared/rates.ts';
import type { Portrait } from './read.ts';

interface Pose {
  name: string;
  motion: Partial<HeadMotion>;
  /** Compared with the stricter threshold. */
  isAhead?: boolean;
}

const POSES: readonly Pose[] = [
  { name: 'rest', motion: {}, isAhead: true },
  ...[20, 25, 30, 38].flatMap((degrees) => [
    { name: `turn left by ${degrees}°`, motion: { yaw: degrees } },
    { name: `turn right by ${degrees}°`, motion: { yaw: -degrees } },
  ]),
  ...[15, 20, 25, 32].map((degrees) => ({ name: `look up by ${degrees}°`, motion: { pitch: degrees } })),
  { name: 'eyes closed', motion: { lids: 1 } },
];
/** Between two frames, so that the head moves slightly. */
const APART_MS = 700;

interface Sitter {
  person: string;
  reference: Float32Array;
  /** By pose. Null if no face was found. */
  poses: Map<string, Float32Array | null>;
}

export async function reportOnePerson(
  models: FaceModels,
  portraits: readonly Portrait[],
  thresholds: ReadonlyMap<string, number>,
): Promise<void> {
  const sitters: Sitter[] = [];
  for (const portrait of portraits) {
    const sitter = await seat(models, portrait);
    if (sitter) sitters.push(sitter);
    if (sitters.length % 8 === 0) console.error(`${sitters.length} heads moved`);
  }
  const [ahead, moving] = ['falseMatch1In100000', 'falseMatch1In1000'].map((name) => thresholds.get(name)!);
  printTable(
    `One person from the first frame to the last: against two frames of rest (${ahead} ahead, ${moving} moving)`,
    ['', 'lowest', '5 %', 'median', 'below the threshold', 'somebody else, 99.9 %', 'highest', 'reach it'],
    POSES.map((pose) => describePose(pose, sitters, pose.isAhead ? ahead! : moving!)),
  );
}

async function seat(models: FaceModels, { person, frame, report }: Portrait): Promise<Sitter | null> {
  const portrait = report.face && cutPortrait(frame, report.face.box);
  const face = portrait && (await watchFrame(models, portrait)).face;
  if (!portrait || !face) return null;
  const rig = createPortraitRig(portrait, face.landmarks, { within: PRINT });
  let now = 0;
  const measure = async (motion: Partial<HeadMotion>) => {
    now += APART_MS;
    const swaying = sway(now, 1);
    const moved = Object.entries(motion).map(([name, value]) => [name, value + swaying[name as keyof HeadMotion]]);
    const shown = rig.render({ ...swaying, ...Object.fromEntries(moved) }, now);
    const seen = (await watchFrame(models, shown)).face;
    return seen && embedFace(models, shown, seen.landmarks);
  };
  const rest = [await measure({}), await measure({})].filter((vector) => vector !== null);
  const reference = combineEmbeddings(rest);
  const poses = new Map<string, Float32Array | null>();
  for (const { name, motion } of POSES) poses.set(name, await measure(motion));
  return reference && { person, reference, poses };
}

function describePose({ name }: Pose, sitters: readonly Sitter[], least: number): string[] {
  const [same, otherScores]: [number[], number[]] = [[], []];
  for (const { person, poses } of sitters)
    for (const sitter of sitters) {
      const vector = poses.get(name);
      if (!vector || (sitter.person === person && sitter.poses !== poses)) continue;
      (sitter.poses === poses ? same : otherScores).push(compareEmbeddings(vector, sitter.reference));
    }
  const show = (values: readonly number[], ...shares: number[]) => shares.map((q) => quantileOf(values, q).toFixed(3));
  const count = (values: readonly number[], isCounted: (value: number) => boolean) =>
    describeRate(values.filter(isCounted).length, values.length);
  return [
    name,
    ...show(same, 0, 0.05, 0.5),
    count(same, (similarity) => similarity < least),
    ...show(otherScores, 0.999, 1),
    count(otherScores, (similarity) => similarity >= least),
  ];
}
