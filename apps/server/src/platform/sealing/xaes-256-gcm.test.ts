// XAES-256-GCM against the published vectors of its specification, and as a property.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createXaes } from './xaes-256-gcm.ts';

const text = (value: string) => Buffer.from(value);

describe('XAES-256-GCM', () => {
  it.each([
    { byte: 0x01, aad: '', ciphertext: 'ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271' },
    {
      byte: 0x03,
      aad: 'c2sp.org/XAES-256-GCM',
      ciphertext: '986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d',
    },
  ])('seals as the specification says (key of $byte bytes, associated data "$aad")', ({ byte, aad, ciphertext }) => {
    const nonce = text('ABCDEFGHIJKLMNOPQRSTUVWX');
    const xaes = createXaes(Buffer.alloc(32, byte), () => nonce);
    const sealed = xaes.seal(text('XAES-256-GCM'), text(aad));
    expect(sealed.toString('hex')).toBe(nonce.toString('hex') + ciphertext);
  });

  it('opens what it sealed, and rejects a change of any bit', () => {
    const xaes = createXaes(Buffer.alloc(32, 7));
    const bytes = fc.uint8Array({ maxLength: 200 });
    fc.assert(
      fc.property(bytes, bytes, fc.nat(), (plaintext, aad, flip) => {
        const sealed = xaes.seal(plaintext, aad);
        expect(xaes.open(sealed, aad)).toEqual(Buffer.from(plaintext));
        const bit = flip % (sealed.length * 8);
        sealed[bit >> 3]! ^= 1 << (bit & 7);
        expect(() => xaes.open(sealed, aad)).toThrow();
      }),
    );
  });

  it('never repeats a nonce, and derives a new key after 65,536 messages', () => {
    const xaes = createXaes(Buffer.alloc(32, 5));
    const [firstHalves, nonces] = [new Set<string>(), new Set<string>()];
    const count = 65_536 + 3;
    for (let message = 0; message < count; message++) {
      const nonce = xaes.seal(text('x'), text('')).subarray(0, 24).toString('hex');
      nonces.add(nonce);
      firstHalves.add(nonce.slice(0, 24));
    }
    expect([nonces.size, firstHalves.size]).toEqual([count, 2]);
  });

  it('refuses other associated data, another key and a truncated text', () => {
    const sealed = createXaes(Buffer.alloc(32, 1)).seal(text('value'), text('row 1'));
    expect(() => createXaes(Buffer.alloc(32, 1)).open(sealed, text('row 2'))).toThrow();
    expect(() => createXaes(Buffer.alloc(32, 2)).open(sealed, text('row 1'))).toThrow();
    expect(() => createXaes(Buffer.alloc(32, 1)).open(sealed.subarray(0, 39), text('row 1'))).toThrow('too short');
  });
});
