// A training thread: draws its share of each batch and sums up the gradient.
import { parentPort, workerData } from 'node:worker_threads';
import { COLUMN_WIDTH } from '../../packages/documents/src/zone/alphabet.ts';
import { drawPiece } from './draw-line.ts';
import { loadFaces } from './glyphs.ts';
import { createKernel } from './kernel.ts';
import { addLoss } from './loss.ts';
import { createTrainableNetwork, PADDED_CLASSES } from './network.ts';
import { createRandom } from './random.ts';

export interface ThreadData {
  module: Uint8Array;
  seed: number;
  parameters: Float32Array;
  gradient: Float32Array;
  width: number;
}

/** This thread's samples of a batch, by position in the whole sequence. */
export interface ThreadTask {
  from: number;
  to: number;
}

export interface ThreadResult {
  loss: number;
  columns: number;
  right: number;
}

const { module, seed, parameters, gradient, width } = workerData as ThreadData;
const network = createTrainableNetwork(createKernel(module, 16_000_000), width);
const faces = loadFaces();
const byOutput = new Float32Array((width / COLUMN_WIDTH) * PADDED_CLASSES);

parentPort!.on('message', ({ from, to }: ThreadTask) => {
  network.parameters.set(parameters);
  network.refresh();
  network.gradient.fill(0);
  const result: ThreadResult = { loss: 0, columns: 0, right: 0 };
  for (let position = from; position < to; position += 1) {
    const { ink, labels } = drawPiece(createRandom(seed, position), faces, width);
    const part = addLoss(network.forward(ink), labels, byOutput.fill(0));
    network.backward(byOutput);
    result.loss += part.loss;
    result.columns += part.columns;
    result.right += part.right;
  }
  gradient.set(network.gradient);
  parentPort!.postMessage(result);
});
