// The conversions that a manifest can name.

import type { Conversion } from '../manifest.ts';
import { convertFaceApiAge } from './convert-face-api-age.ts';
import { convertFaceresDeep } from './convert-faceres-deep.ts';

const CONVERTERS: Record<Conversion, (description: Buffer, weights: Buffer) => Uint8Array> = {
  'face-api-age': convertFaceApiAge,
  'faceres-deep': convertFaceresDeep,
};

export function convertModel(conversion: Conversion, description: Buffer, weights: Buffer): Uint8Array {
  return CONVERTERS[conversion](description, weights);
}
