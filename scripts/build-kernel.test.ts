// The committed WebAssembly modules must match their text.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { buildKernels } from './build-kernel.ts';

test('finds the kernels up to date (otherwise run npm run kernel)', async () => {
  for (const { file, bytes } of await buildKernels()) expect(Buffer.compare(readFileSync(file), bytes)).toBe(0);
});
