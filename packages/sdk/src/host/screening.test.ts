// Screening of subjects: requests, and retries after a lost reply.
import { expect, it } from 'vitest';
import { startScriptedClient } from '../../testing/scripted-client.ts';
import { reply, reset } from '../../testing/scripted-server.ts';

const REPLY = { dataset: 'default', datasetVersion: '1', scoreThreshold: 0.95, results: [] };

it('sends the subjects as JSON, and again after a lost reply', async () => {
  const { client, received } = await startScriptedClient([reset, reply(200, REPLY)]);
  const order = { dataset: 'default', subjects: [{ name: 'Maria Beispiel', birthDate: '1970-01-01' }] };
  expect(await client.screening.match(order)).toEqual(REPLY);
  expect(received).toHaveLength(2);
  for (const { method, url, body } of received) {
    expect([method, url]).toEqual(['POST', '/v2/screening/match']);
    expect(JSON.parse(body)).toEqual(order);
  }
});
