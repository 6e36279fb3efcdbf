// Input that is refused before decoding, and the limits of accepted input.
import { describe, expect, it } from 'vitest';
import { RefusalError } from '../refusals.ts';
import { encodeCbor } from './codec.ts';
import { scanCbor } from './scan.ts';

const text = (value: string) => [0x60 + value.length, ...Buffer.from(value)];
const DATE = '2026-01-01T00:00:00Z';
const HEAD_OF_TWO_BYTES = 3;

describe('scanCbor accepts', () => {
  it.each<[string, Uint8Array]>([
    ['as many bytes as there may be', encodeCbor(new Uint8Array(65_536 - HEAD_OF_TWO_BYTES))],
    ['as many items as there may be', encodeCbor(Array(4095).fill(0))],
    ['as deep as it may be', Uint8Array.of(...Array(16).fill(0x81), 0)],
    ['a text that is not ASCII', encodeCbor('naïve 🙂')],
    ['a map of many keys', encodeCbor(new Map(Array.from({ length: 40 }, (_, key) => [key, key])))],
    [
      'keys of which one begins the other',
      encodeCbor(
        new Map([
          ['a', 1],
          ['ab', 2],
          ['b', 3],
        ]),
      ),
    ],
    ['a date', Uint8Array.of(0xc0, ...text(DATE))],
  ])('%s', (_, bytes) => {
    expect(() => scanCbor(bytes)).not.toThrow();
  });
});

describe('scanCbor refuses', () => {
  it.each<[string, Uint8Array | number[]]>([
    ['a byte too many', encodeCbor(new Uint8Array(65_537 - HEAD_OF_TWO_BYTES))],
    ['an item too many', encodeCbor(Array(4096).fill(0))],
    // Each element is two items, which the array's count does not show.
    ['an item too many, under tags', [0x99, 0x08, 0x00, ...Array(2048).fill([0xd8, 0x18, 0x40]).flat()]],
    ['a level too many', [...Array(17).fill(0x81), 0]],
    ['nothing', []],
    ['something after it', [0, 0]],
    ['a length that is reserved', [0x1c, ...Array(16).fill(0xff)]],
    ['a length that is reserved, of bytes', [0x5d, ...Array(64).fill(0xff)]],
    ['an indefinite length', [0x9f, 0xff]],
    ['a count that the rest cannot hold', [0x82, 0]],
    ['a length that the rest cannot hold', [0x43, 0, 0]],
    ['a number that is longer than need be', [0x18, 0x17]],
    ['a number of two bytes that is longer than need be', [0x19, 0x00, 0xff]],
    ['a number of four bytes that is longer than need be', [0x1a, 0x00, 0x00, 0xff, 0xff]],
    ['a number of eight bytes that is longer than need be', [0x1b, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]],
    ['a text that is no UTF-8', [0x62, 0x61, 0xff]],
    ['a text whose last letter is cut off', [0x63, 0x61, 0xe2, 0x82]],
    ['a key twice', [0xa2, 1, 0, 1, 0]],
    ['a key twice among many', [0xb8, 40, ...Array.from({ length: 20 }, (_, key) => [key, 0, key, 0]).flat()]],
    ['a text twice as a key', [0xa3, ...text('a'), 0, ...text('b'), 0, ...text('a'), 0]],
    ['a list as a key', [0xa1, 0x80, 0]],
    ['bytes as a key', [0xa1, 0x41, 0, 0]],
    ['an unknown tag', [0xd8, 0x20, 0]],
    ['an undefined value', [0xf7]],
    ['a date of bytes', [0xc0, 0x40 + DATE.length, ...Buffer.from(DATE)]],
    ['a date with a fraction', [0xc0, 0x78, 24, ...Buffer.from('2026-01-01T00:00:00.000Z')]],
    ['a big number of a text', [0xc2, ...text('1')]],
    ['a big number that is too long', [0xc2, 0x58, 33, ...Array(33).fill(1)]],
  ])('%s', (_, bytes) => {
    expect(() => scanCbor(Uint8Array.from(bytes))).toThrow(RefusalError);
  });
});
