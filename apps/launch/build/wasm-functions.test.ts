// Modules whose functions are left out or say when they are called still do the rest as before.

import { beforeAll, expect, it } from 'vitest';
import createWabt from 'wabt';
import { CALLS, keepFunctions, measureFunctions, noteCalls } from './wasm-functions.ts';

/** More functions than one byte of an index can hold, and one that has variables of its own. */
const TEXT = `(module
  (import "env" "memory" (memory 1 1 shared))
  (import "env" "tell" (func $tell (param i32)))
  (func (export "double") (param i32) (result i32) (local i64 i32)
    local.get 0 i32.const 2 i32.mul local.set 2
    local.get 2 call $tell
    local.get 2)
  ${'(func (result i32) i32.const 7)\n'.repeat(198)}
  (func (export "last") (result i32) i32.const 200))`;

let module: Uint8Array;
beforeAll(async () => {
  const wabt = await createWabt();
  const parsed = wabt.parseWat('test.wat', TEXT, { threads: true });
  module = parsed.toBinary({}).buffer;
  parsed.destroy();
});

interface Exports {
  double(value: number): number;
  last(): number;
}

async function start(bytes: Uint8Array, imports: WebAssembly.Imports = {}) {
  const told: number[] = [];
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
  const env = { memory, tell: (value: number) => void told.push(value) };
  const { instance } = await WebAssembly.instantiate(Uint8Array.from(bytes), { env, ...imports });
  return { told, exports: instance.exports as unknown as Exports };
}

it('measures each function', () => {
  const sizes = measureFunctions(module);
  expect(sizes).toHaveLength(200);
  expect(new Set(sizes.slice(1, 199)).size).toBe(1);
  expect(measureFunctions(module.subarray(0, 8))).toEqual([]);
  expect(() => measureFunctions(module.subarray(0, 100))).toThrow('ends too soon');
});

it('leaves out what is not kept: it ends with a trap', async () => {
  const lean = keepFunctions(module, (index) => index === 0);
  expect(lean.length).toBeLessThan(module.length);
  const { exports, told } = await start(lean);
  expect([exports.double(4), told]).toEqual([8, [8]]);
  expect(() => exports.last()).toThrow(WebAssembly.RuntimeError);
});

it('keeps every byte where all are kept', () => {
  expect(keepFunctions(module, () => true).equals(module)).toBe(true);
});

it('notes which functions are called', async () => {
  const memory = new WebAssembly.Memory({ initial: CALLS.pages, maximum: CALLS.pages, shared: true });
  const { exports, told } = await start(noteCalls(module), { [CALLS.module]: { [CALLS.name]: memory } });
  const called = () => [...new Uint8Array(memory.buffer)].flatMap((one, index) => (one ? [index] : []));
  expect([exports.last(), called()]).toEqual([200, [199]]);
  expect([exports.double(4), told, called()]).toEqual([8, [8], [0, 199]]);
});
