// The samples of webhook bodies equal what the service sends, apart from ids, times and versions.
import { listWebhookBodies } from '@limen/contract';
import { expect, it } from 'vitest';
import { decideSession, newOperator, startConsoleApp } from '../apps/server/testing/console/console-app.ts';
import { createTestDatabase } from '../apps/server/testing/database/test-database.ts';
import { createListedEntity, storeList } from '../apps/server/testing/screening/listed-people.ts';
import { untilReady } from '../apps/server/testing/until-ready.ts';
import { startReceiver } from '../apps/server/testing/webhooks/receiver.ts';

const VARYING: [RegExp, string][] = [
  [/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, '<uuid>'],
  [/^[0-9a-f]{64}$/, '<hash>'],
  [/^\d{4}-\d\d-\d\dT[\d:.]+Z$/, '<time>'],
  [/^\d+\.\d+\.\d+\+\d+$/, '<engine>'],
];

const maskVarying = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, field: unknown) =>
    typeof field === 'string' ? (VARYING.find(([pattern]) => pattern.test(field))?.[1] ?? field) : field,
  );

const LIST = 'harbour_list';
const ENTRY = createListedEntity('NK-1071', 'Theodule Vergnaud', '1958-03-14', {
  programs: ['HARBOUR'],
  datasets: [LIST],
});

it('sends what the samples of the contract show', async () => {
  const storage = await createTestDatabase();
  await storeList(storage.dataDir, LIST, [ENTRY], '20260101');
  const app = await startConsoleApp({ database: storage, environment: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  await untilReady(app);
  const { apiKey } = await app.apiKeys.create({ kind: 'test', clientCredentials: false });
  const receiver = await startReceiver(() => 204);
  const callback = { url: receiver.url };
  const post = async (url: string, payload: object) => {
    const reply = await app.http.inject({ method: 'POST', url, headers: { 'x-api-key': apiKey }, payload });
    expect(reply.statusCode, reply.body).toBeLessThan(300);
    return reply.json<{ token: string; sessionId: string }>();
  };
  const receive = async () => {
    const count = receiver.received.length + 1;
    const runUntilReceived = async () => {
      while ((await app.jobs.runDue()) > 0);
      return receiver.received.length;
    };
    await expect.poll(runUntilReceived, { timeout: 20_000 }).toBe(count);
    return JSON.parse(receiver.received.at(-1)!.body) as unknown;
  };
  const verify = async (type: string, outcome: object) => {
    const settings = { type, transactionID: 'order-7', redirectURL: 'https://shop.example/done', locale: 'en' };
    const { sessionId } = await post('/v2/verification-session', { ...settings, callback });
    await post(`/v2/verification-session/${sessionId}/simulate`, outcome);
    return { sessionId, body: await receive() };
  };

  const { token } = await post('/session', { ageThreshold: 18, metadata: { order: 4711 }, callback });
  await post(`/session/${token}/simulate`, { outcome: 'above', age: 30 });
  const sent: Record<string, unknown> = { AgeSessionResult: await receive() };
  sent.VerificationWebhook = (await verify('ENROLL', { outcome: 'success' })).body;
  sent.VerificationFailure = (await verify('SIGN-IN', { outcome: 'not_recognized' })).body;
  const reviewed = await verify('ENROLL', { outcome: 'success', flags: ['LIGHT_NOT_AS_DRAWN'] });
  await decideSession(await newOperator(app, 'reviewer'), reviewed.sessionId, 'ALLOW');
  sent.ReviewDecidedEvent = await receive();
  const subject = {
    reference: 'customer-1071',
    name: 'Theodule Vergnaud',
    birthDate: '1958-03-14',
    dataset: LIST,
    scoreThreshold: 0.85,
  };
  await post('/v2/screening/subjects', { ...subject, callback });
  sent.NewHitEvent = await receive();
  await post('/v2/screening/subjects', { ...subject, birthDate: '1978-03-14', callback });
  sent.ChangedHitEvent = await receive();
  await post('/v2/screening/subjects', { ...subject, name: 'Quorvina Belzanfer', callback });
  sent.RemovedHitEvent = await receive();

  const bodies = listWebhookBodies();
  expect(maskVarying(sent)).toEqual(maskVarying(Object.fromEntries(bodies.map(({ name, sample }) => [name, sample]))));
});
