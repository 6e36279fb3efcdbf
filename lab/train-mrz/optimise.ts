// Initialization of the parameters, and their updates (Adam).
import { countWeights, LAYERS, PARAMETERS } from './network.ts';
import type { Random } from './random.ts';

/** He initialization, which keeps the deviation of values roughly constant across layers. */
export function initialize(parameters: Float32Array, random: Random): void {
  parameters.fill(0);
  let offset = 0;
  for (const layer of LAYERS) {
    const weights = countWeights(layer);
    const deviation = Math.sqrt((layer.pool ? 2 : 1) / (layer.kernelHeight * layer.kernelWidth * layer.inputs));
    for (let index = 0; index < weights; index += 1) parameters[offset + index] = random.normal() * deviation;
    offset += weights + layer.outputs;
  }
}

export interface Optimizer {
  step(parameters: Float32Array, gradient: Float32Array, rate: number): void;
}

export function createAdam(): Optimizer {
  const mean = new Float32Array(PARAMETERS);
  const square = new Float32Array(PARAMETERS);
  let steps = 0;
  return {
    step(parameters, gradient, rate) {
      steps += 1;
      const meanScale = 1 / (1 - 0.9 ** steps);
      const squareScale = 1 / (1 - 0.999 ** steps);
      for (let index = 0; index < PARAMETERS; index += 1) {
        const slope = gradient[index]!;
        mean[index] = 0.9 * mean[index]! + 0.1 * slope;
        square[index] = 0.999 * square[index]! + 0.001 * slope * slope;
        parameters[index]! -= (rate * mean[index]! * meanScale) / (Math.sqrt(square[index]! * squareScale) + 1e-8);
      }
    },
  };
}
