// Attacks on the console: getting in, and getting more rights than the role has.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Authenticator, createAuthenticator } from '#testing/authenticator.ts';
import {
  type ConsoleApp,
  call,
  newOperator,
  ORIGIN,
  operatorWith,
  readCookie,
  signIn,
  startConsoleApp,
  type TestOperator,
} from '#testing/console/console-app.ts';
import type { AuditPageView, OperatorView, QuestionView } from './views.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let app: ConsoleApp;
let admin: TestOperator;

beforeAll(async () => {
  app = await startConsoleApp({ atEnd: afterAll });
  admin = await newOperator(app, 'admin');
});

const statusOfMe = async (operator: TestOperator) => (await operator.call('GET /console/api/me')).statusCode;

describe('an invite', () => {
  async function answerTo(invite: string, authenticator = createAuthenticator(ORIGIN)) {
    const question = (await call(app, 'POST /console/api/invite/question', { body: { invite } })).json<QuestionView>();
    return { invite, ticket: question.ticket, response: authenticator.create(question.options as never) };
  }

  it('registers one passkey', async () => {
    const { token } = (await app.operators.invite('once', 'reviewer'))!;
    const [first, second] = [await answerTo(token), await answerTo(token)];
    expect((await call(app, 'POST /console/api/invite', { body: first })).statusCode).toBe(200);
    for (const body of [first, second]) {
      const reply = await call(app, 'POST /console/api/invite', { body });
      expect([reply.statusCode, reply.headers['x-error-code']]).toEqual([403, 'invite_refused']);
    }
    expect((await app.operators.list()).find(({ name }) => name === 'once')?.passkeys).toBe(1);
  });

  it('registers one passkey in two concurrent attempts', async () => {
    const { token } = (await app.operators.invite('at once', 'reviewer'))!;
    const bodies = [await answerTo(token), await answerTo(token)];
    const replies = await Promise.all(bodies.map((body) => call(app, 'POST /console/api/invite', { body })));
    expect(replies.map(({ statusCode }) => statusCode).sort()).toEqual([200, 403]);
  });

  it('expires after 15 minutes', async () => {
    const { token } = (await app.operators.invite('late', 'reviewer'))!;
    app.clock.advance(15 * MINUTE_MS - 1);
    const body = await answerTo(token);
    app.clock.advance(1);
    expect((await call(app, 'POST /console/api/invite', { body })).statusCode).toBe(403);
    expect((await call(app, 'POST /console/api/invite/question', { body: { invite: token } })).statusCode).toBe(403);
  });

  it('is void once the same operator gets another one', async () => {
    const { token } = (await app.operators.invite('twice', 'reviewer'))!;
    await app.operators.invite('twice', undefined);
    expect((await call(app, 'POST /console/api/invite/question', { body: { invite: token } })).statusCode).toBe(403);
  });

  it('is stored as a digest and void in an edited row', async () => {
    const { token, operator } = (await app.operators.invite('edited', 'reviewer'))!;
    const rows = await app.database.queries.selectFrom('operator_invites').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(token);
    const { id } = (await app.operators.list()).find(({ name }) => name === admin.name)!;
    await app.database.queries
      .updateTable('operator_invites')
      .set({ operator_id: id })
      .where('operator_id', '=', operator.id)
      .execute();
    expect((await call(app, 'POST /console/api/invite/question', { body: { invite: token } })).statusCode).toBe(403);
  });

  it.each([{ origin: 'https://evil.example' }, { rpId: 'evil.example' }, { userVerified: false }])(
    'takes no passkey made with %o',
    async (wrong) => {
      const { token: invite } = (await app.operators.invite('wrong', 'reviewer'))!;
      const question = (
        await call(app, 'POST /console/api/invite/question', { body: { invite } })
      ).json<QuestionView>();
      const response = createAuthenticator(ORIGIN).create(question.options as never, wrong);
      const reply = await call(app, 'POST /console/api/invite', {
        body: { invite, ticket: question.ticket, response },
      });
      expect(reply.statusCode).toBe(403);
    },
  );
});

