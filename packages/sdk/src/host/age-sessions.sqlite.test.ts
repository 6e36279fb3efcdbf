// Age sessions and webhook deliveries from the host's side, against the real service on each
// database.
import { expect, it } from 'vitest';
import { createLossyFetch, startLiveService } from '../../testing/live-service.ts';
import { rejectionOf } from '../../testing/scripted-client.ts';
import { startWebhookReceiver } from '../../testing/webhook-receiver.ts';
import { jsonText } from '../index.ts';

async function startHost(fetch?: typeof globalThis.fetch) {
  const { app, connect } = await startLiveService();
  const { apiKey } = await app.apiKeys.create({ kind: 'test', clientCredentials: false });
  const sendWebhooks = async () => {
    while ((await app.jobs.runDue()) > 0);
  };
  return { apiKey, limen: connect({ apiKey, fetch }), sendWebhooks };
}

it('returns warnings about unknown fields', async () => {
  const { limen } = await startHost();
  const misspelt = { ageTreshold: 21 } as object;
  expect((await limen.ageSessions.create(misspelt)).warnings).toEqual([
    { path: 'body.ageTreshold', message: 'is not a known field and was ignored (did you mean ageThreshold?)' },
  ]);
  expect(await limen.ageSessions.create({ ageThreshold: 21 })).not.toHaveProperty('warnings');
});

it('creates, reads, simulates and deletes sessions', async () => {
  const { limen } = await startHost();
  const { token, launchUrl, expiresAt } = await limen.ageSessions.create({ ageThreshold: 21, metadata: { order: 7 } });
  expect(launchUrl).toContain('?sessionId=');
  expect(Date.parse(expiresAt)).toBeGreaterThan(0);
  expect(await limen.ageSessions.result(token)).toMatchObject({ sessionStatus: 'AGE_UNKNOWN', metadata: { order: 7 } });

  const ended = await limen.ageSessions.simulate(token, { outcome: 'above' });
  expect(ended).toMatchObject({ flowStatus: 'COMPLETED', status: 'AGE_ABOVE_THRESHOLD' });
  expect(await limen.ageSessions.result(token)).toEqual(ended);
  const again = await rejectionOf(limen.ageSessions.simulate(token, { outcome: 'below' }));
  expect(again).toMatchObject({ status: 409, code: 'session_ended' });

  expect(await limen.ageSessions.redact(token)).toBeUndefined();
  expect(await rejectionOf(limen.ageSessions.result(token))).toMatchObject({ status: 404, code: 'not_found' });
});

it('keeps 64-bit integers of the metadata in requests, results and webhooks', async () => {
  const { apiKey, limen, sendWebhooks } = await startHost();
  const receiver = await startWebhookReceiver(apiKey);
  const callback = { url: receiver.url };
  const order = 2n ** 63n - 1n;
  const text = '{ "order":9223372036854775807, "price": 1.10, "9": 1, "1": 2 }';
  const cases: [Record<string, unknown>, string][] = [
    [{ order, deep: [{ order }] }, '{"order":9223372036854775807,"deep":[{"order":9223372036854775807}]}'],
    [jsonText(text), text],
    [{ price: jsonText('1.10') }, '{"price":1.10}'],
  ];
  for (const [metadata, metadataText] of cases) {
    const { token } = await limen.ageSessions.create({ metadata, callback });
    expect((await limen.ageSessions.simulate(token, { outcome: 'at' })).metadataText).toBe(metadataText);
    expect((await limen.ageSessions.result(token)).metadataText).toBe(metadataText);
    await sendWebhooks();
    expect(receiver.webhooks.at(-1)).toMatchObject({ metadataText, body: { metadata: JSON.parse(metadataText) } });
  }
});

it('creates one session if the reply was lost', async () => {
  const { limen } = await startHost(createLossyFetch());
  const first = await limen.ageSessions.create({}, { idempotencyKey: 'order-1' });
  expect(await limen.ageSessions.create({}, { idempotencyKey: 'order-1' })).toEqual(first);
});

it('lists webhook deliveries and resends one', async () => {
  const { apiKey, limen, sendWebhooks } = await startHost();
  const receiver = await startWebhookReceiver(apiKey);
  receiver.status = 410;
  const { token } = await limen.ageSessions.create({ callback: { url: receiver.url } });
  const { metadataText, ...ended } = await limen.ageSessions.simulate(token, { outcome: 'at' });
  expect(metadataText).toBe('{}');
  const { sessionId } = ended;
  const states = async () => (await limen.webhookDeliveries.list({ sessionId })).deliveries.map(({ state }) => state);
  expect(await states()).toEqual(['pending']);
  await sendWebhooks();
  expect(await states()).toEqual(['dead']);

  receiver.status = 204;
  const [dead] = (await limen.webhookDeliveries.list({ sessionId, state: 'dead' })).deliveries;
  expect(await limen.webhookDeliveries.resend(dead!.id)).toMatchObject({ id: dead!.id, canResend: true });
  await sendWebhooks();
  expect(await states()).toEqual(['delivered']);
  expect(receiver.webhooks.map(({ id, body }) => ({ id, body }))).toEqual([
    { id: dead!.id, body: ended },
    { id: dead!.id, body: ended },
  ]);
  const walked = [];
  for await (const { id } of limen.webhookDeliveries.iterate({ pageSize: 1 })) walked.push(id);
  expect(walked).toEqual([dead!.id]);
});
