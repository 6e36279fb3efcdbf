import { afterEach, expect, test } from 'vitest';
import { makeKeyPair } from '../keyholder/index.ts';
import { readToken, TOKEN_BYTES } from '../shared/index.ts';
import { randomVector } from '../testing/vectors.ts';
import { openDevice } from './index.ts';

const ID = 'AAAAAAAAAAAAAAAAAAAAAA';

interface Instance {
  exports: Record<string, unknown>;
}

/** Emscripten's instantiation, which our WebAssembly types omit. */
const wasm = WebAssembly as unknown as {
  instantiate(...args: unknown[]): Promise<Instance | { instance: Instance }>;
};
const { instantiate } = wasm;

afterEach(() => {
  wasm.instantiate = instantiate;
});

/** SEAL's memory belongs to its module and is accessible at instantiation. */
function watchMemory() {
  const found: { memory?: WebAssembly.Memory } = {};
  wasm.instantiate = async (...args) => {
    const made = await instantiate(...args);
    const { exports } = 'instance' in made ? made.instance : made;
    const memory = Object.values(exports).find((value) => value instanceof WebAssembly.Memory);
    if (memory) found.memory = memory;
    return made;
  };
  return found;
}

test('has a header and a fixed length, and is different each time', async () => {
  const { publicKey } = await makeKeyPair();
  const device = await openDevice();
  const vector = randomVector();
  const tokens = [1, 2].map(() => device.encrypt(vector, { publicKey, keyId: ID }, ID));
  device.close();
  for (const token of tokens) {
    expect(token.length).toBe(TOKEN_BYTES);
    expect(readToken(token)).toMatchObject({ keyId: ID, modelId: ID });
  }
  expect(tokens[0]).not.toEqual(tokens[1]);
});

test('does not leave the vector in SEAL’s memory', async () => {
  const { publicKey } = await makeKeyPair();
  const found = watchMemory();
  const device = await openDevice();
  const vector = randomVector();
  device.encrypt(vector, { publicKey, keyId: ID }, ID);
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  const numbers = new Set(Array.from(vector, (value) => value / length));
  const stayed = new Float64Array(found.memory!.buffer).filter((value) => numbers.has(value));
  device.close();
  // Without overwriting, 509 of 512 numbers remain; with it, none or one.
  expect(stayed.length).toBeLessThan(8);
});
