// The host's calls for verification sessions: requests, credentials and retries.
import { describe, expect, it } from 'vitest';
import { rejectionOf, startScriptedClient } from '../../testing/scripted-client.ts';
import { refuse, reply, reset } from '../../testing/scripted-server.ts';
import type { CreateVerificationSessionRequest } from '../index.ts';

const CREATED = { launchUrl: 'https://check.example/?sessionId=s', sessionId: 's' };
const REQUEST: CreateVerificationSessionRequest = {
  type: 'ENROLL',
  redirectURL: 'https://shop.example/',
  callback: { url: 'https://shop.example/hook' },
};

describe('creating a session', () => {
  it('is retried with one idempotency key', async () => {
    const { client, received } = await startScriptedClient([reset, refuse(503, 'unavailable'), reply(201, CREATED)]);
    expect(await client.verificationSessions.create(REQUEST)).toEqual(CREATED);
    expect(received.map(({ method, url, body }) => `${method} ${url} ${body}`)).toEqual(
      Array(3).fill(`POST /v2/verification-session ${JSON.stringify(REQUEST)}`),
    );
    expect(new Set(received.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  it('uses the caller’s idempotency key', async () => {
    const { client, received } = await startScriptedClient([reply(201, CREATED)]);
    await client.verificationSessions.create(REQUEST, { idempotencyKey: 'order-7' });
    expect(received[0]?.headers['idempotency-key']).toBe('order-7');
  });
});

it('reads, simulates, trusts and deletes by session id, without retrying a simulation', async () => {
  const pending = reply(200, { status: 'PENDING' });
  const script = [pending, reply(200, { status: 'SUCCESS' }), reply(204), reply(204), reset];
  const { client, received } = await startScriptedClient(script);
  await client.verificationSessions.getResult('s');
  await client.verificationSessions.simulate('s', { outcome: 'success', puid: 'p' });
  expect(await client.verificationSessions.trustDevice('s')).toBeUndefined();
  await client.verificationSessions.redact('s');
  await rejectionOf(client.verificationSessions.simulate('s', { outcome: 'spoof' }));
  expect(received.map(({ method, url, body }) => `${method} ${url} ${body}`)).toEqual([
    'GET /v2/verification-session/s/result ',
    'POST /v2/verification-session/s/simulate {"outcome":"success","puid":"p"}',
    'POST /v2/verification-session/s/trust-device ',
    'DELETE /v2/verification-session/s ',
    'POST /v2/verification-session/s/simulate {"outcome":"spoof"}',
  ]);
});

it('retries trusting a device after a lost reply, because it is idempotent', async () => {
  const { client, received } = await startScriptedClient([reset, reply(204)]);
  await client.verificationSessions.trustDevice('s');
  expect(received).toHaveLength(2);
});

describe('client credentials', () => {
  it('are sent with sessions, deliveries and faces only', async () => {
    const clientCredentials = { clientId: 'id', clientSecret: 'secret' };
    const { client, received } = await startScriptedClient(
      [
        ...[reply(201, CREATED), reply(200, {}), reply(200, { deliveries: [] }), reply(200, { status: 0 })],
        reply(200, { strings: [] }),
      ],
      { clientCredentials, apiKey: 'k' },
    );
    await client.verificationSessions.create(REQUEST);
    await client.verificationSessions.getResult('s');
    await client.webhookDeliveries.list();
    await client.node.checkApiKey();
    await client.strings.list();
    const basic = `Basic ${Buffer.from('id:secret').toString('base64')}`;
    expect(received.map(({ headers }) => headers.authorization)).toEqual([basic, basic, basic, basic, undefined]);
  });

  it.each([
    [{ clientId: 'a:b', clientSecret: 's' }, 'clientId must not contain a colon'],
    [{ clientId: 'a', clientSecret: 'se cret' }, 'clientSecret must contain visible ASCII characters only'],
  ])('are rejected without being quoted if malformed', async (clientCredentials, message) => {
    const { client, received } = await startScriptedClient([reply(201, CREATED)], { clientCredentials });
    expect(await rejectionOf(client.verificationSessions.create(REQUEST))).toEqual(new TypeError(message));
    expect(received).toEqual([]);
  });
});