describe('a session', () => {
  it('is new at each sign-in, whatever cookie is sent', async () => {
    const fixed = '__Host-limen-console=chosen-by-somebody-else';
    app.clock.advance(1);
    const headers = { cookie: fixed };
    const question = (await call(app, 'POST /console/api/sign-in/question', { headers })).json<QuestionView>();
    const body = { ticket: question.ticket, response: admin.authenticator.get(question.options as never) };
    const cookie = readCookie(await call(app, 'POST /console/api/sign-in', { body, headers }));
    expect(cookie).not.toBe(fixed);
    expect(await statusOfMe(operatorWith(app, { ...admin, cookie: fixed }))).toBe(401);
    expect(await statusOfMe(operatorWith(app, { ...admin, cookie }))).toBe(200);
  });

  it('uses a cookie that scripts, other sites and other hosts cannot read', async () => {
    const set = String((await signIn(app, admin)).headers['set-cookie']);
    expect(set).toMatch(/^__Host-limen-console=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/);
  });

  it('is refused if two cookies of its name are sent', async () => {
    const twice = `${admin.cookie}; __Host-limen-console=another`;
    expect(await statusOfMe(operatorWith(app, { ...admin, cookie: twice }))).toBe(401);
  });

  it('ends for a stolen cookie when its operator signs out', async () => {
    const stolen = operatorWith(app, { ...admin, cookie: readCookie(await signIn(app, admin)) });
    expect(await statusOfMe(stolen)).toBe(200);
    const reply = await stolen.call('POST /console/api/sign-out');
    expect(String(reply.headers['set-cookie'])).toContain('Max-Age=0');
    expect(await statusOfMe(stolen)).toBe(401);
  });

  it('ends after 30 minutes of inactivity, and polling does not extend it', async () => {
    const idle = operatorWith(app, { ...admin, cookie: readCookie(await signIn(app, admin)) });
    app.clock.advance(29 * MINUTE_MS);
    const headers = { 'x-limen-refresh': '1' };
    expect((await idle.call('GET /console/api/me', { headers })).statusCode).toBe(200);
    app.clock.advance(MINUTE_MS);
    expect(await statusOfMe(idle)).toBe(401);
  });

  it('ends after twelve hours, however active', async () => {
    const busy = operatorWith(app, { ...admin, cookie: readCookie(await signIn(app, admin)) });
    for (let used = 0; used < 35; used += 1) {
      app.clock.advance(20 * MINUTE_MS);
      expect(await statusOfMe(busy)).toBe(200);
    }
    app.clock.advance(12 * HOUR_MS - 35 * 20 * MINUTE_MS);
    expect(await statusOfMe(busy)).toBe(401);
  });

  it('does not last longer in an edited row', async () => {
    const edited = operatorWith(app, { ...admin, cookie: readCookie(await signIn(app, admin)) });
    await app.database.queries.updateTable('operator_sessions').set({ ends_at: 9e15 }).execute();
    app.clock.advance(31 * MINUTE_MS);
    expect(await statusOfMe(edited)).toBe(401);
  });

  it('ends when its operator is removed or signed out by an admin', async () => {
    for (const end of [app.operators.remove, app.operators.signOut]) {
      const operator = await newOperator(app, 'reviewer');
      expect(await statusOfMe(operator)).toBe(200);
      await end(operator.name);
      expect(await statusOfMe(operator)).toBe(401);
    }
  });

  it('cannot be ended by another operator', async () => {
    const [one, other] = [await newOperator(app, 'reviewer'), await newOperator(app, 'reviewer')];
    const { sessions } = (await one.call('GET /console/api/me')).json();
    const reply = await other.call('POST /console/api/my-sessions/:id/end', { ids: [sessions[0].id] });
    expect(reply.statusCode).toBe(404);
    expect(await statusOfMe(one)).toBe(200);
  });
});

