// Seats people in front of the test camera: faces of the samples or of any portrait, with room
// around them.

import { type Box, createFrame, type Frame, moveInside, resizeAround } from '@limen/face-geometry';
import { encode } from 'jpeg-js';
import { detectFaces } from '../../src/face/read/detect.ts';
import { watchFrame } from '../../src/face/read/estimate.ts';
import type { FaceModels } from '../../src/face/read/models.ts';
import { blurFrame, cutOut, readPicture, readSample } from '../pictures.ts';
import type { SitterData, Size } from './scenes.ts';

/** A face of a sample by its position from the left, or the only face of a file. */
export type Portrait = { sample: number; place: number } | { file: string };

export interface Sitter {
  picture: Frame;
  face: Box;
}

/** In face heights from its middle. Everything farther away is blurred. */
const IN_FOCUS = { x: 0.8, y: 1.15, edge: 0.25 };
const OUT_OF_FOCUS = 40;
/** Side of the moving square in face heights: the head with hair and room to turn. */
const HEAD = 1.9;
const JPEG_QUALITY = 92;
/** Left of the people in sample 3. */
const ROOM = { sample: 3, x: 60, y: 0, height: 290 };

export async function findSitter(models: FaceModels, portrait: Portrait): Promise<Sitter> {
  const isFile = 'file' in portrait;
  const picture = isFile ? await readPicture(portrait.file) : await readSample(portrait.sample);
  const faces = (await detectFaces(models, picture)).toSorted((a, b) => a.box.x - b.box.x);
  const face = faces[isFile ? 0 : portrait.place - 1];
  if (!face) throw new Error(`No such face: ${JSON.stringify(portrait)}`);
  return { picture, face: face.box };
}

/** Centers the face at the given share of the shorter side. */
export async function seat(models: FaceModels, sitter: Sitter, size: Size, share: number): Promise<SitterData> {
  const picture = frameSitter(sitter, size, share);
  const { face } = await watchFrame(models, picture);
  if (!face) throw new Error('The face was lost when it was cut out');
  const side = Math.round(share * Math.min(size.width, size.height) * HEAD);
  const { x, y, width, height } = moveInside(resizeAround(face.box, side), size.width, size.height);
  return {
    picture: encodePicture(picture),
    landmarks: Array.from(face.landmarks),
    light: face.light,
    head: { x: Math.floor(x), y: Math.floor(y), width, height },
  };
}

export async function cutRoom({ width, height }: Size): Promise<string> {
  const box = { x: ROOM.x, y: ROOM.y, width: (ROOM.height * width) / height, height: ROOM.height };
  return encodePicture(cutOut(await readSample(ROOM.sample), box, width, height));
}

function frameSitter({ picture, face }: Sitter, { width, height }: Size, share: number): Frame {
  const faceHeight = share * Math.min(width, height);
  const scale = face.height / faceHeight;
  const sharp = cutOut(picture, resizeAround(face, width * scale, height * scale), width, height);
  const soft = blurFrame(sharp, OUT_OF_FOCUS);
  const data = sharp.data.map((value, i) => {
    const [x, y] = [(i >> 2) % width, Math.floor((i >> 2) / width)];
    const beyondX = Math.abs(x - width / 2) / faceHeight - IN_FOCUS.x;
    const beyondY = Math.abs(y - height / 2) / faceHeight - IN_FOCUS.y;
    const blur = Math.min(Math.max(beyondX / IN_FOCUS.edge, beyondY / IN_FOCUS.edge, 0), 1);
    return value * (1 - blur) + soft.data[i]! * blur;
  });
  return createFrame(width, height, data);
}

function encodePicture({ width, height, data }: Frame): string {
  return encode({ width, height, data }, JPEG_QUALITY).data.toString('base64');
}
