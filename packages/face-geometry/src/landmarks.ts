// Indices of the 68 facial landmarks and their groups.
import { averagePoints, type Points } from './geometry.ts';

export const LANDMARKS = 68;
/** The first 17 follow the jaw, where landmarks are least reliable. */
export const FIRST_INNER = 17;

/** Left and right in the picture: its left eye is the person's right one. */
export const LEFT_EYE = { corners: [36, 39], lids: [37, 38, 40, 41] } as const;
export const RIGHT_EYE = { corners: [42, 45], lids: [43, 44, 46, 47] } as const;
export const LAST_OF_EYES = 47;
export const NOSE_TIP = 30;
export const LEFT_MOUTH_CORNER = [48, 60] as const;
export const RIGHT_MOUTH_CORNER = [54, 64] as const;

export function takeInner(landmarks: Points): Float64Array {
  return Float64Array.from(landmarks).slice(FIRST_INNER * 2);
}

/** Returns eye centers, nose and mouth corners; the picture's left before its right. */
export function takeFive(landmarks: Points): number[] {
  return [
    ...averagePoints(landmarks, LEFT_EYE.lids),
    ...averagePoints(landmarks, RIGHT_EYE.lids),
    ...averagePoints(landmarks, [NOSE_TIP]),
    ...averagePoints(landmarks, LEFT_MOUTH_CORNER),
    ...averagePoints(landmarks, RIGHT_MOUTH_CORNER),
  ];
}

/** Measures from between the eyes to the middle of the mouth. A turn hardly changes it. */
export function measureEyeToMouth(landmarks: Points): number {
  const [leftX, leftY, rightX, rightY, , , mouthLeftX, mouthLeftY, mouthRightX, mouthRightY] = takeFive(landmarks);
  return Math.hypot(
    (leftX! + rightX! - mouthLeftX! - mouthRightX!) / 2,
    (leftY! + rightY! - mouthLeftY! - mouthRightY!) / 2,
  );
}

/** Measures how far the eyes are open: height ÷ width. Similar for all people. */
export function measureOpening(landmarks: Points): number {
  const distance = (from: number, to: number) =>
    Math.hypot(landmarks[from * 2]! - landmarks[to * 2]!, landmarks[from * 2 + 1]! - landmarks[to * 2 + 1]!);
  const openings = [LEFT_EYE, RIGHT_EYE].map(({ corners, lids }) => {
    const height = (distance(lids[0], lids[3]) + distance(lids[1], lids[2])) / 2;
    return height / distance(corners[0], corners[1]);
  });
  return (openings[0]! + openings[1]!) / 2;
}
