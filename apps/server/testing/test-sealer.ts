// A sealer with keys that a test can make again, for tests below the keyring.
import type { MigrationKeys } from '../src/platform/database/migrate.ts';
import { createSealer } from '../src/platform/sealing/sealer.ts';

export const TEST_SEALER = createSealer({
  sealKeys: [{ id: '00000000-0000-4000-8000-000000000001', key: Buffer.alloc(32, 7) }],
  lookupKey: Buffer.alloc(32, 8),
});

/** For migrations of what this sealer has sealed. */
export const TEST_MIGRATION_KEYS: MigrationKeys = {
  openSealer: async () => TEST_SEALER,
  migratedTo: async () => undefined,
  setMigratedTo: async () => {},
};
