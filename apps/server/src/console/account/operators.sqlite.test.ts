// Admins invite, sign out and remove operators. At least one admin always remains.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ConsoleApp,
  call,
  newOperator,
  ORIGIN,
  startConsoleApp,
  type TestOperator,
} from '#testing/console/console-app.ts';
import type { InvitedView, OperatorView } from '../door/views.ts';

let app: ConsoleApp;
let admin: TestOperator;

beforeAll(async () => {
  app = await startConsoleApp({ atEnd: afterAll });
  admin = await newOperator(app, 'admin', 'Ada');
});

const list = async (operator = admin) =>
  (await operator.call('GET /console/api/operators')).json<{ operators: OperatorView[] }>().operators;
const find = async (name: string) => (await list()).find((one) => one.name === name)!;
const statusOfMe = async (operator: TestOperator) => (await operator.call('GET /console/api/me')).statusCode;

async function invite(name: string, role: string, operator = admin) {
  const answer = await operator.confirm('operator.invite', `${role} ${name}`);
  return operator.call('POST /console/api/operators/invite', { body: { name, role, ...answer } });
}

async function remove(operator: TestOperator, id: string) {
  const body = await operator.confirm('operator.remove', id);
  return operator.call('POST /console/api/operators/:id/remove', { ids: [id], body });
}

it('lists operators with their role, sessions and last activity', async () => {
  const reviewer = await newOperator(app, 'reviewer', 'Grace');
  await app.operators.invite('Nobody yet', 'auditor');
  app.clock.advance(61_000);
  await statusOfMe(reviewer);
  expect(await find('Grace')).toMatchObject({
    role: 'reviewer',
    passkeys: [{}],
    isYou: false,
    seenAt: app.clock.now(),
  });
  expect((await find('Grace')).sessions).toHaveLength(1);
  expect(await find('Nobody yet')).toMatchObject({ passkeys: [], seenAt: null, sessions: [] });
  expect((await find('Ada')).sessions).toEqual([expect.objectContaining({ isThis: true })]);
  const { lines } = (await admin.call('GET /console/api/audit')).json();
  expect(lines.map(({ act }: { act: string }) => act)).toContain('operators.view');
});

describe('an invite', () => {
  it('creates a link that works once, with the requested role', async () => {
    const reply = await invite('Newcomer', 'developer');
    expect(reply.statusCode).toBe(201);
    const { link } = reply.json<InvitedView>();
    expect(link).toMatch(new RegExp(`^${ORIGIN}/console#invite=[\\w-]{43}$`));
    const token = link.split('=')[1]!;
    const opened = await call(app, 'POST /console/api/invite/question', { body: { invite: token } });
    expect(opened.json()).toMatchObject({ name: 'Newcomer', role: 'developer' });
    const { lines } = (await admin.call('GET /console/api/audit')).json();
    expect(lines).toContainEqual(expect.objectContaining({ act: 'operator.invite', about: 'Newcomer' }));
    expect(JSON.stringify(lines)).not.toContain(token);
  });

  it('changes no existing role and requires a single-line name', async () => {
    await newOperator(app, 'auditor', 'Auditor');
    expect((await invite('Auditor', 'admin')).statusCode).toBe(400);
    expect((await invite('two\nlines', 'auditor')).statusCode).toBe(400);
    expect((await invite(' ', 'auditor')).statusCode).toBe(400);
    expect((await find('Auditor')).role).toBe('auditor');
  });

  it.each(['command line', 'Command  Line', 'Ri\u200Bta', '\u202EatiR'])('refuses the name %j', async (name) => {
    expect((await invite(name, 'auditor')).statusCode).toBe(400);
    await expect(app.operators.invite(name, 'auditor')).rejects.toThrow();
    const { lines } = (await admin.call('GET /console/api/audit')).json();
    expect(lines.map(({ about }: { about: string }) => about)).not.toContain(name);
  });

  it('refuses a name that is confusable with an existing one', async () => {
    await app.operators.invite('Rita', 'auditor');
    const reply = await invite('rita', 'auditor');
    expect([reply.statusCode, reply.json().message]).toEqual([400, expect.stringContaining('Rita')]);
    expect((await invite('Rita', 'auditor')).statusCode).toBe(201);
    expect((await list()).filter(({ name }) => name.toLowerCase() === 'rita')).toHaveLength(1);
  });

  it('is not confirmed by the answer to another challenge', async () => {
    const answer = await admin.confirm('operator.invite', 'reviewer Somebody');
    const body = { name: 'Somebody', role: 'admin', ...answer };
    expect((await admin.call('POST /console/api/operators/invite', { body })).statusCode).toBe(403);
  });
});

it('ends the sessions of an operator who is signed out by an admin', async () => {
  const operator = await newOperator(app, 'reviewer', 'Out');
  const { id } = await find('Out');
  const reply = await admin.call('POST /console/api/operators/:id/sign-out', { ids: [id] });
  expect(reply.json()).toEqual({ ended: 1 });
  expect(await statusOfMe(operator)).toBe(401);
});

describe('a removal', () => {
  it('deletes passkeys and sessions and requires a confirmation for that operator', async () => {
    const operator = await newOperator(app, 'reviewer', 'Gone');
    const { id } = await find('Gone');
    const wrong = await admin.confirm('operator.remove', (await find('Grace')).id);
    const reply = await admin.call('POST /console/api/operators/:id/remove', { ids: [id], body: wrong });
    expect([reply.statusCode, reply.headers['x-error-code']]).toEqual([403, 'passkey_refused']);
    expect((await remove(admin, id)).statusCode).toBe(200);
    expect(await statusOfMe(operator)).toBe(401);
    expect(await find('Gone')).toBeUndefined();
    expect((await remove(admin, id)).statusCode).toBe(404);
  });

  it('refuses to remove the caller', async () => {
    expect((await remove(admin, (await find('Ada')).id)).statusCode).toBe(400);
    expect(await statusOfMe(admin)).toBe(200);
  });

  it('keeps an admin who can sign in, even if two admins remove each other concurrently', async () => {
    const before = await app.database.queries.selectFrom('audit_lines').select('act').execute();
    const removed = before.filter(({ act }) => act === 'operator.remove').length;
    const other = await newOperator(app, 'admin', 'Other');
    await app.operators.invite('Without a passkey', 'admin');
    const [own, others] = [(await find('Ada')).id, (await find('Other')).id];
    const mine = await admin.confirm('operator.remove', others);
    const theirs = await other.confirm('operator.remove', own);
    const replies = await Promise.all([
      admin.call('POST /console/api/operators/:id/remove', { ids: [others], body: mine }),
      other.call('POST /console/api/operators/:id/remove', { ids: [own], body: theirs }),
    ]);
    expect(replies.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
    const left = (await app.operators.list()).filter(({ role, passkeys }) => role === 'admin' && passkeys > 0);
    expect(left).toHaveLength(1);
    // No audit line claims that the remaining admin was removed.
    const lines = await app.database.queries.selectFrom('audit_lines').select('act').execute();
    expect(lines.filter(({ act }) => act === 'operator.remove')).toHaveLength(removed + 1);
  });
});
