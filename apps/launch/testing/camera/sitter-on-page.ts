// One person on the page: a still picture with a moving head.
import { createFrame, type Frame } from '@limen/face-geometry';
import type { HeadMotion } from '@limen/face-geometry/testing/head-motion.ts';
import { createPortraitRig } from '../animate-portrait.ts';
import type { SitterData } from './scenes.ts';

export interface SitterOnPage {
  picture: Frame;
  light: number;
  /** Returns the same canvas every time. */
  draw(motion: Partial<HeadMotion>, seed: number): HTMLCanvasElement;
}

export async function openSitter({ picture, landmarks, light, head }: SitterData): Promise<SitterOnPage> {
  const context = await openPicture(picture);
  const { width, height } = context.canvas;
  const fullFrame = takeFrame(context, 0, 0, width, height);
  const portrait = takeFrame(context, head.x, head.y, head.width, head.height);
  const inHead = landmarks.map((value, i) => value - (i % 2 === 0 ? head.x : head.y));
  const rig = createPortraitRig(portrait, inHead);
  return {
    picture: fullFrame,
    light,
    draw(motion, seed) {
      context.putImageData(toImageData(rig.render(motion, seed)), head.x, head.y);
      return context.canvas;
    },
  };
}

export async function openPicture(base64: string): Promise<CanvasRenderingContext2D> {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/jpeg' }));
  const context = createContext(bitmap.width, bitmap.height);
  context.drawImage(bitmap, 0, 0);
  return context;
}

export function createContext(width: number, height: number): CanvasRenderingContext2D {
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  return canvas.getContext('2d', { willReadFrequently: true })!;
}

export function toImageData({ width, height, data }: Frame): ImageData {
  return new ImageData(data as Uint8ClampedArray<ArrayBuffer>, width, height);
}

function takeFrame(context: CanvasRenderingContext2D, x: number, y: number, width: number, height: number): Frame {
  return createFrame(width, height, context.getImageData(x, y, width, height).data);
}
