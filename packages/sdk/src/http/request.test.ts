// Retries against a real HTTP server.
import { describe, expect, it } from 'vitest';
import { rejectionOf, startScriptedClient } from '../../testing/scripted-client.ts';
import { hang, refuse, reply, reset } from '../../testing/scripted-server.ts';
import { LimenConnectionError, LimenError } from '../index.ts';
import { createRequest } from './request.ts';
import { DEFAULT_RETRIES } from './retry.ts';

const RECORD = { id: 'x', value: 'v', createdAt: '2026-01-01T00:00:00.000Z' };
const BUSY = refuse(503, 'unavailable');
const TOO_MANY = refuse(429, 'too_many_requests', { 'retry-after': '3' });
const MISSING = refuse(404, 'not_found');

describe('a create', () => {
  it('is retried with the same key and body until it gets a reply', async () => {
    const { client, received, waits } = await startScriptedClient([BUSY, reset, TOO_MANY, reply(201, RECORD)]);
    expect(await client.strings.create('v')).toEqual(RECORD);
    const keys = received.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual(Array(4).fill(keys[0]));
    expect(received.map(({ body }) => body)).toEqual(Array(4).fill('{"value":"v"}'));
    expect(waits).toEqual([250, 500, 3000 + 1000]);
  });

  it('uses the key it is given', async () => {
    const { client, received } = await startScriptedClient([BUSY, reply(201, RECORD)]);
    await client.strings.create('v', { idempotencyKey: 'order-7' });
    expect(received.map(({ headers }) => headers['idempotency-key'])).toEqual(['order-7', 'order-7']);
  });

  it('has a new key for each call', async () => {
    const { client, received } = await startScriptedClient([reply(201, RECORD), reply(201, RECORD)]);
    await client.strings.create('v');
    await client.strings.create('v');
    const [first, second] = received.map(({ headers }) => headers['idempotency-key']);
    expect(first).not.toBe(second);
  });
});

it('sends a POST without a key once, whatever its result', async () => {
  let sent = 0;
  const request = createRequest({
    exchange: async () => {
      sent += 1;
      throw new LimenConnectionError('connection_failed', 'lost', undefined);
    },
    retries: DEFAULT_RETRIES,
    sleep: async () => {},
    random: () => 0,
  });
  expect(await rejectionOf(request({ method: 'POST', path: ['strings'] }))).toBeInstanceOf(LimenConnectionError);
  expect(sent).toBe(1);
});

describe('giving up', () => {
  it('happens after the maximum number of attempts, with the last error', async () => {
    const { client, received, waits } = await startScriptedClient([reset, BUSY, TOO_MANY], {
      retries: { attempts: 3 },
    });
    expect(await rejectionOf(client.strings.get('x'))).toMatchObject({ status: 429, retryAfterSeconds: 3 });
    expect([received.length, waits.length]).toEqual([3, 2]);
  });

  it('happens immediately if the service asks for a longer wait than allowed', async () => {
    const hour = refuse(429, 'too_many_requests', { 'retry-after': '3600' });
    const { client, received, waits } = await startScriptedClient([hour]);
    expect(await rejectionOf(client.strings.list())).toMatchObject({ status: 429, retryAfterSeconds: 3600 });
    expect([received.length, waits.length]).toEqual([1, 0]);
  });

  it('happens immediately on a permanent refusal', async () => {
    const { client, received } = await startScriptedClient([refuse(422, 'idempotency_key_reused')]);
    expect(await rejectionOf(client.strings.create('v'))).toMatchObject({ code: 'idempotency_key_reused' });
    expect(received).toHaveLength(1);
  });

  it('throws a connection error if no reply is received', async () => {
    const { client, received } = await startScriptedClient([reset, reset], { retries: { attempts: 2 } });
    expect(await rejectionOf(client.strings.create('v'))).toBeInstanceOf(LimenConnectionError);
    expect(received).toHaveLength(2);
  });

  it('also happens during a wait when the caller aborts', async () => {
    const controller = new AbortController();
    const { client, received } = await startScriptedClient([BUSY, hang], {
      sleep(_milliseconds, signal) {
        controller.abort('enough');
        return Promise.reject(signal === controller.signal ? 'the wait ended' : 'the wait has no signal');
      },
    });
    await expect(client.strings.get('x', { signal: controller.signal })).rejects.toBe('the wait ended');
    expect(received).toHaveLength(1);
  });

  it('does not depend on the wait: an aborted call is not retried', async () => {
    const controller = new AbortController();
    const { client, received } = await startScriptedClient([BUSY, reply(200, RECORD)], {
      sleep: async () => controller.abort('enough'),
    });
    await expect(client.strings.get('x', { signal: controller.signal })).rejects.toBe('enough');
    expect(received).toHaveLength(1);
  });
});

describe('Retry-After as a date', () => {
  it('is relative to the service’s clock', async () => {
    const busy = refuse(503, 'unavailable', {
      date: 'Thu, 01 Jan 1998 12:00:00 GMT',
      'retry-after': 'Thu, 01 Jan 1998 12:00:05 GMT',
    });
    const { client, waits } = await startScriptedClient([busy, reply(200, RECORD)]);
    await client.strings.get('x');
    expect(waits).toEqual([5250]);
  });
});

describe('a delete', () => {
  it('sends no body and resolves to nothing', async () => {
    const { client, received } = await startScriptedClient([reply(204)]);
    expect(await client.strings.delete('x')).toBeUndefined();
    expect(received).toMatchObject([{ method: 'DELETE', url: '/strings/x', body: '' }]);
  });

  it.each([
    ['a lost answer', reset],
    ['503', BUSY],
  ])('succeeds if a retry after %s finds nothing', async (_name, step) => {
    const { client, received } = await startScriptedClient([step, TOO_MANY, MISSING]);
    expect(await client.strings.delete('x')).toBeUndefined();
    expect(received).toHaveLength(3);
  });

  it.each([
    ['at first', [MISSING]],
    ['after 429, which is before any work', [TOO_MANY, MISSING]],
  ])('is refused if it finds nothing %s', async (_name, script) => {
    const { client } = await startScriptedClient(script);
    const error = await rejectionOf(client.strings.delete('x'));
    expect(error).toBeInstanceOf(LimenError);
    expect(error).toMatchObject({ status: 404, code: 'not_found' });
  });

  it('is the only call for which a missing record is a success', async () => {
    const { client } = await startScriptedClient([reset, MISSING]);
    expect(await rejectionOf(client.strings.get('x'))).toMatchObject({ status: 404 });
  });
});
