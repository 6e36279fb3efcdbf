import { Tag } from 'cbor-x/index-no-eval';
import { expect, it } from 'vitest';
import { encodeCbor } from './codec.ts';
import { writeArray, writeBytes, writeEncoded, writeText } from './write.ts';

it.each([0, 1, 23, 24, 255, 256, 65_535, 65_536])('writes the library’s bytes for a length of %i', (length) => {
  const bytes = new Uint8Array(length).fill(0x61);
  const text = 'a'.repeat(length);
  expect(Buffer.concat(writeBytes(bytes))).toEqual(Buffer.from(encodeCbor(bytes)));
  expect(Buffer.concat(writeText(text))).toEqual(Buffer.from(encodeCbor(text)));
  expect(Buffer.concat(writeEncoded(bytes))).toEqual(Buffer.from(encodeCbor(new Tag(bytes, 24))));
  const array = [writeArray(length), ...Array<Uint8Array>(length).fill(Uint8Array.of(0))];
  expect(Buffer.concat(array)).toEqual(Buffer.from(encodeCbor(Array(length).fill(0))));
});
