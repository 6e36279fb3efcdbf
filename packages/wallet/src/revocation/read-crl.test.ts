// Parsing of DER values, and invalid ones.
import { expect, it } from 'vitest';
import { RefusalError } from '../refusals.ts';
import { readDer } from './read-crl.ts';

const read = (...bytes: number[]) => [...readDer(Buffer.from(bytes))].map(({ tag, content }) => [tag, content.length]);
const zeros = (length: number) => Array<number>(length).fill(0);

it('reads consecutive values', () => {
  expect(read()).toEqual([]);
  expect(read(0x05, 0, 0x02, 1, 7)).toEqual([
    [0x05, 0],
    [0x02, 1],
  ]);
  expect(read(0x04, 0x81, 0x80, ...zeros(0x80))).toEqual([[0x04, 0x80]]);
  expect(read(0x04, 0x82, 0x01, 0x00, ...zeros(0x100))).toEqual([[0x04, 0x100]]);
});

it.each<[string, number[]]>([
  ['a tag without a length', [0x05]],
  ['a tag of several bytes', [0x1f, 0x00]],
  ['an indefinite length', [0x30, 0x80, 0x00, 0x00]],
  ['a length that is cut off', [0x04, 0x82, 0x01]],
  ['a length of five bytes', [0x04, 0x85, 0, 0, 0, 0, 1, 0]],
  ['a length that needs no byte of its own', [0x04, 0x81, 0x01, 0x00]],
  ['a length that begins with nothing', [0x04, 0x82, 0x00, 0x80, ...zeros(0x80)]],
  ['a length beyond the end', [0x04, 0x02, 0x00]],
])('refuses %s', (_, bytes) => {
  expect(() => read(...bytes)).toThrow(RefusalError);
});
