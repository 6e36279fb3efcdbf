// A call's request on the wire, and calls without a reply.
import fc from 'fast-check';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { rejectionOf, startScriptedClient } from '../../testing/scripted-client.ts';
import { breakOff, hang, reply, reset } from '../../testing/scripted-server.ts';
import { createLimenClient, LimenConnectionError } from '../index.ts';
import { buildUrl, combineSignals } from './exchange.ts';

const RECORD = { id: 'x', value: 'v', createdAt: '2026-01-01T00:00:00.000Z' };
const ONCE = { retries: { attempts: 1 } };

describe('a request', () => {
  it('has the key, the body and an idempotency key on a POST', async () => {
    const { client, received } = await startScriptedClient([reply(201, RECORD)], { apiKey: 'k-1' });
    await client.strings.create('größe');
    expect(received).toMatchObject([
      {
        method: 'POST',
        url: '/strings',
        body: '{"value":"größe"}',
        headers: { accept: 'application/json', 'content-type': 'application/json', 'x-api-key': 'k-1' },
      },
    ]);
    expect(received[0]?.headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('has no body, content type, idempotency key or unset parameter on a GET', async () => {
    const { client, received } = await startScriptedClient([reply(200, { strings: [] })]);
    await client.strings.list({ limit: 5 });
    expect(received).toMatchObject([{ method: 'GET', url: '/strings?limit=5', body: '' }]);
    for (const name of ['content-type', 'idempotency-key', 'x-api-key']) {
      expect(received[0]?.headers).not.toHaveProperty(name);
    }
  });

  it('goes below the path of the base URL', async () => {
    const { url, received } = await startScriptedClient([reply(200, {}), reply(200, RECORD)]);
    const client = createLimenClient({ baseUrl: `${url}/a/limen` });
    await client.describe();
    await client.strings.get('x');
    expect(received.map((request) => request.url)).toEqual(['/a/limen/', '/a/limen/strings/x']);
  });

  it('encodes any id reversibly', () => {
    const baseUrl = new URL('https://limen.example/p/');
    const ids = fc.string({ unit: 'grapheme', minLength: 1 }).filter((id) => id !== '.' && id !== '..');
    fc.assert(
      fc.property(ids, (id) => {
        const { pathname, search, hash } = new URL(buildUrl(baseUrl, { path: ['strings', id] }));
        expect(pathname.split('/').map(decodeURIComponent)).toEqual(['', 'p', 'strings', id]);
        expect(search + hash).toBe('');
      }),
    );
  });

  it.each(['', '.', '..'])('rejects the id "%s", which would name another path', async (id) => {
    const { client, received } = await startScriptedClient([reply(200, RECORD)]);
    await expect(client.strings.get(id)).rejects.toThrow(TypeError);
    await expect(client.strings.delete(id)).rejects.toThrow(TypeError);
    expect(received).toEqual([]);
  });

  it.each(['', 'a b', 'secret\n'])('rejects the idempotency key %j without quoting it', async (idempotencyKey) => {
    const { client, received } = await startScriptedClient([reply(201, RECORD)]);
    const error = await rejectionOf(client.strings.create('v', { idempotencyKey }));
    expect(error).toEqual(new TypeError('idempotencyKey must contain visible ASCII characters only'));
    expect(received).toEqual([]);
  });
});

describe('a missing reply', () => {
  it.each([
    ['a reset connection', reset],
    ['a reply that breaks off', breakOff],
  ])('after %s is connection_failed with its cause', async (_name, step) => {
    const { client } = await startScriptedClient([step], ONCE);
    const error = await rejectionOf(client.strings.get('x'));
    expect(error).toBeInstanceOf(LimenConnectionError);
    expect(error).toMatchObject({ name: 'LimenConnectionError', code: 'connection_failed', cause: expect.any(Error) });
  });

  it('after the timeout is timeout', async () => {
    const { client } = await startScriptedClient([hang], { ...ONCE, timeoutMs: 20 });
    const error = await rejectionOf(client.strings.get('x'));
    expect(error).toBeInstanceOf(LimenConnectionError);
    expect(error).toMatchObject({ code: 'timeout', cause: { name: 'TimeoutError' } });
  });

  it('includes the body in the timeout', async () => {
    const headersOnly = (response: import('node:http').ServerResponse) => void response.writeHead(200).write('{');
    const { client } = await startScriptedClient([headersOnly], { ...ONCE, timeoutMs: 20 });
    expect(await rejectionOf(client.strings.get('x'))).toMatchObject({ code: 'timeout' });
  });

  it('has a separate timeout per attempt', async () => {
    const first = new AbortController();
    const timeouts = vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(first.signal);
    onTestFinished(() => timeouts.mockRestore());
    const hangUntilTimeout = () => first.abort(new DOMException('late', 'TimeoutError'));
    const { client, waits } = await startScriptedClient([hangUntilTimeout, reply(200, RECORD)], { timeoutMs: 9000 });
    expect(await client.strings.get('x')).toEqual(RECORD);
    expect(timeouts.mock.calls).toEqual([[9000], [9000]]);
    expect(waits).toEqual([250]);
  });
});

describe('an aborting caller', () => {
  it('sends nothing if aborted before', async () => {
    const { client, received } = await startScriptedClient([reply(200, RECORD)]);
    await expect(client.strings.get('x', { signal: AbortSignal.abort('never mind') })).rejects.toBe('never mind');
    expect(received).toEqual([]);
  });

  it('gets its own reason and no retry', async () => {
    const controller = new AbortController();
    // Without an effective timeout, only the signal can end this call.
    const { client, received, waits } = await startScriptedClient([() => controller.abort('changed my mind')], {
      timeoutMs: 2 ** 31 - 1,
    });
    await expect(client.strings.create('v', { signal: controller.signal })).rejects.toBe('changed my mind');
    expect([received.length, waits.length]).toEqual([1, 0]);
  });
});

// Combined signals with and without platform support.

const any = AbortSignal.any;

describe.each(['with', 'without'])('%s AbortSignal.any', (how) => {
  afterEach(() => {
    Object.defineProperty(AbortSignal, 'any', { value: any, configurable: true, writable: true });
  });

  function takeAway() {
    if (how === 'without') Reflect.deleteProperty(AbortSignal, 'any');
    expect('any' in AbortSignal).toBe(how === 'with');
  }

  it('is aborted by the first of them, with its reason', () => {
    takeAway();
    const [one, two] = [new AbortController(), new AbortController()];
    const signal = combineSignals(one.signal, two.signal);
    expect(signal.aborted).toBe(false);
    two.abort('two');
    expect(signal.reason).toBe('two');
    one.abort('one');
    expect(signal.aborted).toBe(true);
  });

  it('is aborted immediately if one already is', () => {
    takeAway();
    expect(combineSignals(new AbortController().signal, AbortSignal.abort('late')).reason).toBe('late');
  });
});