describe('a sign-in', () => {
  it('refuses a repeated answer, even from passkeys without a counter', async () => {
    const operator = await newOperator(app, 'reviewer');
    const authenticator = createAuthenticator(ORIGIN, { counts: false });
    const { token: invite } = (await app.operators.invite(operator.name, undefined))!;
    const asked = (await call(app, 'POST /console/api/invite/question', { body: { invite } })).json<QuestionView>();
    const made = authenticator.create(asked.options as never);
    await call(app, 'POST /console/api/invite', { body: { invite, ticket: asked.ticket, response: made } });
    app.clock.advance(1);
    const question = (await call(app, 'POST /console/api/sign-in/question')).json<QuestionView>();
    const body = { ticket: question.ticket, response: authenticator.get(question.options as never) };
    const replies = [];
    for (let nth = 0; nth < 2; nth += 1) replies.push(await call(app, 'POST /console/api/sign-in', { body }));
    expect(replies.map(({ statusCode }) => statusCode)).toEqual([200, 403]);
  });

  it('refuses an answer after two minutes, from another origin or without user verification', async () => {
    const attempt = async (wait: number, wrong = {}) => {
      app.clock.advance(1);
      const question = (await call(app, 'POST /console/api/sign-in/question')).json<QuestionView>();
      const body = { ticket: question.ticket, response: admin.authenticator.get(question.options as never, wrong) };
      app.clock.advance(wait);
      return (await call(app, 'POST /console/api/sign-in', { body })).statusCode;
    };
    expect(await attempt(2 * MINUTE_MS + 1)).toBe(403);
    expect(await attempt(0, { origin: 'https://evil.example' })).toBe(403);
    expect(await attempt(0, { userVerified: false })).toBe(403);
    expect(await attempt(0)).toBe(200);
  });

  it('is rate-limited per address', async () => {
    const other = await startConsoleApp();
    const statuses = new Set<number>();
    for (let nth = 0; nth < 40; nth += 1) {
      const reply = await call(other, 'POST /console/api/sign-in/question', { address: '10.255.0.1' });
      statuses.add(reply.statusCode);
    }
    expect(statuses).toEqual(new Set([200, 429]));
  });
});

describe('a stranger with repeated attempts', () => {
  const statusesOf = async (times: number, send: () => Promise<{ statusCode: number }>) => {
    const counts = new Map<number, number>();
    for (let nth = 0; nth < times; nth += 1) {
      const { statusCode } = await send();
      counts.set(statusCode, (counts.get(statusCode) ?? 0) + 1);
    }
    return counts;
  };

  it.each([
    ['no cookie', '10.255.1.1', undefined],
    ['a made-up cookie', '10.255.1.2', '__Host-limen-console=made-up'],
  ])('is rate-limited with %s, without affecting a signed-in operator', async (...row) => {
    const [, address, cookie] = row;
    const neighbor = await newOperator(app, 'reviewer');
    expect((await neighbor.call('GET /console/api/me', { address })).statusCode).toBe(200);
    const send = () => call(app, 'GET /console/api/me', { address, headers: { cookie } });
    const counts = await statusesOf(60, send);
    expect([...counts.keys()]).toEqual([401, 429]);
    expect(counts.get(401)).toBeLessThan(50);
    const stay = await statusesOf(60, () => neighbor.call('GET /console/api/me', { address }));
    expect([...stay.keys()]).toEqual([200]);
  });

  it('is rate-limited with the cookie of an ended session', async () => {
    const operator = await newOperator(app, 'reviewer');
    const send = () => operator.call('GET /console/api/me', { address: '10.255.1.3' });
    expect((await send()).statusCode).toBe(200);
    await operator.call('POST /console/api/sign-out');
    expect([...(await statusesOf(60, send)).keys()]).toEqual([401, 429]);
  });

  it('gets an audit line for each refused call as an operator, up to a limit', async () => {
    const reviewer = await newOperator(app, 'reviewer');
    const counts = await statusesOf(100, () => reviewer.call('GET /console/api/audit'));
    expect([...counts.keys()]).toEqual([403, 429]);
    expect(await refusalsOf(reviewer.name)).toHaveLength(counts.get(403)!);
    expect((await reviewer.call('GET /console/api/me')).statusCode).toBe(200);
  });

  it('does not fill the log with unknown passkeys', async () => {
    const other = await startConsoleApp();
    const thief = createAuthenticator(ORIGIN);
    thief.create({ rp: { id: 'console.example', name: '' }, user: { id: 'AA' }, challenge: 'AA' } as never);
    const response = thief.get({ rpId: 'console.example', challenge: 'AA' } as never);
    const counts = await statusesOf(60, async () => {
      const { ticket } = (await call(other, 'POST /console/api/sign-in/question')).json<QuestionView>();
      return call(other, 'POST /console/api/sign-in', { body: { ticket, response } });
    });
    expect([...counts.keys()]).toEqual([403]);
    const rows = await other.database.queries.selectFrom('audit_lines').selectAll().execute();
    expect(rows.length).toBeGreaterThan(10);
    expect(rows.length).toBeLessThan(40);
  });
});

