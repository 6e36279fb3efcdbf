// People in the console: found by puid, counted, exported and deleted with a receipt, without faces.
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleApp, newOperator, startConsoleApp, type TestOperator } from '#testing/console/console-app.ts';
import type { DeletedPersonView, PersonView, RetentionView } from './views.ts';

let app: ConsoleApp;
let admin: TestOperator;

beforeAll(async () => {
  app = await startConsoleApp({
    atEnd: afterAll,
    environment: { SERVE: 'core,node,console', RETENTION_HOURS: '48' },
  });
  admin = await newOperator(app, 'admin');
});

/** Enrolls a person whose face is a wave of this length, and returns the puid. */
async function enroll(length: number): Promise<string> {
  const { apiKey } = await app.apiKeys.create({ kind: 'live', customerId: 'acme', clientCredentials: false });
  const features = Array.from({ length: 128 }, (_, at) => Math.sin((at + 1) * length) + Math.cos(at * length * 3));
  const reply = await app.http.inject({
    method: 'POST',
    url: '/node/plainEnroll',
    headers: { 'x-api-key': apiKey },
    payload: { features: { type: 'face', embedding_vector: features } },
  });
  expect(reply.json().puid).toMatch(/^[0-9a-f-]{36}$/);
  return reply.json().puid;
}

const find = (puid: string, operator = admin) => operator.call('POST /console/api/people/find', { body: { puid } });

it('shows counts without a face, and audits no puid', async () => {
  const puid = await enroll(0.7);
  const reply = await find(` ${puid.toUpperCase()} `);
  expect(reply.json<PersonView>()).toMatchObject({
    puid,
    customer: 'acme',
    world: 'live',
    embeddings: 1,
    tokens: 0,
    passkeys: 0,
    devices: 0,
    sessions: 0,
    isProvisional: false,
    lastUsedAt: null,
  });
  const { lines } = (await admin.call('GET /console/api/audit')).json();
  const line = lines.find(({ act }: { act: string }) => act === 'person.view');
  expect(line.about).toMatch(/^[\w-]{43}$/);
  expect(JSON.stringify(lines)).not.toContain(puid);
  for (const none of ['019a8561-8a2f-7000-a5c5-3c0f8d1a2b4e', "' or 1=1"])
    expect((await find(none)).statusCode).toBe(404);
});

it('exports the data without faces, to admins only', async () => {
  const puid = await enroll(1.3);
  const body = { puid };
  const { person, writtenAt } = (await admin.call('POST /console/api/people/export', { body })).json();
  expect(Date.parse(writtenAt)).toBe(app.clock.now());
  expect(person).toMatchObject({ puid, customer: 'acme', embeddings: 1, tokens: [], passkeys: [], sessions: [] });
  expect(Date.parse(person.createdAt)).toBe(app.clock.now());
  expect(Object.keys(person)).not.toContain('id');
  const reviewer = await newOperator(app, 'reviewer');
  expect((await find(puid, reviewer)).statusCode).toBe(200);
  expect((await reviewer.call('POST /console/api/people/export', { body })).statusCode).toBe(403);
});

it('deletes a person after a passkey confirmation and returns a receipt', async () => {
  const [puid, other] = [await enroll(2.1), await enroll(2.9)];
  const remove = async (answer: object) => admin.call('POST /console/api/people/delete', { body: { puid, ...answer } });
  expect((await remove(await admin.confirm('person.delete', other))).statusCode).toBe(403);
  expect((await find(puid)).statusCode).toBe(200);
  const { receipt } = (await remove(await admin.confirm('person.delete', puid))).json<DeletedPersonView>();
  expect(decodeJwt(receipt)).toMatchObject({ deleted: 'person', aud: 'acme', world: 'live' });
  expect((await find(puid)).statusCode).toBe(404);
  expect((await find(other)).statusCode).toBe(200);
  expect((await remove(await admin.confirm('person.delete', puid))).statusCode).toBe(404);
  expect((await admin.call('POST /console/api/people/export', { body: { puid } })).statusCode).toBe(404);
  // Only completed acts are recorded as done.
  const { lines } = (await admin.call('GET /console/api/audit')).json<{ lines: { act: string }[] }>();
  const acts = lines.map(({ act }) => act).filter((act) => act === 'person.delete' || act === 'person.export');
  expect(acts).toEqual(['person.delete', 'person.export']);
});

it('shows the retention in effect', async () => {
  const { settings } = (await admin.call('GET /console/api/retention')).json<{ settings: RetentionView[] }>();
  expect(settings.map(({ name, value, unit, isDefault }) => [name, value, unit, isDefault])).toEqual([
    ['RETENTION_HOURS', 48, 'hours', false],
    ['REVIEW_DAYS', 14, 'days', true],
    ['DELIVERY_LOG_DAYS', expect.any(Number), 'days', true],
    ['AUDIT_DAYS', 400, 'days', true],
  ]);
});
