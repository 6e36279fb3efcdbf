// Material for detecting screens: documents on screens of all kinds, and originals with confusable
// prints or tables. Only the center of a frame is generated, in each camera's resolution.
import { type CopySign, findCopySigns } from '@limen/documents';
import {
  BUSY_TABLES,
  CAMERA_KINDS,
  CAMERAS,
  type CameraName,
  createCamera,
  type Distortion,
  type PhotographOptions,
  PRINTS,
  SCREENS,
} from '@limen/documents/testing/distort/index.ts';
import {
  drawPerson,
  drawSpecimen,
  type Specimen,
  type SpecimenWish,
} from '@limen/documents/testing/specimens/index.ts';
import { createSignCount } from '../../../apps/launch/src/document/gather.ts';
import { type LitLook, lightLook, type ShownSurface } from './light.ts';

export interface Look extends ShownSurface {
  how: Distortion;
  held: Pick<PhotographOptions, 'screen' | 'print' | 'table'>;
}

export const LOOKS: readonly Look[] = [
  ...SCREENS.map((screen) => ({ name: screen, isScreen: true, how: 'on_screen' as const, held: { screen } })),
  ...(['clean', 'typical', 'hard'] as const).map((how) => ({ name: how, isScreen: false, how, held: {} })),
  ...PRINTS.map((print) => ({ name: print, isScreen: false, how: 'clean' as const, held: { print } })),
  ...BUSY_TABLES.map((table) => ({ name: table, isScreen: false, how: 'typical' as const, held: { table } })),
];

const KINDS: readonly SpecimenWish['kind'][] = ['card', 'passport', 'licence_us', 'card_td2', 'visa', 'licence_ca'];
/** Number of documents per kind. Drawing one takes longer than photographing it. */
const OF_A_KIND = 2;
const PART = { width: 960, height: 544 };
const CORNERS = [
  { x: 0, y: 0 },
  { x: PART.width, y: 0 },
  { x: PART.width, y: PART.height },
  { x: 0, y: PART.height },
];
/** Minimum number and distance of frames, as for a zone. */
const FRAMES = [0, 2];

/** By kind of document and number. */
const specimens = new Map<string, Promise<Specimen>>();

/** All four occur with all six kinds of document. */
export function cameraOf(seed: number): CameraName {
  return CAMERAS[(seed + Math.floor(seed / 12)) % CAMERAS.length]!;
}

/** Number of documents from this number on until every camera was used. */
export function countScreensNeeded(cameras: readonly string[], from: number): number {
  const left = new Set(cameras);
  let count = 0;
  for (; left.size > 0; count += 1) left.delete(cameraOf(from + count));
  return count;
}

/** Number of looks, and time per frame. */
export interface Looked {
  /** By the grid, or lack of color. */
  signs: CopySign[];
  signsMs: number;
  /** By the screen's light, which only a webcam's screen casts on a document. */
  light: LitLook | null;
}

export async function lookForSigns(look: Look, seed: number): Promise<{ job: 'signs' } & Looked> {
  const specimen = await takeSpecimen(seed);
  const { sides, millimetres: millimeters } = specimen;
  const name = cameraOf(seed);
  // Each look has its own lenses, poses and noise.
  const own = seed * LOOKS.length + LOOKS.findIndex((other) => other.name === look.name);
  const taken = { ...CAMERA_KINDS[name].frame, part: PART, camera: name, ...look.held };
  const camera = createCamera(sides.zone ?? sides.barcode!, look.how, {
    seed: own,
    millimetres: millimeters,
    ...taken,
  });
  const count = createSignCount();
  let signsMs = 0;
  for (const frame of FRAMES) {
    const picture = camera.shoot(frame);
    const start = performance.now();
    count.add(() => findCopySigns(picture, CORNERS));
    signsMs += (performance.now() - start) / FRAMES.length;
  }
  // Looks are twice as many as room kinds, so the look's number alone would always select the same
  // room.
  const light = name.startsWith('webcam')
    ? lightLook(look, { ...specimen, kind: KINDS[seed % KINDS.length]! }, own + seed)
    : null;
  return { job: 'signs', signs: count.list(), signsMs, light };
}

function takeSpecimen(seed: number): Promise<Specimen> {
  const kind = KINDS[seed % KINDS.length]!;
  const number = Math.floor(seed / KINDS.length) % OF_A_KIND;
  const key = `${kind} ${number}`;
  const drawn = specimens.get(key) ?? drawSpecimen({ kind, person: drawPerson(number), seed: number });
  specimens.set(key, drawn);
  return drawn;
}
