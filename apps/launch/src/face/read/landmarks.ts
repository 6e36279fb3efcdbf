import { type Box, type Frame, LANDMARKS, mapOntoBox, readPixels, resizeAround } from '@limen/face-geometry';
import { type FaceModels, getInput, runSingleOutput } from './models.ts';

export async function findLandmarks(models: FaceModels, frame: Frame, face: Box): Promise<Float32Array> {
  const input = getInput(models, 'landmarks');
  const square = resizeAround(face, face.height);
  const from = mapOntoBox(square, input.width, input.height);
  const values = readPixels(frame, input, { from, beyond: 'edge' });
  const shares = await runSingleOutput(models, 'landmarks', values, LANDMARKS * 2);
  return shares.map((share, i) => (i % 2 === 0 ? square.x : square.y) + share * square.height);
}
