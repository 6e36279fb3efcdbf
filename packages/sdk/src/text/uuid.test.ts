// Random UUIDs with and without crypto.randomUUID.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { mintUuid } from './uuid.ts';

const VERSION_4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

it('uses the platform if possible', () => {
  expect(mintUuid({ randomUUID: () => 'from the platform', getRandomValues: (bytes) => bytes })).toBe(
    'from the platform',
  );
  expect(mintUuid()).toMatch(VERSION_4);
});

it('creates a version 4 UUID from 16 bytes and keeps the other 122 bits', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (drawn) => {
      const uuid = mintUuid({
        getRandomValues(bytes) {
          bytes.set(drawn);
          return bytes;
        },
      });
      expect(uuid).toMatch(VERSION_4);
      const bytes = Buffer.from(uuid.replaceAll('-', ''), 'hex');
      bytes[6] = (bytes[6]! & 0x0f) | (drawn[6]! & 0xf0);
      bytes[8] = (bytes[8]! & 0x3f) | (drawn[8]! & 0xc0);
      expect([...bytes]).toEqual([...drawn]);
    }),
  );
});
