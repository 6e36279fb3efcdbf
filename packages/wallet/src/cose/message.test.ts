// Conversion of signatures between both forms, checked with Node.
import { generateKeyPairSync, sign, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { encodeDer } from './message.ts';

describe('a signature', () => {
  it.each([
    ['P-256', 32],
    ['P-384', 48],
    ['P-521', 66],
  ])('on %s verifies after conversion, and not after a change', (namedCurve, scalarBytes) => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve });
    for (let n = 0; n < 8; n++) {
      const signature = sign('sha256', Buffer.of(n), { key: privateKey, dsaEncoding: 'ieee-p1363' });
      expect(verify('sha256', Buffer.of(n), publicKey, encodeDer(signature, scalarBytes)!)).toBe(true);
      signature[scalarBytes - 1]! ^= 1;
      expect(verify('sha256', Buffer.of(n), publicKey, encodeDer(signature, scalarBytes)!)).toBe(false);
    }
  });

  it.each<[string, number[], number[]]>([
    ['no leading zeros', [0, 0, 0, 5, 0, 0x7f, 0, 0], [0x30, 8, 2, 1, 5, 2, 3, 0x7f, 0, 0]],
    [
      'a zero before what would be negative',
      [0, 0, 0, 0x80, 0xff, 0, 0, 0],
      [0x30, 11, 2, 2, 0, 0x80, 2, 5, 0, 0xff, 0, 0, 0],
    ],
    ['one digit for zero', [0, 0, 0, 0, 0, 0, 0, 0], [0x30, 6, 2, 1, 0, 2, 1, 0]],
  ])('has %s', (_, signature, der) => {
    expect([...encodeDer(Uint8Array.from(signature), 4)!]).toEqual(der);
  });

  it('of another length is invalid', () => {
    expect(encodeDer(new Uint8Array(63), 32)).toBeNull();
    expect(encodeDer(new Uint8Array(65), 32)).toBeNull();
  });
});
