import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleApp, newOperator, startConsoleApp, type TestOperator } from '#testing/console/console-app.ts';
import type { AuditPageView, CreatedKeyView, KeyView } from '../door/views.ts';

let app: ConsoleApp;
let admin: TestOperator;

beforeAll(async () => {
  app = await startConsoleApp({ atEnd: afterAll });
  admin = await newOperator(app, 'admin');
});

interface Wanted {
  kind: string;
  label: string;
  customer?: string;
  clientCredentials: boolean;
}

/** Challenge that the page gets for a key. */
const aboutOf = ({ kind, label, customer, clientCredentials }: Wanted) =>
  JSON.stringify([kind, label, customer ?? null, clientCredentials]);

async function create(operator: TestOperator, kind: 'live' | 'test', label: string): Promise<CreatedKeyView> {
  const wanted = { kind, label, customer: 'acme', clientCredentials: true };
  const body = { ...wanted, ...(await operator.confirm('key.create', aboutOf(wanted))) };
  const reply = await operator.call('POST /console/api/keys', { body });
  expect(reply.statusCode).toBe(201);
  return reply.json();
}

const find = async (id: string) =>
  (await admin.call('GET /console/api/keys')).json<{ keys: KeyView[] }>().keys.find((key) => key.id === id);

describe('an API key', () => {
  it('works, belongs to the requested world and is shown once', async () => {
    const created = await create(admin, 'live', 'Web shop');
    const record = await app.apiKeys.authenticate(created.apiKey);
    expect(record).toMatchObject({ id: created.key.id, kind: 'live', label: 'Web shop', customer_id: 'acme' });
    expect(await app.apiKeys.clientMatches(record!, created.clientId!, created.clientSecret!)).toBe(true);
    const reply = await admin.call('GET /console/api/keys');
    expect(reply.json().keys).toContainEqual(
      expect.objectContaining({ label: 'Web shop', world: 'live', isActive: true }),
    );
    for (const secret of [created.apiKey, created.clientSecret!]) expect(reply.body).not.toContain(secret);
  });

  it('is confirmed, created and listed as a native app or kiosk', async () => {
    const wanted = { kind: 'live' as const, label: 'App', clientCredentials: false };
    const traits = { nativeApp: true, kiosk: true };
    const call = async (about: string) => {
      const body = { ...wanted, ...traits, ...(await admin.confirm('key.create', about)) };
      return admin.call('POST /console/api/keys', { body });
    };
    // The passkey confirmed a key without exemptions.
    expect((await call(aboutOf(wanted))).statusCode).toBe(403);
    const about = JSON.stringify(['live', 'App', null, false, 'native-app', 'kiosk']);
    const { key } = (await call(about)).json<CreatedKeyView>();
    expect(key).toMatchObject(traits);
    expect(await find(key.id)).toMatchObject(traits);
    expect(await app.apiKeys.traitsOf(key.id)).toEqual(traits);
    const renamed = await admin.call('POST /console/api/keys/:id/label', { ids: [key.id], body: { label: 'Bar' } });
    expect(renamed.json()).toMatchObject({ label: 'Bar', ...traits });
  });

  it('can be created, renamed and revoked by a developer if it is a test key', async () => {
    const developer = await newOperator(app, 'developer');
    const { key, apiKey } = await create(developer, 'test', 'Mine');
    const ids = [key.id];
    await developer.call('POST /console/api/keys/:id/label', { ids, body: { label: ' <script>x</script> ' } });
    expect(await find(key.id)).toMatchObject({ label: '<script>x</script>' });
    expect(await app.apiKeys.authenticate(apiKey)).toBeDefined();
    const body = await developer.confirm('key.revoke', key.id);
    expect((await developer.call('POST /console/api/keys/:id/revoke', { ids, body })).statusCode).toBe(200);
    expect(await app.apiKeys.authenticate(apiKey)).toBeUndefined();
    expect(await find(key.id)).toMatchObject({ isActive: false });
    // The audit log shows the current label with the id.
    const { lines } = (await admin.call('GET /console/api/audit')).json<AuditPageView>();
    const ofKey = lines.flatMap((line) =>
      !line.isUnreadable && line.about === key.id ? [[line.act, line.label]] : [],
    );
    expect(ofKey).toEqual(['key.revoke', 'key.label', 'key.create'].map((act) => [act, '<script>x</script>']));
  });

  it('shows its last use to the hour', async () => {
    const { key, apiKey } = await create(admin, 'test', 'Used');
    expect(await find(key.id)).toMatchObject({ lastUsedAt: null });
    const first = app.clock.now();
    await app.apiKeys.authenticate(apiKey);
    await expect.poll(async () => (await find(key.id))?.lastUsedAt).toBe(first);
    app.clock.advance(60 * 60_000 - 1);
    await app.apiKeys.authenticate(apiKey);
    app.clock.advance(1);
    admin = await newOperator(app, 'admin');
    expect(await find(key.id)).toMatchObject({ lastUsedAt: first });
    await app.apiKeys.authenticate(apiKey);
    await expect.poll(async () => (await find(key.id))?.lastUsedAt).toBe(first + 60 * 60_000);
  });

  it('works when limited to embedding sites', async () => {
    const { key, apiKey } = await create(admin, 'test', 'Embedded');
    const limit = async (origins: unknown, operator = admin, id = key.id) => {
      const answer = await operator.confirm('key.origins', JSON.stringify([id, ...[origins].flat()]));
      return operator.call('POST /console/api/keys/:id/origins', { ids: [id], body: { origins, ...answer } });
    };
    const reply = await limit(['https://shop.example/', 'http://localhost:3000', 'https://shop.example']);
    expect(reply.json()).toMatchObject({ embedOrigins: ['http://localhost:3000', 'https://shop.example'] });
    expect(await find(key.id)).toMatchObject({ embedOrigins: ['http://localhost:3000', 'https://shop.example'] });
    expect(await app.apiKeys.authenticate(apiKey)).toMatchObject({ id: key.id });
    for (const wrong of [
      ['*'],
      ['http://shop.example'],
      ['https://shop.example/path'],
      ["'self'"],
      'https://a.example',
    ])
      expect((await limit(wrong)).statusCode).toBe(400);
    expect((await limit([])).json()).toMatchObject({ embedOrigins: [] });
    const developer = await newOperator(app, 'developer');
    const { record } = await app.apiKeys.create({ kind: 'live', clientCredentials: false });
    expect((await limit([], developer, record.id)).statusCode).toBe(403);
    const { lines } = (await admin.call('GET /console/api/audit')).json();
    expect(lines).toContainEqual(expect.objectContaining({ act: 'key.origins', about: key.id }));
  });

  it('accepts only the sites that the passkey confirmed', async () => {
    const { key } = await create(admin, 'live', 'Guarded');
    const [ids, origins] = [[key.id], ['https://evil.example']];
    const plain = await admin.call('POST /console/api/keys/:id/origins', { ids, body: { origins } });
    expect(plain.statusCode).toBe(400);
    const answer = await admin.confirm('key.origins', JSON.stringify([key.id, 'https://shop.example']));
    const other = await admin.call('POST /console/api/keys/:id/origins', { ids, body: { origins, ...answer } });
    expect([other.statusCode, other.headers['x-error-code']]).toEqual([403, 'passkey_refused']);
    expect(await find(key.id)).toMatchObject({ embedOrigins: [] });
  });

  it('is audited with its id before it is created, renamed or revoked', async () => {
    const { key } = await create(admin, 'test', 'Recorded');
    await admin.call('POST /console/api/keys/:id/label', { ids: [key.id], body: { label: 'Other' } });
    const body = await admin.confirm('key.revoke', key.id);
    await admin.call('POST /console/api/keys/:id/revoke', { ids: [key.id], body });
    const { lines } = (await admin.call('GET /console/api/audit')).json();
    const acts = lines
      .filter((line: { about: string }) => line.about === key.id)
      .map((line: { act: string }) => line.act);
    expect(acts).toEqual(['key.revoke', 'key.label', 'key.create']);
  });

  it.each([
    { kind: 'live' },
    { label: 'Other' },
    { customer: 'SOMEBODY-ELSE' },
    { customer: undefined },
    { clientCredentials: true },
  ])('is not created as %o with the answer to another challenge', async (other) => {
    const wanted = { kind: 'test', label: 'ok', customer: 'acme', clientCredentials: false };
    const answer = await admin.confirm('key.create', aboutOf(wanted));
    const reply = await admin.call('POST /console/api/keys', { body: { ...wanted, ...other, ...answer } });
    expect([reply.statusCode, reply.headers['x-error-code']]).toEqual([403, 'passkey_refused']);
  });

  it.each([
    { label: '' },
    { label: ' ' },
    { label: 'two\nlines' },
    { label: 'x'.repeat(201) },
    { kind: 'development' },
  ])('is refused with %o', async (wrong) => {
    const wanted = { kind: 'test', label: 'fine', clientCredentials: false, ...wrong };
    const answer = await admin.confirm('key.create', aboutOf(wanted));
    const reply = await admin.call('POST /console/api/keys', { body: { ...wanted, ...answer } });
    expect(reply.statusCode).toBe(400);
  });
});
