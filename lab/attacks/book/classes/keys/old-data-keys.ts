// Leaked and rotated data keys: restored in the database, they must produce nothing that the
// service accepts.

import { rotateDataKeys } from '../../../../../apps/server/src/operations/data-keys/rotate.ts';
import { createApiKeys } from '../../../../../apps/server/src/platform/api-keys/api-keys.ts';
import { createApiKeyStore } from '../../../../../apps/server/src/platform/api-keys/store.ts';
import { systemClock } from '../../../../../apps/server/src/platform/base/clock.ts';
import { createIds } from '../../../../../apps/server/src/platform/base/ids.ts';
import { type Database, openDatabase } from '../../../../../apps/server/src/platform/database/database.ts';
import { createSealer, type Sealer } from '../../../../../apps/server/src/platform/sealing/sealer.ts';
import { openStorage } from '../../../../../apps/server/src/platform/storage.ts';
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';
import type { Stage } from '../../stage.ts';

const ids = createIds(systemClock);

export const oldDataKeys: AttackClass = {
  name: 'old-data-keys',
  prevents:
    'an API key that somebody writes into the database with data keys that leaked before they were changed, also with the old ones put back',
  promise: 'docs/security.md#secrets-at-rest',
  needs: 'many keys',
  refusals: ['401 invalid_api_key'],
  attempts: 40,
  isLong: true, // the service checks its keys every ten seconds
  async begin(stage) {
    const own = await stage.another({});
    const place = { url: undefined, dataDir: own.folder };
    const storage = await openStorage({ ...place, masterKey: undefined, clock: systemClock, ids });
    const { database, sealer } = storage;
    const leaked: Sealer[] = [];
    const kept = await readDataKeys(database);
    // The first is the lookup key, which sealed rows until then; the other is a row key.
    for (const _ of ['first', 'second']) {
      leaked.push(createSealer(sealer.keysForThread()));
      kept.push(...(await readDataKeys(database)));
      await rotateDataKeys({ ...storage, onStep: () => {}, signal: new AbortController().signal, quietMs: 0 });
    }
    const current = createSealer(sealer.keysForThread());
    for (const row of kept) {
      await database.queries
        .insertInto('data_keys')
        .values(row)
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute();
    }
    await untilOthersLooked(database, storage.presence.id);
    await database.close();
    const useForged = async (by: Sealer) => useKey(own, await writeApiKey(place, by));
    expectHonest((await useForged(current)).startsWith('201'), 'a row under the present keys is taken');
    return (round) => useForged(inTurn(leaked, round));
  },
};

const readDataKeys = ({ queries }: Database) =>
  queries.selectFrom('data_keys').selectAll().where('purpose', '!=', 'lookup').execute();

/** The service has read the current table. */
async function untilOthersLooked({ queries }: Database, own: string): Promise<void> {
  const since = Date.now();
  for (;;) {
    const others = await queries.selectFrom('processes').select('seen_at').where('id', '!=', own).execute();
    if (others.length > 0 && others.every(({ seen_at }) => seen_at > since)) return;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

async function writeApiKey(place: Parameters<typeof openDatabase>[0], sealer: Sealer): Promise<string> {
  const database = openDatabase(place);
  try {
    const store = createApiKeyStore(database, sealer, { error: () => {} });
    const keys = createApiKeys({ store, sealer, clock: systemClock, ids, allowDevelopmentKeys: false });
    return (await keys.create({ kind: 'test', clientCredentials: false })).apiKey;
  } finally {
    await database.close();
  }
}

const useKey = async ({ speaker }: Stage, apiKey: string) =>
  (await speaker.send({ method: 'POST', path: '/session', headers: { 'x-api-key': apiKey }, body: {} })).label;
