// Edited rows of webhooks are never signed with the key of another customer or world.
import { verifyWebhook } from '@limen/sdk';
import { describe, expect, it } from 'vitest';
import { type Row, readRows, tryEveryEdit, writeRows } from '#testing/edited-rows/edit-rows.ts';
import { liveOwner, testOwner } from '#testing/owners.ts';
import { startReceiver } from '#testing/webhooks/receiver.ts';
import { prepareWebhooks, settle } from '#testing/webhooks/webhook-place.ts';
import { toOwner } from '../../src/platform/api-keys/owner.ts';

describe('an edited webhook', () => {
  it('is not signed with the key of another customer or world', async () => {
    const place = await prepareWebhooks();
    const { database, clock, apiKeys } = place;
    const process = place.start();
    const receiver = await startReceiver(() => 200);
    const bank = await apiKeys.create({ kind: 'live', customerId: 'bank', clientCredentials: false });
    const own = { owner: toOwner(bank.record), apiKeyId: bank.record.id };
    await process.write({ ...own, url: receiver.url, sessionId: 'of the bank', body: { who: 'bank' } });
    await process.write({ url: receiver.url, sessionId: 'of the thief', body: { who: 'thief' } });
    const jobs = await database.queries.selectFrom('jobs').selectAll().execute();
    /** Returns the bodies that were sent, each under its owner's key. */
    const send = async (edit: string): Promise<string[]> => {
      const before = receiver.received.length;
      await database.queries.deleteFrom('jobs').execute();
      await database.queries.insertInto('jobs').values(jobs).execute();
      await settle(process);
      const sent = receiver.received.slice(before);
      return Promise.all(
        sent.map(async ({ body, headers }) => {
          const { who } = JSON.parse(body) as { who: string };
          const { apiKey } = who === 'bank' ? bank : place.key;
          await expect(verifyWebhook(body, headers, apiKey, { now: clock.now }), edit).resolves.toBeDefined();
          return who;
        }),
      );
    };
    const before = await readRows(database, 'webhook_deliveries');
    expect((await send('nothing')).sort()).toEqual(['bank', 'thief']);
    await writeRows(database, 'webhook_deliveries', before);
    const pick = (rows: Row[]): [Row, Row] => [
      rows.find(({ customer }) => customer === 'bank')!,
      rows.find(({ customer }) => customer !== 'bank')!,
    ];
    const bound = ['id', 'customer', 'world', 'api_key_id', 'session_id', 'sealed'];
    await tryEveryEdit(database, 'webhook_deliveries', pick, async (edit) => {
      const sent = await send(edit);
      if (bound.some((column) => edit.startsWith(`${column} `)))
        expect(sent, edit).not.toContain(edit.endsWith('victim') ? 'bank' : 'thief');
    });
    // All columns that identify the owner, at once.
    const [victim, thief] = pick(before);
    const { id, sealed } = thief;
    await writeRows(database, 'webhook_deliveries', [{ ...victim, id, sealed }]);
    expect(await send('the owner')).toEqual([]);
    expect(place.logged()).toContain('a sealed webhook does not open');
  });

  it("is not sent with a key that is not its owner's, whatever its seal", async () => {
    const { apiKeys, key } = await prepareWebhooks();
    const owner = toOwner(key.record);
    expect(await apiKeys.reveal(key.record.id, owner)).toBe(key.apiKey);
    for (const other of [liveOwner(owner.customer), testOwner('another')])
      expect(await apiKeys.reveal(key.record.id, other)).toBeUndefined();
  });
});
