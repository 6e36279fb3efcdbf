// A database whose keys were sealed before they could be limited to sites: they go on working, and an edited one stays refused.
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openEarlierDatabase } from '#testing/database/earlier-database.ts';
import { TEST_MIGRATION_KEYS, TEST_SEALER } from '#testing/test-sealer.ts';
import { createApiKeyStore } from '../../api-keys/store.ts';
import { systemClock } from '../../clock.ts';
import { createRowSeal, type SealedRow } from '../../sealing/row-seal.ts';
import { migrate } from '../migrate.ts';

const BYTE = Buffer.of(1);

it('seals keys anew that were whole, and no others', async () => {
  const database = await openEarlierDatabase('0025');
  const seal = createRowSeal<SealedRow>(TEST_SEALER, 'api_keys');
  for (const [id, lookup] of [
    ['whole', 1],
    ['edited', 2],
  ] as const) {
    const row = {
      ...{ id, lookup: Buffer.of(lookup), sealed_key: BYTE, kind: 'live', label: null, customer_id: 'c', api_id: null },
      ...{ usage_plan_id: null, product_code: null, status: 'active', client_id: null, client_secret_digest: null },
      ...{ when_created: 1, last_updated: 1 },
    };
    const { mac } = seal.sign(row as never);
    await sql`insert into api_keys (id, lookup, sealed_key, kind, customer_id, status, when_created, last_updated, mac)
      values (${id}, ${row.lookup}, ${BYTE}, 'live', 'c', 'active', 1, 1, ${mac})`.execute(database.queries);
  }
  await sql`update api_keys set kind = 'test' where id = 'edited'`.execute(database.queries);
  expect(await migrate(database, systemClock, TEST_MIGRATION_KEYS)).toContain('0026-key-limits');
  const keys = createApiKeyStore(database, TEST_SEALER, { error: () => {} });
  expect(await keys.findById('whole')).toMatchObject({ kind: 'live', embed_origins: null });
  expect(await keys.findById('edited')).toBeUndefined();
});
