// Webhooks that receivers reject: when they are retried, and what ends the retries.
import { describe, expect, it } from 'vitest';
import { hang, type ReceiverAnswer, startReceiver } from '#testing/webhooks/receiver.ts';
import {
  deliverOnce,
  HOUR_MS,
  prepareWebhooks,
  RETENTION_MS,
  settle,
  WAITS_MS,
} from '#testing/webhooks/webhook-place.ts';
import { signWebhook } from './send.ts';

const reset: ReceiverAnswer = (_, request) => void request.socket.resetAndDestroy();

describe('a receiver that rejects a webhook', () => {
  it('gets it eight times, signed again, with the same id and the documented delays', async () => {
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

  it('gets no ninth attempt', async () => {
    const { start, clock, logged } = await prepareWebhooks();
    const receiver = await startReceiver(() => 500);
    const process = start();
    await process.write({ url: receiver.url });
    for (const waitMs of [0, ...WAITS_MS, HOUR_MS]) {
      clock.advance(waitMs);
      await settle(process);
    }
    expect(receiver.received).toHaveLength(8);
    const [given] = await process.log();
    expect(given).toMatchObject({ state: 'dead', attempts: 8, last_status: 500, last_error: 'status' });
    const tries = process.webhooks.triesOf(given!);
    const waits = tries.slice(1).map(({ at }, nth) => at - tries[nth]!.at);
    expect([waits, new Set(tries.map(({ outcome }) => outcome))]).toEqual([WAITS_MS, new Set([500])]);
    expect(logged()).toContain('a webhook was given up');
  });

  it.each([
    ['refuses', 500, 'status', 500],
    ['resets the connection', reset, 'interrupted', null],
    ['breaks off within the headers', (reply) => void reply.socket?.end('HTTP/1.1 200'), 'interrupted', null],
    ['redirects', (reply) => void reply.writeHead(307, { location: '/other' }).end(), 'redirect', 307],
    [
      'redirects permanently',
      (reply) => void reply.writeHead(301, { location: 'http://127.0.0.1:1/' }).end(),
      'redirect',
      301,
    ],
  ] satisfies [string, ReceiverAnswer, string, number | null][])(
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

  it('ends the retries with 410', async () => {
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
  ] satisfies [string, ReceiverAnswer][])("has accepted it if only its reply's body %s", async (_, answer) => {
    const { delivery } = await deliverOnce(answer);
    expect(delivery).toMatchObject({ state: 'delivered', attempts: 1, last_status: 200 });
  });

  it('gets a retry if nothing listens, TLS fails, or its address is refused', async () => {
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
