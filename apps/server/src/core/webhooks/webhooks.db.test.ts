// Webhooks against real receivers: what is sent, when it is sent again, what ends it, and what a crash does.
import { createHmac } from 'node:crypto';
import type { VerificationFailure } from '@limen/contract';
import { describe, expect, it } from 'vitest';
import { SKIPS_ENGINE_BLIND } from '#testing/database/test-database.ts';
import { liveOwner, testOwner } from '#testing/owners.ts';
import { named, type SessionId } from '../../platform/ids.ts';
import { signWebhook } from './send-webhook.ts';
import { type Answer, startReceiver } from './testing/receiver.ts';
import { OWNER, prepareWebhooks, RETENTION_MS, settle, type WebhookPlace } from './testing/webhook-place.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const WAITS_MS = [5_000, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS];
const LEASE_MS = 30_000;

const hang: Answer = () => {};
const reset: Answer = (_, request) => void request.socket.resetAndDestroy();

async function deliverOnce(answer: Answer, options: Parameters<WebhookPlace['start']>[0] = {}) {
  const place = await prepareWebhooks();
  const receiver = await startReceiver(() => answer);
  const process = place.start(options);
  await process.write({ url: receiver.url });
  await settle(process);
  const [delivery] = await process.log();
  return { ...place, receiver, process, delivery: delivery! };
}

