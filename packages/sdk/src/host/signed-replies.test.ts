// Calls with a signed reply.
import { describe, expect, it } from 'vitest';
import { rejectionOf, startScriptedClient } from '../../testing/scripted-client.ts';
import { refuse, reply, reset } from '../../testing/scripted-server.ts';
import type { LimenClient } from '../index.ts';

const signed = reply(200, 'a.b.c', { 'content-type': 'application/jwt' });

const CALLS: [name: string, call: (client: LimenClient) => Promise<string>, method: string, url: string][] = [
  ['age result', (limen) => limen.ageSessions.result('t', { signed: true }), 'GET', '/session/t/result'],
  [
    'verification result',
    (limen) => limen.verificationSessions.getResult('s', { signed: true }),
    'GET',
    '/v2/verification-session/s/result',
  ],
  [
    'evidence',
    (limen) => limen.screening.subjects.evidence('i', { signed: true }),
    'GET',
    '/v2/screening/subjects/i/evidence',
  ],
  ['age receipt', (limen) => limen.ageSessions.redact('t', { receipt: true }), 'DELETE', '/session/t'],
  [
    'verification receipt',
    (limen) => limen.verificationSessions.redact('s', { receipt: true }),
    'DELETE',
    '/v2/verification-session/s',
  ],
  [
    'subject’s receipt',
    (limen) => limen.screening.subjects.delete('i', { receipt: true }),
    'DELETE',
    '/v2/screening/subjects/i',
  ],
];

describe.each(CALLS)('%s', (_, call, method, url) => {
  it('requests a JWT and returns its text', async () => {
    const { client, received } = await startScriptedClient([signed]);
    expect(await call(client)).toBe('a.b.c');
    expect(received[0]).toMatchObject({ method, url, headers: { accept: 'application/jwt' } });
  });

  it('rejects if the service does not sign', async () => {
    for (const answer of [reply(200, { status: 'PENDING' }), reply(204)]) {
      const { client } = await startScriptedClient([answer]);
      expect(await rejectionOf(call(client))).toMatchObject({ code: 'invalid_reply' });
    }
  });
});

it('retries after a lost reply but does not invent a lost receipt', async () => {
  const results = await startScriptedClient([reset, signed]);
  expect(await results.client.ageSessions.result('t', { signed: true })).toBe('a.b.c');
  const receipts = await startScriptedClient([reset, refuse(404, 'not_found')]);
  expect(await rejectionOf(receipts.client.ageSessions.redact('t', { receipt: true }))).toMatchObject({ status: 404 });
});
