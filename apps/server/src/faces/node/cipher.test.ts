// The cipher against the published test vectors, which another implementation made.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createNodeCipher, type EncryptedField } from './cipher.ts';

interface Vector {
  name: string;
  apiKey: string;
  field: EncryptedField;
  /** Ciphertext. */
  text: string;
  plaintext?: string;
}

const file = new URL('../../../../../packages/sdk/testing/node-encryption-vectors.json', import.meta.url);
const { opens, refused } = JSON.parse(readFileSync(file, 'utf8')) as { opens: Vector[]; refused: Vector[] };

describe('the published vectors', () => {
  it.each(opens)('opens $name', ({ apiKey, field, text, plaintext }) => {
    expect(createNodeCipher(apiKey).decrypt(field, text)?.toString()).toBe(plaintext);
  });

  it.each(refused)('refuses $name', ({ apiKey, field, text }) => {
    expect(createNodeCipher(apiKey).decrypt(field, text)).toBe(undefined);
  });
});

it('opens its own ciphertexts and never repeats one', () => {
  const cipher = createNodeCipher('some-key');
  const [one, two] = [cipher.encrypt('puid', 'a person'), cipher.encrypt('puid', 'a person')];
  expect(one).not.toBe(two);
  expect(cipher.decrypt('puid', one)?.toString()).toBe('a person');
  expect(cipher.decrypt('guid', one)).toBe(undefined);
});
