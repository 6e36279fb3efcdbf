import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { writeOnnx } from '@limen/face-models/onnx-writer';
import { expect, test } from 'vitest';
import '../../../testing/file-links.ts';

const { startOwn } = await import('./runtime.ts');

const KERNEL = fileURLToPath(import.meta.resolve('@limen/inference/kernel.wasm'));
/** A model with an unspecified input size. */
const MODEL = writeOnnx({
  ...{ name: 'test', nodes: [{ operator: 'Relu', inputs: ['input'], output: 'output' }], tensors: [] },
  input: { name: 'input', dims: ['any', 1, 'height', 'width'] },
  output: { name: 'output', dims: ['any'] },
});

test('opens a model for the given size, after earlier requests', async () => {
  const { open } = await startOwn(readFile(KERNEL).then((bytes) => new Uint8Array(bytes)));
  const course: string[] = [];
  const tied = new Promise<void>((resolve) => {
    setTimeout(() => {
      course.push('tied');
      resolve();
    });
  });
  const model = await open(MODEL, [1, 1, 1, 2]);
  course.push('opened');
  await tied;
  expect(course).toEqual(['tied', 'opened']);
  expect(await model.run(Float32Array.of(-1, 2), [1, 1, 1, 2])).toEqual({ output: Float32Array.of(0, 2) });
});
