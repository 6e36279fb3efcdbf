// base64url as Node writes it, read only in canonical form.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeBase64url, encodeBase64url } from './base64url.ts';

it('encodes and decodes any bytes as Node does', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const text = Buffer.from(bytes).toString('base64url');
      expect(encodeBase64url(bytes)).toBe(text);
      expect(decodeBase64url(text)).toEqual(new Uint8Array(bytes));
    }),
  );
});

it('rejects every text that it would not write', () => {
  const letters = fc.constantFrom(...'ABghQRwxyz0189-_=+/ \n\tü\0');
  fc.assert(
    fc.property(fc.string({ unit: letters, maxLength: 9 }), (text) => {
      const written = Buffer.from(text, 'base64url').toString('base64url') === text;
      expect(decodeBase64url(text) !== undefined).toBe(written);
    }),
    { numRuns: 2000 },
  );
});
