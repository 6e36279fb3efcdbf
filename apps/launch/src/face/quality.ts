// Problems of a frame, in the order in which a person should fix them.

import type { Points, Pose } from '@limen/face-geometry';
import { ALIGNED_SIDE, alignFace, type Frame, readPixels } from '@limen/face-geometry';
import type { DetectedFace } from './read/detect.ts';
import { GLASSES_THRESHOLD, measureGlasses } from './read/glasses.ts';

export const QUALITY_PROBLEMS = [
  'no_face',
  'several_faces',
  'too_far',
  'too_close',
  'off_centre',
  'too_dark',
  'too_bright',
  'blurred',
  'turned_away',
] as const;
export type QualityProblem = (typeof QUALITY_PROBLEMS)[number];

/** Worth requesting, but not required: not everyone can take their glasses off. */
export type Advice = 'glasses';

export interface FaceMeasures {
  /** Mean brightness of the face, 0 to 255. */
  light: number;
  /** Variance of the Laplacian relative to the brightness's, so that poor light is no blur. */
  sharpness: number;
  /** Strength of a line across the bridge of the nose. Only meaningful on frontal, sharp faces. */
  glasses: number;
}

export interface QualityRules {
  /** Height of the face relative to the frame's shorter side. */
  minSize: number;
  maxSize: number;
  /** Distance of its middle from the frame's, as a share of the frame's sides. */
  maxOffset: number;
  minLight: number;
  maxLight: number;
  minSharpness: number;
  /** Degrees. People at rest deviate by up to 8 in yaw and 12 in pitch. */
  maxYaw: number;
  maxPitch: number;
  /** Share of the main face's height from which a face counts as a second person. */
  secondFace: number;
}

export const DEFAULT_QUALITY_RULES: QualityRules = {
  minSize: 0.28,
  maxSize: 0.8,
  maxOffset: 0.22,
  minLight: 45,
  maxLight: 215,
  minSharpness: 0.04,
  maxYaw: 15,
  maxPitch: 20,
  secondFace: 0.4,
};

const ALIGNED = {
  width: ALIGNED_SIDE,
  height: ALIGNED_SIDE,
  channels: 'gray' as const,
  mean: [0],
  scale: 1,
  layout: 'nchw' as const,
};
/** The part of the aligned picture that is face on every head: brows to chin. */
const INNER = { left: 26, right: 86, top: 34, bottom: 104 };

export function measureFace(frame: Frame, landmarks: Points): FaceMeasures {
  const gray = readPixels(frame, ALIGNED, { from: alignFace(landmarks), beyond: 'edge' });
  let [count, sum, square, edges, edgesSquare] = [0, 0, 0, 0, 0];
  for (let y = INNER.top; y < INNER.bottom; y += 1) {
    for (let x = INNER.left; x < INNER.right; x += 1) {
      const i = y * ALIGNED_SIDE + x;
      const value = gray[i]!;
      const edge = gray[i - 1]! + gray[i + 1]! + gray[i - ALIGNED_SIDE]! + gray[i + ALIGNED_SIDE]! - 4 * value;
      count += 1;
      sum += value;
      square += value * value;
      edges += edge;
      edgesSquare += edge * edge;
    }
  }
  const variance = square / count - (sum / count) ** 2;
  const light = sum / count;
  return {
    light,
    sharpness: (edgesSquare / count - (edges / count) ** 2) / Math.max(variance, 1),
    glasses: measureGlasses(gray, light),
  };
}

/** Returns the main face and the number of people. */
export function chooseFace(faces: readonly DetectedFace[], { secondFace }: QualityRules = DEFAULT_QUALITY_RULES) {
  const [face, ...otherFaces] = faces.toSorted((a, b) => b.box.height - a.box.height);
  if (!face) return { face: null, people: 0 };
  const people = 1 + otherFaces.filter(({ box }) => box.height >= secondFace * face.box.height).length;
  return { face, people };
}

export interface FrameFacts {
  frame: Pick<Frame, 'width' | 'height'>;
  people: number;
  face: (Pick<DetectedFace, 'box'> & FaceMeasures & { pose: Pose }) | null;
}

export function findProblems(facts: FrameFacts, rules: QualityRules = DEFAULT_QUALITY_RULES): QualityProblem[] {
  const { frame, face, people } = facts;
  if (!face) return ['no_face'];
  const { box, light, sharpness, pose } = face;
  const size = box.height / Math.min(frame.width, frame.height);
  const offsetX = Math.abs(box.x + box.width / 2 - frame.width / 2) / frame.width;
  const offsetY = Math.abs(box.y + box.height / 2 - frame.height / 2) / frame.height;
  const isWrong: Record<QualityProblem, boolean> = {
    no_face: false,
    several_faces: people > 1,
    too_far: size < rules.minSize,
    too_close: size > rules.maxSize,
    off_centre: Math.max(offsetX, offsetY) > rules.maxOffset,
    too_dark: light < rules.minLight,
    too_bright: light > rules.maxLight,
    blurred: sharpness < rules.minSharpness,
    turned_away: Math.abs(pose.yaw) > rules.maxYaw || Math.abs(pose.pitch) > rules.maxPitch,
  };
  return QUALITY_PROBLEMS.filter((problem) => isWrong[problem]);
}

/** Returns null if there are problems, which come first and make the measurement unreliable. */
export function chooseAdvice(face: FaceMeasures | null, problems: readonly QualityProblem[]): Advice | null {
  return face && problems.length === 0 && face.glasses >= GLASSES_THRESHOLD ? 'glasses' : null;
}
