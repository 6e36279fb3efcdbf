// Webhooks against real receivers: their contents, retention and resends.
import { createHmac } from 'node:crypto';
import type { VerificationFailure } from '@limen/contract';
import { describe, expect, it } from 'vitest';
import { SKIPS_ENGINE_BLIND } from '#testing/database/test-database.ts';
import { liveOwner, testOwner } from '#testing/owners.ts';
import { startReceiver } from '#testing/webhooks/receiver.ts';
import {
  deliverOnce,
  HOUR_MS,
  OWNER,
  prepareWebhooks,
  RETENTION_MS,
  settle,
  WAITS_MS,
} from '#testing/webhooks/webhook-place.ts';
import { named, type SessionId } from '../platform/base/ids.ts';
import { signWebhook } from './send.ts';

describe('a webhook', () => {
  it("is posted with its signature, id, attempt number and the owner's headers", async () => {
    const { start, key, clock } = await prepareWebhooks();
    const receiver = await startReceiver(() => 204);
    const process = start();
    const headers = { 'X-Token': 'secret-of-the-host', Host: 'evil.example', 'Content-Length': '1', 'Webhook-Id': 'x' };
    await process.write({ url: `${receiver.url}?q=1`, headers, body: { name: 'Zoë', n: 1 } });
    await settle(process);
    const [got] = receiver.received;
    const timestamp = String(clock.now() / 1000);
    const signature = createHmac('sha256', key.apiKey).update(`${timestamp}.${got!.body}`).digest('hex');
    const [delivery] = await process.log();
    expect(got).toMatchObject({
      method: 'POST',
      path: '/hook?q=1',
      body: '{"name":"Zoë","n":1}',
      headers: {
        'content-type': 'application/json',
        'content-length': '21',
        'x-token': 'secret-of-the-host',
        host: new URL(receiver.url).host,
        'x-service-timestamp': timestamp,
        'x-service-signature': `sha256=${signature}`,
        'x-service-attempt': '1',
        'webhook-id': delivery!.id,
      },
    });
    expect(delivery).toMatchObject({ state: 'delivered', attempts: 1, last_status: 204 });
    expect(delivery!.target).toBe(new URL(receiver.url).origin);
  });

  it('carries signed ephemeral data until it is delivered, and resends without it', async () => {
    const { start, key, clock } = await prepareWebhooks();
    const receiver = await startReceiver((nth) => (nth === 1 ? 503 : 200));
    const process = start();
    await process.write({ url: receiver.url, body: { n: 1 }, ephemeral: { images: ['a picture'] } });
    await settle(process);
    clock.advance(WAITS_MS[0]! + 1_000);
    await settle(process);
    const [delivery] = await process.log();
    await process.webhooks.resend(OWNER, delivery!.id);
    await settle(process);
    const whole = '{"n":1,"images":["a picture"]}';
    expect(receiver.received.map(({ body }) => body)).toEqual([whole, whole, '{"n":1}']);
    for (const { headers, body } of receiver.received) {
      expect(headers['x-service-signature']).toBe(
        signWebhook(String(headers['x-service-timestamp']), body, key.apiKey),
      );
    }
  });

  it('is not sent when its transaction rolls back', async () => {
    const { start, database } = await prepareWebhooks();
    const receiver = await startReceiver(() => 200);
    const process = start();
    const about = { owner: OWNER, apiKeyId: 'k', sessionId: named<SessionId>('s'), url: receiver.url, headers: {} };
    const body: VerificationFailure = { status: 'error', message: '', errorCodes: [], sessionId: 's' };
    const work = database.transact(async (trx) => {
      const content = { event: 'verification_session.ended', body } as const;
      await process.webhooks.enqueue(trx, { ...about, ...content, purgeAt: Number.MAX_SAFE_INTEGER });
      throw new Error('changed its mind');
    });
    await expect(work).rejects.toThrow('changed its mind');
    expect(await process.jobs.runDue()).toBe(0);
    expect(await process.log()).toEqual([]);
  });

  it('leaves neither body nor header value in the database or the log', async () => {
    const { start, database, logged, key } = await prepareWebhooks();
    const process = start();
    await process.write({
      url: 'http://127.0.0.1:1/?q=query-secret',
      headers: { a: 'header-secret' },
      body: 'body-secret',
    });
    await settle(process);
    const rows = await database.queries.selectFrom('webhook_deliveries').selectAll().execute();
    const jobs = await database.queries.selectFrom('jobs').selectAll().execute();
    const bytes = [...rows.map(({ sealed }) => sealed!), ...jobs.map(({ payload }) => payload)];
    const kept = [JSON.stringify(rows), ...bytes.map((part) => Buffer.from(part).toString('latin1')), logged()].join();
    expect(kept).toContain(rows[0]!.id);
    for (const secret of ['query-secret', 'header-secret', 'body-secret', key.apiKey])
      expect(kept).not.toContain(secret);
  });
});

