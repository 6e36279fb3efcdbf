// Edited rows whose seals were removed get no new ones.
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { NO_LOG } from '#testing/edited-rows/places.ts';
import { createManualClock } from '#testing/manual-clock.ts';
import { TEST_MASTER_KEY } from '#testing/processes/people-process.ts';
import { createApiKeys } from '../../src/platform/api-keys/api-keys.ts';
import { createApiKeyStore } from '../../src/platform/api-keys/store.ts';
import { createIds } from '../../src/platform/base/ids.ts';
import { LAST_MIGRATION } from '../../src/platform/database/migrate.ts';
import { checkMasterKey, rotateMasterKey } from '../../src/platform/sealing/keyring.ts';
import { openStorage, type Storage } from '../../src/platform/storage.ts';

describe('edited rows without a seal', () => {
  /** Opens a database with an edited API key. */
  async function openEdited() {
    const place = await createTestDatabase();
    const clock = createManualClock();
    const ids = createIds(clock);
    const start = () => openStorage({ ...place, masterKey: TEST_MASTER_KEY, clock, ids });
    const { database, sealer, keyring } = await start();
    onTestFinished(async () => {
      await database.close();
      await place.dispose();
    });
    const keysOf = (opened: Pick<Storage, 'database' | 'sealer'>) => {
      const store = createApiKeyStore(opened.database, opened.sealer, NO_LOG);
      return createApiKeys({ store, sealer: opened.sealer, clock, ids, allowDevelopmentKeys: true });
    };
    const wanted = { kind: 'test', customerId: 'thief', clientCredentials: false } as const;
    const { apiKey } = await keysOf({ database, sealer }).create(wanted);
    await database.queries.updateTable('api_keys').set({ customer_id: 'bank', kind: 'live' }).execute();
    return { database, keyring, start, keysOf, apiKey };
  }

  it('get no seal from repeated migrations', async () => {
    const { database, keyring, start } = await openEdited();
    await database.queries.deleteFrom('schema_migrations').execute();
    const refusal = `The keyring says that migration ${LAST_MIGRATION} was applied`;
    await expect(start()).rejects.toThrow(refusal);
    await expect(start()).rejects.toThrow(refusal);
    // The new master key also wraps the note.
    const masterKey = Buffer.alloc(32, 9);
    await rotateMasterKey(keyring, masterKey);
    expect(await checkMasterKey({ ...keyring, masterKey })).toBe(LAST_MIGRATION);
  });

  it('get no seal without the lookup key', async () => {
    const { database, start } = await openEdited();
    await database.queries.deleteFrom('data_keys').where('purpose', '=', 'lookup').execute();
    await expect(start()).rejects.toThrow('lost its look-up key');
  });

  it('are useless with a new keyring', async () => {
    const { database, start, keysOf, apiKey } = await openEdited();
    await database.queries.deleteFrom('data_keys').execute();
    const again = await start();
    onTestFinished(() => again.database.close());
    expect(await keysOf(again).authenticate(apiKey)).toBeUndefined();
  });
});
