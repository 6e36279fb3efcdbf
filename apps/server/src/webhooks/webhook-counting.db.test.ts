// Which runs count as attempts, who gets a slot next to hanging receivers, and what the purge of
// the log scans.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SKIPS_ENGINE_BLIND } from '#testing/database/test-database.ts';
import { startReceiver } from '#testing/webhooks/receiver.ts';
import { prepareWebhooks, settle } from '#testing/webhooks/webhook-place.ts';
import type { Outbound } from '../platform/outbound/guarded-fetch.ts';

const turnOfTheLoop = () => new Promise((resolve) => setImmediate(resolve));

describe('an attempt', () => {
  it('that never returned still counts after its webhook was queued', async () => {
    const { start, clock, database } = await prepareWebhooks();
    const replies: (() => void)[] = [];
    const receiver = await startReceiver((nth) => (nth > 2 ? 200 : (reply) => void replies.push(() => reply.end())));
    const laneLimits = { places: 256, perTarget: 1, maxWaiting: 0, quickMs: 250, patienceMs: 60_000 };
    const [dying, living] = [start({ laneLimits }), start({ laneLimits })];
    await dying.write({ url: receiver.url, sessionId: 'a', body: 'a' });
    const frozen = dying.jobs.runDue();
    await receiver.arrived(1);
    await living.write({ url: receiver.url, sessionId: 'b', body: 'b' });
    const busy = living.jobs.runDue();
    await receiver.arrived(2);
    const leases = database.queries.updateTable('jobs').set({ lease_until: 0 }).where('state', '=', 'running');
    await leases.where('id', '=', (jobs) => jobs.selectFrom('jobs').select('id').orderBy('id').limit(1)).execute();
    await living.jobs.runDue(); // Takes it over, but finds no room.
    replies[1]!();
    await busy;
    clock.advance(60_000);
    await settle(living);
    replies[0]!();
    await frozen;
    const got = receiver.received.map(({ body, headers }) => `${body} ${headers['x-service-attempt']}`);
    expect(got).toEqual(['"a" 1', '"b" 1', '"a" 2']);
    expect((await living.log())[0]).toMatchObject({ state: 'delivered', attempts: 2 });
  });

  it('is not counted for a run that could not read the webhook', async () => {
    const { start, clock, apiKeys } = await prepareWebhooks();
    const receiver = await startReceiver(() => 503);
    const process = start();
    const { reveal } = apiKeys;
    let failures = 0;
    apiKeys.reveal = async (...asked) => {
      failures += 1;
      if (failures <= 7) throw Object.assign(new Error('the database is away'), { code: 'ECONNREFUSED' });
      return reveal(...asked);
    };
    await process.write({ url: receiver.url });
    while (receiver.received.length === 0) {
      await process.jobs.runDue();
      clock.advance(60_000);
    }
    expect(failures).toBe(8);
    expect(receiver.received[0]!.headers['x-service-attempt']).toBe('1');
    expect(await process.log()).toMatchObject([{ state: 'pending', attempts: 1, last_error: 'status' }]);
  });

  it('is not made with a key that does not open', async () => {
    const { start, database } = await prepareWebhooks();
    const receiver = await startReceiver(() => 200);
    const process = start();
    await process.write({ url: receiver.url });
    await database.queries
      .updateTable('api_keys')
      .set({ sealed_key: Buffer.alloc(100, 1) })
      .execute();
    await settle(process);
    expect(receiver.received).toEqual([]);
    expect(await process.log()).toMatchObject([{ state: 'dead', attempts: 0, last_error: 'no_signing_key' }]);
  });

  it('is followed by the next on the usual schedule after an unexpected failure', async () => {
    const { start, clock, logged } = await prepareWebhooks();
    let calls = 0;
    const post = async () => {
      calls += 1;
      throw new Error('thought of by nobody');
    };
    const process = start({ outbound: { post, get: post, close: async () => {} } satisfies Outbound });
    await process.write({ url: 'http://127.0.0.1:1/' });
    await settle(process);
    const failed = { state: 'pending', attempts: 1, last_error: 'internal', next_attempt_at: clock.now() + 5_000 };
    expect([calls, await process.log()]).toEqual([1, [expect.objectContaining(failed)]]);
    expect(logged()).toContain('failed unexpectedly');
  });
});

/** Starts receivers that accept requests and never answer until the test ends. */
async function startHanging(count: number) {
  const sockets = new Set<Socket>();
  const servers = Array.from({ length: count }, () =>
    createServer((socket) => sockets.add(socket.on('error', () => {}))).listen(0, '127.0.0.1'),
  );
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const end = () => {
    for (const server of servers) server.close();
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(end);
  const urls = servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  return { urls, sockets, end };
}

describe.skipIf(SKIPS_ENGINE_BLIND)('receivers that hang', () => {
  // Each has many more webhooks than may be in flight.
  it.each([
    [32, onlyWhenLong(12, 5)],
    [onlyWhenLong(300, 120), 1],
  ])('in number %i, with %i webhooks each, do not delay quick targets', async (count, each) => {
    const { start } = await prepareWebhooks();
    const quick = await startReceiver(() => 200);
    const hanging = await startHanging(count);
    // No receiver becomes slow by the real clock. On a busy machine that would cost it its slots.
    const laneLimits = { places: 256, perTarget: 16, maxWaiting: 16, quickMs: 600_000, patienceMs: 600_000 };
    const process = start({ timeoutMs: 600_000, laneLimits });
    await process.write({ url: quick.url, sessionId: 'first' });
    await settle(process);
    for (let nth = 0; nth < each; nth += 1) {
      for (const url of hanging.urls) await process.write({ url, sessionId: `${url}${nth}` });
    }
    await process.jobs.start();
    for (let nth = 0; nth < 10; nth += 1) await process.write({ url: quick.url, sessionId: `next-${nth}` });
    await quick.arrived(11);
    while (hanging.sockets.size < 64) await turnOfTheLoop();
    expect(hanging.sockets.size).toBe(64); // A quarter of the slots, because they belong to one customer.
    hanging.end();
    await process.jobs.stop();
  });
});

it('has an index for the purge that omits the rows with a body', async () => {
  const { database } = await prepareWebhooks();
  const isPostgres = database.engine === 'postgres';
  const plan = await database.transact(async (trx) => {
    // The query planner would scan a small table.
    if (isPostgres) await sql`set local enable_seqscan = off`.execute(trx);
    const explain = sql.raw(isPostgres ? 'explain' : 'explain query plan');
    const query = sql`select id from webhook_deliveries where created_at < ${sql.lit(5)} and sealed is null`;
    return (await sql`${explain} ${query} order by created_at limit 100`.execute(trx)).rows;
  });
  expect(JSON.stringify(plan)).toContain('webhook_deliveries_bodiless');
});
