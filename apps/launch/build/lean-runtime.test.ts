// What was recorded for the lean runtime belongs to the runtime and the models that are shipped.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { loadManifest } from '@limen/face-models';
import { expect, it } from 'vitest';
import { isLeanEnough, RUNTIME_FILES } from '../src/models/worker/runtime.ts';
import { makeLean, type Recorded } from './lean-runtime.ts';

const { resolve } = createRequire(import.meta.url);
const wasm = readFileSync(resolve('onnxruntime-web/ort-wasm-simd-threaded.wasm'));
const recorded: Recorded = JSON.parse(readFileSync(new URL('./lean-functions.json', import.meta.url), 'utf8'));

it('was recorded with this runtime: else run npm run runtime', () => {
  const lean = makeLean(wasm, recorded);
  expect(lean.length).toBe(RUNTIME_FILES.lean.wasmBytes);
  expect(lean.length / wasm.length).toBeLessThan(0.5);
  expect(WebAssembly.validate(lean)).toBe(true);
});

it('was recorded with all shipped models: else run npm run runtime', async () => {
  const { models } = await loadManifest();
  expect(models.filter(({ sha256 }) => !isLeanEnough(sha256))).toEqual([]);
  expect(isLeanEnough('0'.repeat(64))).toBe(false);
});

it('is not made of another runtime', () => {
  expect(() => makeLean(wasm.subarray(1), recorded)).toThrow('npm run runtime');
});
