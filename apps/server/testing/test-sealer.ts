// A sealer with reproducible keys, for tests below the keyring.
import { createSealer } from '../src/platform/sealing/sealer.ts';

export const TEST_SEALER = createSealer({
  sealKeys: [{ id: '00000000-0000-4000-8000-000000000001', key: Buffer.alloc(32, 7) }],
  lookupKey: Buffer.alloc(32, 8),
});
