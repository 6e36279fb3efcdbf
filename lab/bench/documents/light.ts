// Screen light on a document at a webcam: a person whose face was lit in the same room, then the
// document or a screen that shows it. As on the page, only rooms in which the face was lit count.
import type { Specimen } from '@limen/documents/testing/specimens/index.ts';
import { createRandom } from '@limen/face-geometry/testing/random.ts';
import { measureDocument } from '@limen/light';
import type { Surface } from '@limen/light/testing/document-desk.ts';
import { judgeDocumentPlay } from '@limen/light/testing/play-document.ts';
import { drawRoom } from '@limen/light/testing/room.ts';
import { playAndJudge } from '@limen/light/testing/simulate.ts';
import { drawSitting } from '../attacks/sittings.ts';

export interface ShownSurface {
  name: string;
  isScreen: boolean;
}

export interface LitLook {
  finding: 'reflects' | 'shines' | 'unknown';
  /** Without it the page shows no colors for the document. */
  isFaceLit: boolean;
  ambientLux: number;
  /** In a frame of 1920 by 1080. */
  measureMs: number;
}

const FULL_HD = { width: 1920, height: 1080, data: new Uint8ClampedArray(1920 * 1080 * 4).fill(120) };

export function lightLook(
  look: ShownSurface,
  { sides, millimetres: millimeters, kind }: Specimen & { kind: string },
  seed: number,
): LitLook {
  // Odd numbers are laptops.
  const sitting = drawSitting('person', seed * 2 + 1);
  const { choice, tone } = sitting;
  const room = drawRoom(choice, sitting.seed + 1);
  const face = playAndJudge({ room, species: 'person', tone, seed: sitting.seed + 1 });
  const { ambientLux } = choice;
  const isFaceLit = face.finding === 'lit' && face.figures !== null;
  if (!isFaceLit) return { finding: 'unknown', isFaceLit, ambientLux, measureMs: NaN };
  const random = createRandom(seed * 77 + 3);
  const play = {
    room,
    surface: surfaceOf(look, kind, random),
    document: (sides.zone ?? sides.barcode)!,
    millimetres: millimeters,
    seed,
  };
  const start = performance.now();
  measureDocument(FULL_HD, 0);
  const measured = performance.now();
  const { finding } = judgeDocumentPlay(play, face.figures!.response);
  return { finding, isFaceLit, ambientLux, measureMs: measured - start };
}

function surfaceOf({ isScreen, name }: ShownSurface, kind: string, random: () => number): Surface {
  if (!isScreen) return kind === 'passport' || kind === 'visa' ? 'paper' : 'plastic';
  if (name.startsWith('phone')) return 'phone';
  if (name === 'tablet') return 'tablet';
  return name === 'laptop' && random() < 0.5 ? 'tablet' : 'matte_screen';
}
