// Edited rows of API keys grant nothing.
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { type Row, readRows, tryEveryEdit } from '#testing/edited-rows/edit-rows.ts';
import { openWithPeople } from '#testing/edited-rows/places.ts';
import { createApiKeys } from '../../src/platform/api-keys/api-keys.ts';
import { createApiKeyStore } from '../../src/platform/api-keys/store.ts';

describe('an edited row of an API key', () => {
  it('grants nothing: no other world or customer, no use after revocation, no other credentials', async () => {
    const { database, sealer, clock, ids } = await openWithPeople();
    const lines: string[] = [];
    const log = pino({}, { write: (line: string) => void lines.push(line) });
    const store = createApiKeyStore(database, sealer, log);
    const apiKeys = createApiKeys({ store, sealer, clock, ids, allowDevelopmentKeys: true });
    const texts = (word: string) => ({ label: word, apiId: word, usagePlanId: word, productCode: word });
    const make = async (kind: 'live' | 'test', customerId: string) => {
      clock.advance(1);
      const embedOrigins = [`https://${customerId}.example`];
      return apiKeys.create({ ...texts(customerId), kind, customerId, embedOrigins, clientCredentials: true });
    };
    const [victim, thief, revoked] = [
      await make('live', 'acme'),
      await make('test', 'thief'),
      await make('live', 'old'),
    ];
    await apiKeys.revoke(revoked.record.id);
    const keys = [victim, thief];
    const expectUnmoved = async (edit: string, isWhole: (id: string) => boolean) => {
      for (const { record, apiKey } of keys) {
        expect(await apiKeys.authenticate(apiKey), edit).toEqual(isWhole(record.id) ? record : undefined);
        for (const other of keys) {
          const { clientId, clientSecret } = other;
          const isOwn = other.record.id === record.id;
          expect(await apiKeys.clientMatches(record, clientId!, clientSecret!), edit).toBe(isOwn && isWhole(record.id));
        }
      }
      expect(await apiKeys.authenticate(revoked.apiKey), edit).toBeUndefined();
    };
    await expectUnmoved('nothing', () => true);
    const before = new Map((await readRows(database, 'api_keys')).map((row) => [row['id'] as string, row]));
    const rowOf = (rows: Row[], { record }: typeof victim) => rows.find(({ id }) => id === record.id)!;
    for (const second of [thief, revoked]) {
      const pick = (rows: Row[]): [Row, Row] => [rowOf(rows, victim), rowOf(rows, second)];
      await tryEveryEdit(database, 'api_keys', pick, async (edit) => {
        const there = await readRows(database, 'api_keys');
        await expectUnmoved(edit, (id) =>
          isDeepStrictEqual(
            there.find((row) => row['id'] === id),
            before.get(id),
          ),
        );
      });
    }
    // Revoking an edited row does not make it valid.
    await sql`update api_keys set kind = 'live' where id = ${thief.record.id}`.execute(database.queries);
    await apiKeys.revoke(thief.record.id);
    await sql`update api_keys set status = 'active' where id = ${thief.record.id}`.execute(database.queries);
    expect(await apiKeys.authenticate(thief.apiKey)).toBeUndefined();
    expect(lines.join('')).toContain(`"table":"api_keys","row":"${victim.record.id}"`);
    for (const { apiKey } of keys) expect(lines.join('')).not.toContain(apiKey);
  });
});
