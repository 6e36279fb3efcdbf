// Portraits on documents: their subjects, and the page's result for a printed and photographed
// portrait.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Recognize } from '@limen/documents';
import { createCamera, type Distortion } from '@limen/documents/testing/distort/index.ts';
import { drawPerson, drawSpecimen, type SpecimenWish } from '@limen/documents/testing/specimens/index.ts';
import { resizeAround } from '@limen/face-geometry';
import { createDocumentReader } from '../../../apps/launch/src/document/create-reader.ts';
import { findPortrait } from '../../../apps/launch/src/document/find-portrait.ts';
import { type CodeReader, createZoneReader } from '../../../apps/launch/src/document/read-code.ts';
import { DOCUMENT_TOOLS } from '../../../apps/launch/src/document/tools.ts';
import { createFrame, type FaceModels, type Frame } from '../../../apps/launch/src/face/index.ts';
import { detectFaces } from '../../../apps/launch/src/face/read/detect.ts';
import { embedFace } from '../../../apps/launch/src/face/read/embed.ts';
import { findLandmarks } from '../../../apps/launch/src/face/read/landmarks.ts';
import { openModels } from '../../../apps/launch/testing/models.ts';
import { cutOut, readPicture, readSample } from '../../../apps/launch/testing/pictures.ts';
import { TODAY } from './read.ts';

export interface Sitter {
  /** People are only compared within a set, because some are in several sets. */
  set: string;
  person: string;
  /** Picture to print. */
  printed: Frame;
  /** Another picture of the person if there is one, otherwise the same. */
  live: Frame;
  isOtherPicture: boolean;
}

const SAMPLES = 6;
/** Minimum face size. Smaller samples are too coarse to print. */
const LEAST_FACE_PX = 60;
/** Timeout. The page would continue for 30 seconds. */
const MOST_FRAMES = 8;

/** Two pictures of the same person first. */
export async function listSitters(folder: string): Promise<Sitter[]> {
  const sitters: Sitter[] = [];
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => /-[ab]\.jpg$/.test(file)) : [];
  for (const file of files.filter((name) => name.endsWith('-b.jpg')).toSorted()) {
    const otherFile = file.replace('-b.jpg', '-a.jpg');
    const printed = await readPicture(join(folder, file));
    const isOtherPicture = files.includes(otherFile);
    const live = isOtherPicture ? await readPicture(join(folder, otherFile)) : printed;
    sitters.push({ set: 'folder', person: file, printed, live, isOtherPicture });
  }
  const models = await openModels(['detect']);
  for (let number = 1; number <= SAMPLES; number += 1) {
    const group = await readSample(number);
    for (const [index, { box }] of (await detectFaces(models, group)).entries()) {
      if (box.height < LEAST_FACE_PX) continue;
      const printed = cutOut(group, resizeAround(box, box.height * 1.5, box.height * 1.9), 330, 418);
      sitters.push({
        set: `sample ${number}`,
        person: `${number}-${index}`,
        printed,
        live: printed,
        isOtherPicture: false,
      });
    }
  }
  return sitters.toSorted((a, b) => Number(b.isOtherPicture) - Number(a.isOtherPicture));
}

export async function readLive(models: FaceModels, { live }: Sitter): Promise<Float32Array | null> {
  const [face] = (await detectFaces(models, live)).toSorted((a, b) => b.box.height - a.box.height);
  return face ? embedFace(models, live, await findLandmarks(models, live, face.box)) : null;
}

/** Mean over the frames that the page would use. */
export async function readFromDocument(
  models: FaceModels,
  { printed }: Sitter,
  kind: SpecimenWish['kind'],
  way: string,
  seed: number,
): Promise<Float32Array | null> {
  const specimen = await drawSpecimen({ kind, person: drawPerson(seed), portrait: printed, seed });
  const { millimetres: millimeters, sides } = specimen;
  const camera = createCamera(sides.portrait!, way as Distortion, { seed: seed * 100 + 7, millimetres: millimeters });
  const recognize: Recognize = async (values, shape) =>
    Object.values(await models.run('document_text', values, shape))[0]!;
  const isPassport = kind === 'passport';
  const reader = createDocumentReader(
    { kind: isPassport ? 'passport' : 'licence', wantsPortrait: true, today: TODAY },
    {
      tools: DOCUMENT_TOOLS,
      // A passport's zone gives the position of its portrait; a card's is on the other side.
      code: isPassport ? createZoneReader(DOCUMENT_TOOLS, recognize, TODAY) : READ_ALREADY,
      findPortrait: (frame, region) => findPortrait(models, frame, region),
    },
  );
  for (let frame = 0; frame < MOST_FRAMES; frame += 1) {
    const { width, height, data } = camera.shoot(frame * 2);
    const { outcome } = await reader.look(createFrame(width, height, data));
    if (outcome && !('problem' in outcome)) return outcome.embedding;
  }
  return null;
}

const READ_ALREADY: CodeReader = {
  read: () => Promise.resolve({ wasRead: false, problem: null, lines: [] }),
  facts: () => ({ type: 'other', country: null, birth: { year: 2000 } }),
  progress: () => 1,
  isFaulty: () => false,
  forget: () => undefined,
};
