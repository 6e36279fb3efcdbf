// A leaked API key, as described in docs/runbooks.md.
import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { newHost, startSessionApp } from '#testing/session-app.ts';
import { startReceiver } from '#testing/webhooks/receiver.ts';

it('keeps sessions, signed webhooks and results when a key is replaced by a new one of its customer', async () => {
  const app = await startSessionApp();
  const receiver = await startReceiver(() => 200);
  const leaked = await newHost(app);
  const create = async () => (await leaked.create({ callback: { url: receiver.url } })).body.token;
  const [open, unwanted] = [await create(), await create()];
  // A key without a customer forms its own.
  const [id] = (await app.apiKeys.list()).map((key) => key.id);
  const next = await newHost(app, 'test', id);
  await app.apiKeys.revoke(id!);
  expect((await leaked.result(open)).status).toBe(401);

  expect((await next.redact(unwanted)).status).toBe(204);
  expect((await next.simulate(open, { outcome: 'above' })).status).toBe(200);
  expect((await next.result(open)).status).toBe(200);
  while ((await app.jobs.runDue()) > 0);
  const [webhook, ...more] = receiver.received;
  expect(more).toEqual([]);
  const signed = `${webhook!.headers['x-service-timestamp']}.${webhook!.body}`;
  const signature = createHmac('sha256', leaked.apiKey).update(signed).digest('hex');
  expect(webhook!.headers['x-service-signature']).toBe(`sha256=${signature}`);
  expect(app.logged()).toContain('/session');
  for (const name of [id!, leaked.apiKey]) expect(app.logged()).not.toContain(name);
});