describe('a webhook', () => {
  it('is posted with the signature, the id, the attempt and the headers of its owner', async () => {
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

  it('carries what is ephemeral until it was delivered, signed with it, and is sent again without it', async () => {
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

describe.skipIf(SKIPS_ENGINE_BLIND)('a receiver that does not take it', () => {
  it('gets it eight times, signed anew, with the same id and the waits between', async () => {
    const { start, clock, key } = await prepareWebhooks();
    const receiver = await startReceiver((nth) => (nth < 8 ? 500 : 200));
    const process = start();
    await process.write({ url: receiver.url });
    for (const waitMs of WAITS_MS) {
      await settle(process);
      clock.advance(waitMs - 1);
      expect(await process.jobs.runDue()).toBe(0);
      clock.advance(1);
    }
    await settle(process);
    const { received } = receiver;
    expect(received.map(({ headers }) => headers['x-service-attempt'])).toEqual([
      '1',
      '2',
      '3',
      '4',
      '5',
      '6',
      '7',
      '8',
    ]);
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    for (const { headers, body } of received) {
      const timestamp = String(headers['x-service-timestamp']);
      expect(headers['x-service-signature']).toBe(signWebhook(timestamp, body, key.apiKey));
    }
    expect(new Set(received.map(({ headers }) => headers['x-service-timestamp'])).size).toBe(8);
    expect(await process.log()).toMatchObject([{ state: 'delivered', attempts: 8, last_error: null }]);
  });

  it('ends it after the eighth', async () => {
    const { start, clock, logged } = await prepareWebhooks();
    const receiver = await startReceiver(() => 500);
    const process = start();
    await process.write({ url: receiver.url });
    for (const waitMs of [0, ...WAITS_MS, HOUR_MS]) {
      clock.advance(waitMs);
      await settle(process);
    }
    expect(receiver.received).toHaveLength(8);
    expect(await process.log()).toMatchObject([{ state: 'dead', attempts: 8, last_status: 500, last_error: 'status' }]);
    expect(logged()).toContain('a webhook was given up');
  });

  it.each([
    ['refuses', 500, 'status', 500],
    ['resets the connection', reset, 'interrupted', null],
    ['breaks off within the headers', (reply) => void reply.socket?.end('HTTP/1.1 200'), 'interrupted', null],
    ['redirects', (reply) => void reply.writeHead(307, { location: '/other' }).end(), 'redirect', 307],
    [
      'moves for good',
      (reply) => void reply.writeHead(301, { location: 'http://127.0.0.1:1/' }).end(),
      'redirect',
      301,
    ],
  ] satisfies [string, Answer, string, number | null][])(
    'gets it again when it %s',
    async (_, answer, error, status) => {
      const { receiver, delivery, clock } = await deliverOnce(answer);
      expect(receiver.received).toHaveLength(1);
      expect(delivery).toMatchObject({ state: 'pending', attempts: 1, last_error: error, last_status: status });
      expect(delivery.next_attempt_at).toBe(clock.now() + 5_000);
    },
  );

  it('gets it again when it hangs', async () => {
    const { delivery } = await deliverOnce(hang, { timeoutMs: 100 });
    expect(delivery).toMatchObject({ state: 'pending', attempts: 1, last_error: 'timeout' });
  });

  it('ends it with 410', async () => {
    const { delivery, receiver, process, clock } = await deliverOnce(410);
    clock.advance(RETENTION_MS - 1);
    await settle(process);
    expect(receiver.received).toHaveLength(1);
    expect(delivery).toMatchObject({ state: 'dead', attempts: 1, last_error: 'gone', last_status: 410 });
  });

  it.each([
    ['never ends', (reply) => void reply.writeHead(200).write('x')],
    ['is huge', (reply) => void reply.end(Buffer.alloc(1_000_000))],
    ['breaks off', (reply) => void reply.writeHead(200, { 'content-length': '9' }).write('x', () => reply.destroy())],
  ] satisfies [string, Answer][])('has taken it when only its reply’s body %s', async (_, answer) => {
    const { delivery } = await deliverOnce(answer);
    expect(delivery).toMatchObject({ state: 'delivered', attempts: 1, last_status: 200 });
  });

  it('is tried again when nobody listens, TLS is not spoken, or its address is refused', async () => {
    const { start } = await prepareWebhooks();
    const plain = await startReceiver(() => 200);
    const process = start();
    await process.write({ url: 'http://127.0.0.1:1/', sessionId: 'a' });
    await process.write({ url: plain.url.replace('http:', 'https:'), sessionId: 'b' });
    await process.write({ url: 'http://169.254.169.254/latest', sessionId: 'c' });
    await settle(process);
    const errors = (await process.log()).map(({ last_error, state }) => `${state} ${last_error}`);
    expect(errors).toEqual(['pending unreachable', 'pending unreachable', 'pending address_refused']);
  });

  it('is not called at a private address unless that is allowed', async () => {
    const { delivery, receiver } = await deliverOnce(200, { allowPrivate: false });
    expect(receiver.received).toEqual([]);
    expect(delivery).toMatchObject({ state: 'pending', last_error: 'address_refused' });
  });
});

describe('turns', () => {
  it('are kept within a session, and other sessions do not wait', async () => {
    const { start, clock } = await prepareWebhooks();
    const receiver = await startReceiver((nth) => (nth === 1 ? 500 : 200));
    const process = start();
    await process.write({ url: receiver.url, sessionId: 's', body: 1 });
    await process.jobs.runDue();
    await process.write({ url: receiver.url, sessionId: 's', body: 2 });
    await process.write({ url: receiver.url, sessionId: 'other', body: 3 });
    await settle(process);
    expect(receiver.received.map(({ body }) => body)).toEqual(['1', '3']);
    for (let step = 0; step < 10; step += 1) {
      clock.advance(5_000);
      await settle(process);
    }
    expect(receiver.received.map(({ body }) => body)).toEqual(['1', '3', '1', '2']);
  });

  it('of one target are few, so that one that hangs holds up no other', async () => {
    const { start, clock } = await prepareWebhooks();
    const release: (() => void)[] = [];
    const slow = await startReceiver(() => (reply) => void release.push(() => reply.end()));
    const fast = await startReceiver(() => 200);
    // As many as are taken up at once, where that is quick.
    const places = SKIPS_ENGINE_BLIND ? 32 : 256;
    const process = start({
      laneLimits: { places, perTarget: 2, maxWaiting: 0, quickMs: 250, patienceMs: 10_000 },
    });
    for (let nth = 0; nth < places + 4; nth += 1) await process.write({ url: slow.url, sessionId: `slow-${nth}` });
    await process.write({ url: fast.url, sessionId: 'fast' });
    const passes = [process.jobs.runDue()];
    await slow.arrived(2);
    clock.advance(100);
    while (fast.received.length === 0) {
      passes.push(process.jobs.runDue());
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(slow.received).toHaveLength(2);
    for (const end of release) end();
    await Promise.all(passes);
    const attempts = (await process.log()).filter(({ session_id }) => session_id.startsWith('slow'));
    expect(attempts.filter(({ state }) => state === 'delivered')).toHaveLength(2);
    expect(attempts.filter(({ attempts: made }) => made > 0)).toHaveLength(2); // waiting uses up no attempt
  });
});

describe('a crash', () => {
  it('between commit and send loses nothing', async () => {
    const { start } = await prepareWebhooks();
    const receiver = await startReceiver(() => 200);
    await start().write({ url: receiver.url }); // and is never heard of again
    await settle(start());
    expect(receiver.received).toHaveLength(1);
  });

  it('between send and acknowledgement sends it again under the same id', async () => {
    const { start, clock } = await prepareWebhooks();
    const release: (() => void)[] = [];
    const receiver = await startReceiver((nth) => (nth === 1 ? (reply) => void release.push(() => reply.end()) : 200));
    const first = start();
    await first.write({ url: receiver.url });
    const frozen = first.jobs.runDue();
    await receiver.arrived(1);
    clock.advance(LEASE_MS + 1);
    const second = start();
    await settle(second);
    for (const end of release) end(); // the first comes back to find that it was given up for dead
    await frozen;
    await settle(second);
    const headers = receiver.received.map((got) => [got.headers['webhook-id'], got.headers['x-service-attempt']]);
    const [delivery] = await second.log();
    expect(headers).toEqual([
      [delivery!.id, '1'],
      [delivery!.id, '2'],
    ]);
    expect(delivery).toMatchObject({ state: 'delivered', attempts: 2 });
  });

  it('a shutdown in between counts no attempt', async () => {
    const { start } = await prepareWebhooks();
    const receiver = await startReceiver((nth) => (nth === 1 ? hang : 200));
    const first = start();
    await first.write({ url: receiver.url });
    const cut = first.jobs.runDue();
    await receiver.arrived(1);
    await first.jobs.stop();
    await cut;
    await settle(start());
    expect(receiver.received.map(({ headers }) => headers['x-service-attempt'])).toEqual(['1', '1']);
  });

  it('a shutdown waits a moment for the calls under way, and what they come to stands', async () => {
    const { start } = await prepareWebhooks();
    const release: (() => void)[] = [];
    const receiver = await startReceiver(() => (reply) => void release.push(() => reply.end()));
    const process = start({ graceMs: 60_000 });
    await process.write({ url: receiver.url });
    const pass = process.jobs.runDue();
    await receiver.arrived(1);
    const stopped = process.jobs.stop();
    expect(await process.log()).toMatchObject([{ state: 'pending', attempts: 0 }]);
    for (const end of release) end();
    await Promise.all([stopped, pass]);
    expect(await process.log()).toMatchObject([{ state: 'delivered', attempts: 1 }]);
  });
});

describe('the body', () => {
  it('is gone when its retention ends, and an undelivered webhook is dead', async () => {
    const { start, clock, database } = await prepareWebhooks();
    const receiver = await startReceiver((nth) => (nth === 1 ? 200 : 500));
    const process = start();
    await process.write({ url: receiver.url, sessionId: 'taken' });
    await settle(process);
    await process.write({ url: receiver.url, sessionId: 'refused' });
    await settle(process);
    const other = start();
    await other.jobs.start(); // sets up the purge
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

  it('is not sent after that even where nothing has purged it', async () => {
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

  it('is gone once its session is forgotten, also while an attempt is under way', async () => {
    const { start, database } = await prepareWebhooks();
    const release: (() => void)[] = [];
    const receiver = await startReceiver(() => (reply) => void release.push(() => reply.writeHead(500).end()));
    const process = start();
    await process.write({ url: receiver.url, sessionId: 'forgotten' });
    await process.write({ url: 'http://127.0.0.1:1/', sessionId: 'kept' });
    const pass = process.jobs.runDue();
    await receiver.arrived(1);
    await database.transact((trx) => process.webhooks.forgetSession(trx, named('forgotten')));
    for (const end of release) end();
    await pass;
    expect(await process.log()).toMatchObject([
      { session_id: 'forgotten', state: 'dead', hasBody: false, last_error: 'body_removed', next_attempt_at: null },
      { session_id: 'kept', state: 'pending', hasBody: true },
    ]);
  });
});

describe('sending it again', () => {
  it('begins a new round under the same id, also for one that was delivered', async () => {
    const { process, delivery, receiver, clock } = await deliverOnce(200);
    expect(await process.webhooks.resend(OWNER, delivery.id)).toMatchObject({ state: 'pending', attempts: 1 });
    await settle(process);
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([delivery.id, delivery.id]);
    expect(await process.log()).toMatchObject([{ state: 'delivered', attempts: 2, ended_at: clock.now() }]);
  });

  it('replaces the attempt that was waiting', async () => {
    const { process, delivery, receiver, clock } = await deliverOnce(500);
    await process.webhooks.resend(OWNER, delivery.id);
    await settle(process);
    expect(receiver.received).toHaveLength(2);
    clock.advance(5_000);
    await settle(process);
    expect(receiver.received).toHaveLength(3); // and not a fourth by the job of the first round
  });

  it('is refused for another customer, the other world, an unknown id and a body that is gone', async () => {
    const { process, delivery, database } = await deliverOnce(200);
    const refusal = expect.objectContaining({ code: 'not_found' });
    for (const other of [testOwner('another'), liveOwner(OWNER.customer)]) {
      await expect(process.webhooks.resend(other, delivery.id)).rejects.toEqual(refusal);
      expect(await process.webhooks.list(other, { limit: 10 })).toEqual([]);
    }
    await expect(process.webhooks.resend(OWNER, 'nonsense')).rejects.toEqual(refusal);
    await database.transact((trx) => process.webhooks.forgetSession(trx, delivery.session_id));
    await expect(process.webhooks.resend(OWNER, delivery.id)).rejects.toEqual(refusal);
  });
});
