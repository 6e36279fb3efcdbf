// Passive liveness: how much a frame looks like a real face rather than a print or a screen. A weak
// signal that passes drawn and animated faces. Never rely on one frame.
import { type Box, type Frame, mapOntoBox, moveInside, readPixels, resizeAround, softmax } from '@limen/face-geometry';
import { type FaceModels, getInput, runSingleOutput } from './models.ts';

/** Side of the square relative to the face's height. The package's own 2.7 performs worse. */
const MARGIN = 1.5;
const CLASSES = 3;

/** Returns 0 to 1; above 0.5 is live. */
export async function scoreLiveness(models: FaceModels, frame: Frame, face: Box): Promise<number> {
  const input = getInput(models, 'liveness');
  const square = moveInside(resizeAround(face, face.height * MARGIN), frame.width, frame.height);
  const from = mapOntoBox(square, input.width, input.height);
  const output = await runSingleOutput(models, 'liveness', readPixels(frame, input, { from, beyond: 'edge' }), CLASSES);
  return softmax(output)[0]!;
}
