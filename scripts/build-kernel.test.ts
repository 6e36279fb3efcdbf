// The committed WebAssembly modules are what their text builds to.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { buildKernels } from './build-kernel.ts';

test('the kernels are up to date: else run npm run kernel', async () => {
  for (const { file, bytes } of await buildKernels()) expect(Buffer.compare(readFileSync(file), bytes)).toBe(0);
});