describe.skipIf(SKIPS_ENGINE_BLIND)('the body', () => {
  it('is deleted when its retention ends, and an undelivered webhook is dead', async () => {
    const { start, clock, database } = await prepareWebhooks();
    const receiver = await startReceiver((nth) => (nth === 1 ? 200 : 500));
    const process = start();
    await process.write({ url: receiver.url, sessionId: 'taken' });
    await settle(process);
    await process.write({ url: receiver.url, sessionId: 'refused' });
    await settle(process);
    const other = start();
    await other.jobs.start(); // Schedules the purge.
    await other.jobs.stop();
    clock.advance(RETENTION_MS);
    await settle(process);
    expect(await process.log()).toMatchObject([
      { state: 'delivered', hasBody: false },
      { state: 'dead', hasBody: false, last_error: 'body_removed', next_attempt_at: null },
    ]);
    const left = database.queries.selectFrom('webhook_deliveries').select('id').where('sealed', 'is not', null);
    expect(await left.execute()).toEqual([]);
    const sent = receiver.received.length;
    clock.advance(30 * 24 * HOUR_MS + 1);
    await settle(process);
    expect(await process.log()).toEqual([]);
    expect(receiver.received).toHaveLength(sent);
  });

  it('is not sent after its retention even if no purge has run', async () => {
    const { start, clock } = await prepareWebhooks();
    const receiver = await startReceiver(() => 200);
    const process = start();
    await process.write({ url: receiver.url });
    clock.advance(RETENTION_MS);
    await settle(process);
    expect(receiver.received).toEqual([]);
    expect(await process.log()).toMatchObject([
      { state: 'dead', attempts: 0, last_error: 'body_removed', hasBody: false },
    ]);
  });

  it('stays while the clock is wrong, and is sent', async () => {
    const { start, clock } = await prepareWebhooks();
    const receiver = await startReceiver((nth) => (nth === 1 ? 500 : 200));
    const process = start();
    await process.write({ url: receiver.url });
    clock.isWrong = () => true;
    clock.advance(RETENTION_MS);
    await settle(process);
    expect(await process.log()).toMatchObject([{ state: 'pending', attempts: 1, hasBody: true }]);
    clock.advance(WAITS_MS[0]!);
    await settle(process);
    expect(await process.log()).toMatchObject([{ state: 'delivered', attempts: 2 }]);
  });

  it('is deleted with its session, even during an attempt', async () => {
    const { start, database, clock } = await prepareWebhooks();
    const release: (() => void)[] = [];
    const receiver = await startReceiver(() => (reply) => void release.push(() => reply.writeHead(500).end()));
    const process = start();
    await process.write({ url: receiver.url, sessionId: 'forgotten', purgeAt: clock.now() + 1_000 });
    await process.write({ url: 'http://127.0.0.1:1/', sessionId: 'kept' });
    const pass = process.jobs.runDue();
    await receiver.arrived(1);
    clock.advance(1_000);
    for (const id of ['forgotten', 'kept'])
      await database.transact((trx) => process.webhooks.forgetSessions(trx, [named(id)]));
    for (const end of release) end();
    await pass;
    expect(await process.log()).toMatchObject([
      { session_id: 'forgotten', state: 'dead', hasBody: false, last_error: 'body_removed', next_attempt_at: null },
      { session_id: 'kept', state: 'pending', hasBody: true },
    ]);
  });
});

describe.skipIf(SKIPS_ENGINE_BLIND)('resending a webhook', () => {
  it('begins a new round under the same id, even if it was delivered', async () => {
    const { process, delivery, receiver, clock } = await deliverOnce(200);
    expect(await process.webhooks.resend(OWNER, delivery.id)).toMatchObject({ state: 'pending', attempts: 1 });
    await settle(process);
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([delivery.id, delivery.id]);
    expect(await process.log()).toMatchObject([{ state: 'delivered', attempts: 2, ended_at: clock.now() }]);
  });

  it('replaces the pending attempt', async () => {
    const { process, delivery, receiver, clock } = await deliverOnce(500);
    await process.webhooks.resend(OWNER, delivery.id);
    await settle(process);
    expect(receiver.received).toHaveLength(2);
    clock.advance(5_000);
    await settle(process);
    expect(receiver.received).toHaveLength(3); // The first round's job makes no fourth attempt.
  });

  it('is refused for another customer, the other world, an unknown id and a deleted body', async () => {
    const { process, delivery, database, clock } = await deliverOnce(200);
    const refusal = expect.objectContaining({ code: 'not_found' });
    for (const other of [testOwner('another'), liveOwner(OWNER.customer)]) {
      await expect(process.webhooks.resend(other, delivery.id)).rejects.toEqual(refusal);
      expect(await process.webhooks.list(other, { limit: 10 })).toEqual([]);
    }
    await expect(process.webhooks.resend(OWNER, 'nonsense')).rejects.toEqual(refusal);
    clock.advance(RETENTION_MS);
    await database.transact((trx) => process.webhooks.forgetSessions(trx, [delivery.session_id as SessionId]));
    await expect(process.webhooks.resend(OWNER, delivery.id)).rejects.toEqual(refusal);
  });
});
