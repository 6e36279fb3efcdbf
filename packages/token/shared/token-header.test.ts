import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BODY_BYTES } from './parameters.ts';
import { ID_BYTES, readId, readToken, TOKEN_BYTES, type Token, writeId, writeToken } from './token-header.ts';

const TOKEN: Token = {
  keyId: writeId(Uint8Array.from({ length: ID_BYTES }, (_, index) => 255 - index)),
  modelId: writeId(Uint8Array.from({ length: ID_BYTES }, (_, index) => index)),
  body: new Uint8Array(BODY_BYTES).fill(9),
};

test('reads a token of 13,352 bytes as written', () => {
  const bytes = writeToken(TOKEN);
  expect(bytes.length).toBe(13_352);
  expect(readToken(bytes)).toEqual(TOKEN);
});

test.each([
  ['magic', 0, 0x4d],
  ['magic', 3, 0x32],
  ['kind', 4, 0],
  ['kind', 4, 2],
  ['parameters', 5, 2],
  ['parameters', 6, 1],
  ['parameters', 7, 1],
])('refuses a header with another %s', (code, at, value) => {
  const bytes = writeToken(TOKEN);
  bytes[at] = value;
  expect(() => readToken(bytes)).toThrow(expect.objectContaining({ code }));
});

test('refuses another length', () => {
  for (const length of [0, 39, 40, TOKEN_BYTES - 1, TOKEN_BYTES + 1]) {
    expect(() => readToken(new Uint8Array(length))).toThrow(expect.objectContaining({ code: 'length' }));
  }
  expect(() => writeToken({ ...TOKEN, body: new Uint8Array(5) })).toThrow(expect.objectContaining({ code: 'length' }));
});

test('accepts one spelling per id', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: ID_BYTES, maxLength: ID_BYTES }), (bytes) => {
      expect(writeId(bytes)).toBe(Buffer.from(bytes).toString('base64url'));
      expect(readId(writeId(bytes))).toEqual(bytes);
    }),
  );
  for (const text of [
    '',
    'AAAAAAAAAAAAAAAAAAAAAB',
    'AAAAAAAAAAAAAAAAAAAAA',
    'AAAAAAAAAAAAAAAAAAAAA=',
    'A'.repeat(23),
  ]) {
    expect(() => readId(text)).toThrow(expect.objectContaining({ code: 'id' }));
  }
});