/** Refused acts of this operator in the audit log, newest first. */
async function refusalsOf(name: string, of = app): Promise<(string | null)[]> {
  const reader = await newOperator(of, 'auditor');
  const { lines } = (await reader.call('GET /console/api/audit', { query: '?act=refused' })).json<AuditPageView>();
  return lines.flatMap((line) => (!line.isUnreadable && line.operator === name ? [line.about] : []));
}

describe('an audit line', () => {
  let other: ConsoleApp;
  beforeAll(async () => {
    other = await startConsoleApp({ atEnd: afterAll });
  });
  const seenAtOf = async (name: string) => {
    const reply = await (await newOperator(other, 'admin')).call('GET /console/api/operators');
    return reply.json<{ operators: OperatorView[] }>().operators.find((one) => one.name === name)?.seenAt;
  };

  it('records a passkey that does not confirm', async () => {
    const operator = await newOperator(other, 'admin');
    const { record } = await other.apiKeys.create({ kind: 'test', clientCredentials: false });
    const body = await operator.confirm('key.revoke', 'another');
    const reply = await operator.call('POST /console/api/keys/:id/revoke', { ids: [record.id], body });
    expect([reply.statusCode, reply.headers['x-error-code']]).toEqual([403, 'passkey_refused']);
    expect(await refusalsOf(operator.name, other)).toEqual(['key.revoke']);
  });

  it('records a passkey that does not sign in, with its owner or as unknown', async () => {
    const operator = await newOperator(other, 'reviewer');
    const attempt = async (authenticator: Authenticator, wrong = {}) => {
      other.clock.advance(1);
      const question = (await call(other, 'POST /console/api/sign-in/question')).json<QuestionView>();
      const body = { ticket: question.ticket, response: authenticator.get(question.options as never, wrong) };
      expect((await call(other, 'POST /console/api/sign-in', { body })).statusCode).toBe(403);
    };
    await attempt(operator.authenticator, { userVerified: false });
    expect(await refusalsOf(operator.name, other)).toEqual(['sign-in']);
    // Anyone may have tried, so the operator's last activity is unchanged.
    const seen = await seenAtOf(operator.name);
    other.clock.advance(MINUTE_MS);
    await attempt(operator.authenticator, { userVerified: false });
    expect(await seenAtOf(operator.name)).toBe(seen);
    const before = await refusalsOf('somebody unknown', other);
    const thief = createAuthenticator(ORIGIN);
    thief.create({ rp: { id: 'console.example', name: '' }, user: { id: 'AA' }, challenge: 'AA' } as never);
    await attempt(thief);
    expect(await refusalsOf('somebody unknown', other)).toEqual(['sign-in', ...before]);
  });

  it('records a link that does not work', async () => {
    const before = await refusalsOf('somebody unknown', other);
    await call(other, 'POST /console/api/invite/question', { body: { invite: 'made-up' } });
    expect(await refusalsOf('somebody unknown', other)).toEqual(['invite', ...before]);
  });
});

