// The exported model must equal the trained network.
import { expect, test } from 'vitest';
import { CLASSES, COLUMNS, LINE_HEIGHT, LINE_WIDTH } from '../../packages/documents/src/zone/alphabet.ts';
import { loadModel } from '../../packages/face-models/testing/run-model.ts';
import { createRunner } from './evaluate.ts';
import { exportModel } from './export-model.ts';
import { buildMultiply } from './kernel.ts';
import { PARAMETERS } from './network.ts';
import { initialize } from './optimise.ts';
import { createRandom } from './random.ts';

test("agrees between the page's runtime and the training code on a line", async () => {
  const random = createRandom(3);
  const parameters = new Float32Array(PARAMETERS);
  initialize(parameters, random);
  for (let index = 0; index < PARAMETERS; index += 1) parameters[index]! += random.normal() * 0.01;
  const ink = Float32Array.from({ length: LINE_HEIGHT * LINE_WIDTH }, () => random.next());
  const expected = createRunner(await buildMultiply(), parameters)(ink);
  const model = await loadModel(exportModel(parameters));
  const paper = ink.map((value) => 1 - value);
  const logits = await model.feed(paper, [1, 1, LINE_HEIGHT, LINE_WIDTH]);
  expect(logits).toHaveLength(CLASSES * COLUMNS);
  let most = 0;
  for (const [index, value] of logits.entries()) most = Math.max(most, Math.abs(value - expected[index]!));
  expect(most).toBeLessThan(1e-3);
  expect(Math.max(...expected) - Math.min(...expected)).toBeGreaterThan(1);
});
