// Edited rows whose seals were taken away: they get no new ones.
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { createManualClock } from '#testing/manual-clock.ts';
import { TEST_MASTER_KEY } from '#testing/processes/people-process.ts';
import { createApiKeys } from '../platform/api-keys/api-keys.ts';
import { createApiKeyStore } from '../platform/api-keys/store.ts';
import type { Database } from '../platform/database/database.ts';
import { LAST_MIGRATION } from '../platform/database/migrate.ts';
import { createIds } from '../platform/ids.ts';
import { checkMasterKey, rotateMasterKey } from '../platform/keyring.ts';
import { openStorage, type Storage } from '../platform/open-storage.ts';
import { createXaes } from '../platform/sealing/xaes-256-gcm.ts';
import { NO_LOG } from './testing/places.ts';

describe('edited rows without a seal', () => {
  const [AT_REST, SEALED_PEOPLE] = [
    { migration: '0009-at-rest', tables: ['person_devices', 'passkeys'] },
    { migration: '0012-sealed-people', tables: ['api_keys', 'galleries', 'people', 'embeddings'] },
  ];

  const LATER_TABLES = [
    ...[
      'watched_subjects',
      'watched_hits',
      'screening_alerts',
      'watched_lists',
      'age_keys',
      'age_key_making',
      'signing_keys',
      'wallet_links',
      'shared_lists',
      'shared_list_parts',
    ],
    ...[
      'operators',
      'operator_identities',
      'operator_invites',
      'operator_passkeys',
      'operator_sessions',
      'session_marks',
    ],
    ...['audit_lines', 'audit_segments', 'review_tokens', 'review_notes', 'review_cases'],
    ...['activity_counts', 'api_key_uses', 'activity_totals'],
    'processes',
    'clock',
    'token_blocks',
    ...['api_key_traits', 'recent_checks', 'recent_logs'],
  ];
  const LATER_INDEXES = [
    ...['sessions_created', 'sessions_key', 'sessions_kind', 'sessions_world', 'sessions_end_state'],
    'sessions_ended_as',
    'webhook_deliveries_dead',
    'strings_sizes',
  ];

  /** A database with an API key that was edited. */
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

  async function takeSealsAway({ queries, engine }: Database, { migration, tables }: typeof AT_REST): Promise<void> {
    for (const table of tables) {
      if (engine === 'sqlite') await sql`drop trigger if exists ${sql.id(`${table}_have_seals`)}`.execute(queries);
      await queries.schema.alterTable(table).dropColumn('mac').execute();
    }
    // Migrations that run once more make them anew.
    for (const table of LATER_TABLES) await queries.schema.dropTable(table).ifExists().execute();
    for (const index of LATER_INDEXES) await queries.schema.dropIndex(index).ifExists().execute();
    await queries.schema.alterTable('api_keys').dropColumn('embed_origins').execute();
    await queries.schema.alterTable('webhook_deliveries').dropColumn('tries').execute();
    await queries.schema.alterTable('strings').dropColumn('bytes').execute();
    await queries.schema.alterTable('sessions').dropColumn('end_state').execute();
    await queries.schema.alterTable('schema_migrations').dropColumn('phase').execute();
    await queries.deleteFrom('schema_migrations').where('name', '>=', migration).execute();
  }

  it.each([AT_REST, SEALED_PEOPLE])('get none by having $migration run once more', async (given) => {
    const { database, keyring, start } = await openEdited();
    await takeSealsAway(database, given);
    const refusal = `The keyring says that migration ${given.migration} was applied`;
    await expect(start()).rejects.toThrow(refusal);
    await expect(start()).rejects.toThrow(refusal);
    // What the keyring knows goes along to another master key.
    const masterKey = Buffer.alloc(32, 9);
    await rotateMasterKey(keyring, masterKey);
    expect(await checkMasterKey({ ...keyring, masterKey })).toBe(LAST_MIGRATION);
  });

  it('get none by taking the keyring away, the look-up key alone or all of it', async () => {
    const { database, start } = await openEdited();
    await takeSealsAway(database, SEALED_PEOPLE);
    await database.queries.deleteFrom('data_keys').where('purpose', '=', 'lookup').execute();
    await expect(start()).rejects.toThrow('lost its look-up key');
    await database.queries.deleteFrom('data_keys').execute();
    await expect(start()).rejects.toThrow('lost its look-up key');
  });

  it('are of no use with a new keyring', async () => {
    const { database, start, keysOf, apiKey } = await openEdited();
    await database.queries.deleteFrom('data_keys').execute();
    const again = await start();
    onTestFinished(() => again.database.close());
    expect(await keysOf(again).authenticate(apiKey)).toBeUndefined();
  });

  it('get one from the first start of this version on an earlier database, and none from the next', async () => {
    const { database, start, keysOf, apiKey } = await openEdited();
    const ofLookup = database.queries.selectFrom('data_keys').selectAll().where('purpose', '=', 'lookup');
    const { id, wrapped } = await ofLookup.executeTakeFirstOrThrow();
    const header = Buffer.from(wrapped.subarray(0, 9));
    const context = Buffer.concat([header, Buffer.from(`data_keys/wrapped/${id}/lookup`)]);
    const xaes = createXaes(TEST_MASTER_KEY);
    const key = xaes.open(wrapped.subarray(9), context).subarray(0, 32);
    const asBefore = Buffer.concat([header, xaes.seal(key, context)]);
    await database.queries.updateTable('data_keys').set({ wrapped: asBefore }).where('id', '=', id).execute();
    await takeSealsAway(database, SEALED_PEOPLE);
    const first = await start();
    expect(await keysOf(first).authenticate(apiKey)).toMatchObject({ customer_id: 'bank' });
    await first.database.close();
    await takeSealsAway(database, SEALED_PEOPLE);
    await expect(start()).rejects.toThrow('The keyring says');
  });
});