describe('a call from another site', () => {
  it.each([
    ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['another host of the same site', { origin: 'https://other.example', 'sec-fetch-site': 'same-site' }],
    ['an old browser on another site', { origin: 'https://evil.example', 'sec-fetch-site': undefined }],
    ['a form in a sandbox', { origin: 'null', 'sec-fetch-site': undefined }],
    ['an address that was typed', { origin: undefined, 'sec-fetch-site': 'none' }],
    ['no page at all', { origin: undefined, 'sec-fetch-site': undefined }],
  ])('changes nothing if sent from %s', async (_where, headers) => {
    const reply = await admin.call('POST /console/api/sign-out', { headers });
    expect([reply.statusCode, reply.headers['x-error-code']]).toEqual([403, 'forbidden']);
    admin = operatorWith(app, { ...admin, cookie: readCookie(await signIn(app, admin)) });
  });

  it('finds neither page nor API under another host name', async () => {
    const headers = { host: 'rebound.example', origin: 'https://rebound.example' };
    expect((await admin.call('GET /console/api/me', { headers })).statusCode).toBe(404);
    expect((await app.http.inject({ url: '/console', headers: { host: 'rebound.example' } })).statusCode).toBe(404);
  });

  it('is refused without the JSON content type', async () => {
    const reply = await app.http.inject({
      method: 'POST',
      url: '/console/api/sign-out',
      headers: { host: 'console.example', origin: ORIGIN, cookie: admin.cookie, 'content-type': 'text/plain' },
      payload: '{}',
    });
    expect(reply.statusCode).toBe(415);
  });
});

describe('privilege escalation', () => {
  it('fails with an edited role in the row', async () => {
    const operator = await newOperator(app, 'reviewer');
    await app.database.queries
      .updateTable('operators')
      .set({ role: 'admin' })
      .where('name', '=', operator.name)
      .execute();
    expect(await statusOfMe(operator)).toBe(401);
    expect((await signIn(app, operator)).statusCode).toBe(403);
  });

  it('fails for a developer who requests a live key', async () => {
    const developer = await newOperator(app, 'developer');
    const wanted = { kind: 'live', label: 'more', clientCredentials: false };
    const about = JSON.stringify(['live', 'more', null, false]);
    const body = { ...wanted, ...(await developer.confirm('key.create', about)) };
    expect((await developer.call('POST /console/api/keys', { body })).statusCode).toBe(403);
    const { record } = await app.apiKeys.create({ kind: 'live', clientCredentials: false });
    const revoke = await developer.confirm('key.revoke', record.id);
    const ids = [record.id];
    expect((await developer.call('POST /console/api/keys/:id/revoke', { ids, body: revoke })).statusCode).toBe(403);
    const label = { label: 'mine' };
    expect((await developer.call('POST /console/api/keys/:id/label', { ids, body: label })).statusCode).toBe(403);
  });

  it('fails for destructive and creating acts with a stolen cookie alone', async () => {
    const thief = createAuthenticator(ORIGIN);
    thief.create({ rp: { id: 'console.example', name: '' }, user: { id: 'AA' }, challenge: 'AA' } as never);
    const { record } = await app.apiKeys.create({ kind: 'test', clientCredentials: false });
    const { ticket } = await admin.confirm('key.revoke', record.id);
    const response = thief.get({ rpId: 'console.example', challenge: 'AA' } as never);
    const reply = await admin.call('POST /console/api/keys/:id/revoke', {
      ids: [record.id],
      body: { ticket, response },
    });
    expect([reply.statusCode, reply.headers['x-error-code']]).toEqual([403, 'passkey_refused']);
  });

  it('fails with an answer for another act, subject or operator, or a second time', async () => {
    const one = (await app.apiKeys.create({ kind: 'test', clientCredentials: false })).record.id;
    const two = (await app.apiKeys.create({ kind: 'test', clientCredentials: false })).record.id;
    const revoke = (operator: TestOperator, id: string, body: object) =>
      operator.call('POST /console/api/keys/:id/revoke', { ids: [id], body }).then(({ statusCode }) => statusCode);
    expect(await revoke(admin, two, await admin.confirm('key.revoke', one))).toBe(403);
    expect(await revoke(admin, one, await admin.confirm('session.redact', one))).toBe(403);
    const other = await newOperator(app, 'admin');
    expect(await revoke(admin, one, await other.confirm('key.revoke', one))).toBe(403);
    const body = await admin.confirm('key.revoke', one);
    expect(await revoke(admin, one, body)).toBe(200);
    expect(await revoke(admin, one, body)).toBe(403);
  });
});
