// Analytic gradients compared with numeric differences of the loss.
import { expect, test } from 'vitest';
import { CLASSES, LINE_HEIGHT } from '../../packages/documents/src/zone/alphabet.ts';
import { buildMultiply, createKernel } from './kernel.ts';
import { addLoss } from './loss.ts';
import { countWeights, createTrainableNetwork, LAYERS, PADDED_CLASSES, PARAMETERS } from './network.ts';
import { initialize } from './optimise.ts';
import { createRandom } from './random.ts';

const WIDTH = 32;
const module = await buildMultiply();

test('has the numeric gradient for every kind of parameter', () => {
  const random = createRandom(7);
  const network = createTrainableNetwork(createKernel(module, 4_000_000), WIDTH);
  initialize(network.parameters, random);
  for (let index = 0; index < PARAMETERS; index += 1) network.parameters[index]! += random.normal() * 0.02;
  network.refresh();
  const ink = Float32Array.from({ length: LINE_HEIGHT * WIDTH }, () => random.next());
  const labels = Int8Array.from({ length: WIDTH / 4 }, () => random.below(CLASSES));
  const byOutput = new Float32Array((WIDTH / 4) * PADDED_CLASSES);
  const measure = () => addLoss(network.forward(ink), labels, byOutput.fill(0)).loss;
  measure();
  network.backward(byOutput);
  const gradient = network.gradient.slice();

  let offset = 0;
  for (const [number, shape] of LAYERS.entries()) {
    const length = countWeights(shape) + shape.outputs;
    const strongest = [...gradient.subarray(offset, offset + length).entries()]
      .sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]))
      .slice(0, 40)
      .map(([index]) => offset + index);
    const biases = [...Array(4).keys()].map((index) => offset + countWeights(shape) + index);
    let agreeing = 0;
    for (const index of [...strongest, ...biases]) {
      const before = network.parameters[index]!;
      network.parameters[index] = before + 1e-3;
      const above = measure();
      network.parameters[index] = before - 1e-3;
      const below = measure();
      network.parameters[index] = before;
      const expected = (above - below) / 2e-3;
      if (Math.abs(expected - gradient[index]!) < 0.02 * Math.abs(gradient[index]!) + 2e-3) agreeing += 1;
    }
    // A difference across a maximum's kink is off. Few are.
    expect(agreeing, `layer ${number}`).toBeGreaterThan(40);
    offset += length;
  }
});

test('gives an output that is independent of earlier inputs', () => {
  const random = createRandom(8);
  const network = createTrainableNetwork(createKernel(module, 4_000_000), WIDTH);
  initialize(network.parameters, random);
  const ink = Float32Array.from({ length: LINE_HEIGHT * WIDTH }, () => random.next());
  const before = network.forward(ink).slice();
  network.forward(new Float32Array(LINE_HEIGHT * WIDTH).fill(1));
  expect(network.forward(ink)).toEqual(before);
});
