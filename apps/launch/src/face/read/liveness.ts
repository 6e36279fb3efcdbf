// The passive sign of life: how much one frame looks like a face before the camera rather than a print or a screen.
// A weak signal: it passes drawn and animated faces. Never take one frame alone.
import { type Box, type Frame, mapOntoBox, moveInside, readPixels, resizeAround, softmax } from '@limen/face-geometry';
import { type FaceModels, inputOf, runForOne } from './models.ts';

/** Side of the square that the model sees ÷ the height of the face. The package's own 2.7 does worse. */
const MARGIN = 1.5;
const CLASSES = 3;

/** 0 to 1; above one half is alive. */
export async function scoreLiveness(models: FaceModels, frame: Frame, face: Box): Promise<number> {
  const input = inputOf(models, 'liveness');
  const square = moveInside(resizeAround(face, face.height * MARGIN), frame.width, frame.height);
  const from = mapOntoBox(square, input.width, input.height);
  const output = await runForOne(models, 'liveness', readPixels(frame, input, { from, beyond: 'edge' }), CLASSES);
  return softmax(output)[0]!;
}
