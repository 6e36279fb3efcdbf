// Metadata is returned byte for byte in result and webhook.
import { METADATA_MAX_BYTES } from '@limen/contract';
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyObjectText } from '#testing/json-texts.ts';
import { newHost, type SessionApp, startSessionApp } from '#testing/session-app.ts';
import { startReceiver } from '#testing/webhooks/receiver.ts';

let app: SessionApp;
const ends: (() => Promise<void>)[] = [];
beforeAll(async () => {
  app = await startSessionApp({ atEnd: (end) => ends.push(end) });
});
afterAll(async () => {
  for (const end of ends) await end();
});

async function send(apiKey: string, payload: string, headers: Record<string, string> = {}) {
  const sent = { 'x-api-key': apiKey, 'content-type': 'application/json', ...headers };
  const reply = await app.http.inject({ method: 'POST', url: '/session', headers: sent, payload });
  return { status: reply.statusCode, text: reply.body, token: (reply.json() as { token: string }).token };
}

const read = async (token: string) => (await app.http.inject(`/session/${token}/result`)).body;

describe('metadata', () => {
  it('of any kind is returned byte for byte before and after the end and in the webhook', async () => {
    const host = await newHost(app);
    const receiver = await startReceiver(() => 200);
    const callback = JSON.stringify({ url: receiver.url });
    const texts = fc.sample(
      anyObjectText.filter((text) => Buffer.byteLength(text) <= METADATA_MAX_BYTES),
      onlyWhenLong(1_000, 40),
    );
    for (const text of texts) {
      const { status, token } = await send(host.apiKey, `{"metadata" :\n${text}, "callback": ${callback}}`);
      expect(status).toBe(201);
      const member = `,"metadata":${text},"`;
      expect(await read(token)).toContain(member);
      expect((await host.simulate(token, { outcome: 'above' })).text).toContain(member);
      expect(await read(token)).toContain(member);
      while ((await app.jobs.runDue()) > 0);
      expect(receiver.received.at(-1)?.body).toContain(`{"token":"${token}"`);
      expect(receiver.received.at(-1)?.body).toContain(member);
    }
  });

  it('keeps 64-bit integers, 1.10 and the order of keys', async () => {
    const { apiKey } = await newHost(app);
    const text = '{ "order": 9223372036854775807, "price": 1.10, "2": "b", "1": "a", "é": "\\u00e9", "a": 1, "a": 2 }';
    const { token } = await send(apiKey, `{"metadata":${text}}`);
    expect(await read(token)).toContain(`,"metadata":${text},"`);
  });

  it('defaults to an empty object, and the last duplicate wins', async () => {
    const { apiKey } = await newHost(app);
    expect(await read((await send(apiKey, '{}')).token)).toContain(',"metadata":{},"');
    const { token } = await send(apiKey, '{"metadata":{"first":1},"metadata":{"last":1.0}}');
    expect(await read(token)).toContain(',"metadata":{"last":1.0},"');
  });

  it.each([
    ['too large by its white space', `{"a":1${' '.repeat(METADATA_MAX_BYTES)}}`, 'bytes of JSON text'],
    ['a list', '[1.10]', 'body.metadata'],
    ['too deep', `{"a":${'['.repeat(250)}${']'.repeat(250)}}`, 'nested deeper'],
  ])('is refused: %s', async (_, text, why) => {
    const { apiKey } = await newHost(app);
    const reply = await send(apiKey, `{"metadata":${text}}`);
    expect(reply.status).toBe(400);
    expect(reply.text).toContain(why);
  });

  it.each([
    '{"__proto__":{"isAdmin":true}}',
    '{"a":[{"\\u005f_proto__":1}]}',
    '{"constructor":{"prototype":{"isAdmin":true}}}',
  ])('with any keys is returned unchanged and affects no other object: %s', async (text) => {
    const host = await newHost(app);
    const { status, token } = await send(host.apiKey, `{"metadata":${text}}`, { 'idempotency-key': 'k' });
    expect(status).toBe(201);
    expect((await host.simulate(token, { outcome: 'above' })).text).toContain(`,"metadata":${text},"`);
    expect(await read(token)).toContain(`,"metadata":${text},"`);
    expect({}).not.toHaveProperty('isAdmin');
  });

  it.each(['{"__proto__":{}}', '{"metadata":{},"callback":{"__proto__":{}}}', '{"metadata":[{"__proto__":1}]}'])(
    'is the only place for keys that reach into prototypes: %s',
    async (body) => {
      const { apiKey } = await newHost(app);
      const reply = await send(apiKey, body);
      expect([reply.status, reply.text]).toEqual([400, expect.stringContaining('forbidden key')]);
    },
  );

  it('of the maximum size is accepted', async () => {
    const { apiKey } = await newHost(app);
    const text = `{"a":${' '.repeat(METADATA_MAX_BYTES - 7)}1}`;
    const { token } = await send(apiKey, `{"metadata":${text}}`);
    expect(await read(token)).toContain(text);
  });

  it('that differs only in formatting is another request under the same Idempotency-Key', async () => {
    const { apiKey } = await newHost(app);
    const key = { 'idempotency-key': 'order-1' };
    const first = await send(apiKey, '{"metadata":{"price":1.10}}', key);
    expect(await send(apiKey, '{"metadata":{"price":1.10}}', key)).toEqual(first);
    expect((await send(apiKey, '{"metadata":{"price":1.1}}', key)).status).toBe(422);
  });
});
