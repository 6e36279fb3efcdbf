// The conversions that a manifest can name.

import type { Conversion } from '../manifest.ts';
import { compactOnnx } from './compact-onnx.ts';
import { convertFaceApiAge } from './convert-face-api-age.ts';
import { convertFaceresDeep } from './convert-faceres-deep.ts';

/** `weights`: empty if the model contains them. */
const CONVERTERS: Record<Conversion, (model: Buffer, weights: Buffer) => Uint8Array> = {
  'face-api-age': convertFaceApiAge,
  'faceres-deep': convertFaceresDeep,
  int8: (model) => compactOnnx(model, 8),
  int16: (model) => compactOnnx(model, 16),
};

export function convertModel(conversion: Conversion, model: Buffer, weights: Buffer): Uint8Array {
  return CONVERTERS[conversion](model, weights);
}
