// Signatures must be valid here exactly if Node accepts them.
import { generateKeyPairSync, sign, verify } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifySignature } from './verify-signature.ts';

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const asNode = (text: Buffer, signature: Uint8Array) =>
  verify('sha256', text, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature);

describe('a signature', () => {
  it('is valid with numbers of any length, but not with a changed bit', async () => {
    const lengths = new Set<number>();
    for (let nth = 0; nth < 600; nth += 1) {
      const text = Buffer.from(`text ${nth}`);
      const signature = sign('sha256', text, { key: privateKey, dsaEncoding: 'ieee-p1363' });
      lengths
        .add(signature.findIndex((byte) => byte !== 0))
        .add(32 + signature.subarray(32).findIndex((byte) => byte !== 0));
      const other = Buffer.from(signature);
      other[nth % 64]! ^= 1 << (nth % 8);
      expect([
        await verifySignature(publicKey, text, signature),
        await verifySignature(publicKey, text, other),
      ]).toEqual([true, false]);
    }
    // One in 256 has a leading zero.
    expect(lengths.size).toBeGreaterThan(2);
  });

  it("of random bytes has Node's verdict", async () => {
    const text = Buffer.from('text');
    const half = fc.oneof(
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      fc.constantFrom(Buffer.alloc(32), Buffer.alloc(32, 255), Buffer.concat([Buffer.alloc(31), Buffer.of(1)])),
    );
    await fc.assert(
      fc.asyncProperty(half, half, async (r, s) => {
        const signature = Buffer.concat([r, s]);
        expect(await verifySignature(publicKey, text, signature)).toBe(asNode(text, signature));
      }),
      { numRuns: 50 },
    );
  });

  it('of another length or key is invalid', async () => {
    const text = Buffer.from('text');
    const signature = sign('sha256', text, { key: privateKey, dsaEncoding: 'ieee-p1363' });
    expect(await verifySignature(publicKey, text, signature)).toBe(true);
    expect(await verifySignature(publicKey, text, signature.subarray(1))).toBe(false);
    expect(await verifySignature(publicKey, text, Buffer.concat([signature, Buffer.of(0)]))).toBe(false);
    expect(await verifySignature(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey, text, signature)).toBe(
      false,
    );
  });
});
