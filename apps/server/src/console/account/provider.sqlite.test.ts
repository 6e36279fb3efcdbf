// Sign-in with an identity provider that really runs, and what does not get in by it.

import type { LightMyRequestResponse } from 'fastify';
import { generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAuthenticator } from '#testing/authenticator.ts';
import {
  type ConsoleApp,
  call,
  newOperator,
  ORIGIN,
  operatorWith,
  startConsoleApp,
} from '#testing/console/console-app.ts';
import { type Account, type Issuer, startIssuer, visitIssuer } from '#testing/issuer.ts';
import { loadConfig } from '../../config.ts';
import type { Facts } from '../../operations/doctor/checks/check.ts';
import { checkIdentityProvider } from '../../operations/doctor/checks/network.ts';
import type { AwayView, MeView, OperatorView, QuestionView } from '../door/views.ts';

const RETURN = `${ORIGIN}/console/signed-in`;
const FLOW = '__Host-limen-console-flow';

let issuer: Issuer;
let app: ConsoleApp;
let count = 0;

const settingsFor = ({ url, clientId, clientSecret }: Issuer) => ({
  CONSOLE_OIDC_ISSUER: url,
  CONSOLE_OIDC_CLIENT_ID: clientId,
  CONSOLE_OIDC_CLIENT_SECRET: clientSecret,
  CONSOLE_OIDC_ROLES: 'limen-admins=admin,fraud=reviewer,audit=auditor',
});

beforeAll(async () => {
  issuer = await startIssuer({ redirectUri: () => RETURN, atEnd: afterAll });
  app = await startConsoleApp({ environment: settingsFor(issuer), atEnd: afterAll });
});

beforeEach(() => {
  issuer.answerTokens = undefined;
});

/** Somebody new in these groups, who comes next. */
function newAccount(...groups: string[]): Account {
  count += 1;
  issuer.account = { sub: `subject ${count}`, preferred_username: `person ${count}`, groups };
  return issuer.account;
}

/** From the page to the provider: where to go, and what ties the answer to it. */
async function leave({ app: from = app } = {}) {
  const reply = await call(from, 'POST /console/api/sign-in/provider');
  expect(reply.statusCode).toBe(200);
  return { url: reply.json<AwayView>().url, flow: String(reply.headers['set-cookie']).split(';', 1)[0]! };
}

/** Back at the console, as a browser is sent there from another site. */
function comeBack(address: URL, flow: string | undefined, to = app): Promise<LightMyRequestResponse> {
  count += 1;
  return to.http.inject({
    method: 'GET',
    url: `${address.pathname}${address.search}`,
    remoteAddress: `10.99.${count >> 8}.${count & 255}`,
    headers: {
      host: new URL(ORIGIN).host,
      'sec-fetch-site': 'cross-site',
      ...(flow !== undefined && { cookie: flow }),
    },
  });
}

async function signIn(to = app, by = issuer): Promise<LightMyRequestResponse> {
  const { url, flow } = await leave({ app: to });
  return comeBack(await visitIssuer(by, url), flow, to);
}

/** The session's cookie among those that were set, if any. */
function sessionIn(reply: LightMyRequestResponse): string | undefined {
  const set = [reply.headers['set-cookie']].flat().map((line) => String(line).split(';', 1)[0]!);
  return set.find((pair) => pair.startsWith('__Host-limen-console='));
}

const refusalIn = ({ headers }: LightMyRequestResponse) => /#refused=([\w-]+)$/.exec(String(headers.location))?.[1];
const inviteIn = ({ headers }: LightMyRequestResponse) => /#invite=([\w-]+)$/.exec(String(headers.location))?.[1];

async function me(cookie: string | undefined): Promise<MeView> {
  return (await call(app, 'GET /console/api/me', { headers: { cookie } })).json();
}

/** As the page does after the first sign-in. */
async function registerPasskey(name: string, reply: LightMyRequestResponse) {
  const invite = inviteIn(reply)!;
  const authenticator = createAuthenticator(ORIGIN);
  const question = (await call(app, 'POST /console/api/invite/question', { body: { invite } })).json<QuestionView>();
  const body = { invite, ticket: question.ticket, response: authenticator.create(question.options as never) };
  const registered = await call(app, 'POST /console/api/invite', { body });
  expect([registered.statusCode, registered.headers['set-cookie']]).toEqual([200, undefined]);
  return operatorWith(app, { name, authenticator, cookie: sessionIn(reply)! });
}

describe('somebody from the identity provider', () => {
  it('is let in with the role of the first group that has one, and offered a passkey', async () => {
    const { preferred_username: name } = newAccount('staff', 'fraud', 'limen-admins');
    const reply = await signIn();
    expect([reply.statusCode, refusalIn(reply)]).toEqual([303, undefined]);
    expect(await me(sessionIn(reply))).toMatchObject({ name, role: 'admin' });
    const operator = await registerPasskey(name!, reply);
    const confirmed = await operator.confirm('operator.invite', 'auditor Grace');
    const invited = await operator.call('POST /console/api/operators/invite', {
      body: { name: 'Grace', role: 'auditor', ...confirmed },
    });
    expect(invited.statusCode).toBe(201);
    const again = await signIn();
    expect(again.headers.location).toBe(`${ORIGIN}/console`);
  });

  it('does not get in with the passkey alone', async () => {
    const { preferred_username: name } = newAccount('fraud');
    const operator = await registerPasskey(name!, await signIn());
    app.clock.advance(1);
    const question = (await call(app, 'POST /console/api/sign-in/question')).json<QuestionView>();
    const body = { ticket: question.ticket, response: operator.authenticator.get(question.options as never) };
    const reply = await call(app, 'POST /console/api/sign-in', { body });
    expect([reply.statusCode, reply.json().message]).toEqual([403, expect.stringContaining('organisation’s account')]);
  });

  it('has another role when the groups say so, at once and on record', async () => {
    const account = newAccount('fraud');
    const before = sessionIn(await signIn());
    issuer.account = { ...account, groups: ['audit'] };
    await signIn();
    expect(await me(before)).toMatchObject({ role: 'auditor' });
    const admin = await newOperator(app, 'admin');
    const { lines } = (await admin.call('GET /console/api/audit')).json();
    const acts = lines.filter(({ operator }: { operator: string }) => operator === account.preferred_username);
    expect(acts.map(({ act, about }: { act: string; about?: string }) => `${act} ${about}`)).toEqual([
      'sign-in identity provider',
      'operator.role reviewer to auditor',
      'sign-in identity provider',
      'operator.provided reviewer',
    ]);
  });

  it('is out everywhere once no group has a role', async () => {
    const account = newAccount('fraud');
    const before = sessionIn(await signIn());
    issuer.account = { ...account, groups: ['sales'] };
    const reply = await signIn();
    expect([refusalIn(reply), sessionIn(reply)]).toEqual(['no-role', undefined]);
    expect((await call(app, 'GET /console/api/me', { headers: { cookie: before } })).statusCode).toBe(401);
  });

  it('is on record when they are not let in, by name only where they were an operator', async () => {
    const account = newAccount('fraud');
    await signIn();
    issuer.account = { ...account, groups: [] };
    await signIn();
    newAccount('staff');
    await signIn();
    const admin = await newOperator(app, 'admin');
    const { lines } = (await admin.call('GET /console/api/audit', { query: '?act=refused' })).json();
    expect(lines.slice(0, 2)).toMatchObject([
      { operator: 'somebody unknown', role: null, about: 'sign-in, identity provider, no-role' },
      { operator: account.preferred_username, role: 'reviewer', about: 'sign-in, identity provider, no-role' },
    ]);
  });

  it('is not let in by a link that was left over, once no group has a role', async () => {
    const account = newAccount('fraud');
    const invite = inviteIn(await signIn());
    issuer.account = { ...account, groups: [] };
    expect(refusalIn(await signIn())).toBe('no-role');
    const reply = await call(app, 'POST /console/api/invite/question', { body: { invite } });
    expect([reply.statusCode, reply.headers['x-error-code']]).toEqual([403, 'invite_refused']);
  });

  it('is not let in by a link of the command line either, which only gives them a passkey', async () => {
    const { preferred_username: name } = newAccount('fraud');
    const first = await signIn();
    const { token } = (await app.operators.invite(name!, undefined))!;
    const headers = { ...first.headers, location: `${ORIGIN}/console#invite=${token}` };
    const operator = await registerPasskey(name!, { ...first, headers } as LightMyRequestResponse);
    expect((await operator.call('POST /console/api/sign-out')).statusCode).toBe(200);
    expect((await operator.call('GET /console/api/me')).statusCode).toBe(401);
  });

  it('is let in again by a long name that ends in the middle of a character', async () => {
    const account = newAccount('audit');
    issuer.account = { ...account, preferred_username: `${'x'.repeat(99)}😀` };
    const first = await signIn();
    expect(await me(sessionIn(first))).toMatchObject({ role: 'auditor' });
    expect(await me(sessionIn(await signIn()))).toMatchObject({ name: `${'x'.repeat(99)}\ufffd` });
  });

  it('is not the one admin who has to stay, and can be removed by that one', async () => {
    const { preferred_username: name } = newAccount('limen-admins');
    const operator = await registerPasskey(name!, await signIn());
    const invited = await newOperator(app, 'admin');
    const ids = new Map((await app.operators.list()).map((one) => [one.name, one.id]));
    for (const one of await app.operators.list()) {
      if (one.role === 'admin' && !one.isProvided && one.name !== invited.name) await app.operators.remove(one.name);
    }
    const remove = async (by: typeof operator, id: string) => {
      const body = await by.confirm('operator.remove', id);
      return (await by.call('POST /console/api/operators/:id/remove', { ids: [id], body })).statusCode;
    };
    expect(await remove(operator, ids.get(invited.name)!)).toBe(400);
    expect(await remove(invited, ids.get(name!)!)).toBe(200);
  });

  it.each(['command line', 'Ada LOVELACE II'])(
    'is not let in as %j, whom another name is too close to',
    async (name) => {
      await app.operators.invite('Ada Lovelace II', 'auditor');
      issuer.account = { ...newAccount('audit'), preferred_username: name };
      expect(refusalIn(await signIn())).toBe('name-taken');
    },
  );

  it('is known by the subject, not by a name that others may take', async () => {
    const known = await newOperator(app, 'admin', 'Ada Lovelace');
    issuer.account = { sub: 'somebody else', preferred_username: 'Ada Lovelace', groups: ['audit'] };
    expect(refusalIn(await signIn())).toBe('name-taken');
    const { operators } = (await known.call('GET /console/api/operators')).json<{ operators: OperatorView[] }>();
    expect(operators.filter(({ name }) => name === 'Ada Lovelace')).toMatchObject([
      { role: 'admin', isProvided: false },
    ]);
  });

  it('is found by groups that only the user info tells', async () => {
    const shy = await startIssuer({ redirectUri: () => RETURN, hidesGroups: true, atEnd: afterAll });
    const other = await startConsoleApp({ environment: settingsFor(shy), atEnd: afterAll });
    shy.account = { sub: 'x', preferred_username: 'Shy', groups: ['audit'] };
    const reply = await signIn(other, shy);
    expect([refusalIn(reply), inviteIn(reply)]).toEqual([undefined, expect.any(String)]);
  });

  it('who says no there is told so', async () => {
    issuer.account = undefined;
    expect(refusalIn(await signIn())).toBe('denied');
  });
});

describe('nobody gets in', () => {
  it('without what the browser that asked was given, or with that of another', async () => {
    newAccount('limen-admins');
    const [mine, theirs] = [await leave(), await leave()];
    const answer = await visitIssuer(issuer, theirs.url);
    expect(refusalIn(await comeBack(answer, undefined))).toBe('late');
    expect(refusalIn(await comeBack(answer, mine.flow))).toBe('unproven');
    expect(refusalIn(await comeBack(answer, `${FLOW}=AAAA`))).toBe('late');
    expect(refusalIn(await comeBack(answer, `${theirs.flow}; ${mine.flow}`))).toBe('late');
  });

  it('twice with one answer, or late', async () => {
    newAccount('limen-admins');
    const { url, flow } = await leave();
    const answer = await visitIssuer(issuer, url);
    expect(refusalIn(await comeBack(answer, flow))).toBeUndefined();
    expect(refusalIn(await comeBack(answer, flow))).toBe('unproven');
    const second = await leave();
    const answered = await visitIssuer(issuer, second.url);
    app.clock.advance(15 * 60_000 + 1);
    expect(refusalIn(await comeBack(answered, second.flow))).toBe('late');
  });

  it.each([
    ['another audience', { aud: 'somebody else' }],
    ['another issuer', { iss: 'https://elsewhere.example' }],
    ['another nonce', { nonce: 'old' }],
    ['no time left', { exp: 1 }],
  ])('by a token with %s', async (_what, changed) => {
    const reply = await comeWithToken(issuer.sign, changed);
    expect([refusalIn(reply), sessionIn(reply)]).toEqual(['unproven', undefined]);
  });

  it('by a token that is signed with another key', async () => {
    const { privateKey } = await generateKeyPair('RS256');
    const sign = (claims: JWTPayload) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'test' }).sign(privateKey);
    expect(refusalIn(await comeWithToken(sign))).toBe('unproven');
    // The same by the right key is good, so that it was the key.
    expect(refusalIn(await comeWithToken(issuer.sign))).toBeUndefined();
  });

  /** The token endpoint answers with a token of ours. */
  async function comeWithToken(sign: (claims: JWTPayload) => Promise<string>, changed: JWTPayload = {}) {
    const { sub } = newAccount('limen-admins');
    const { url, flow } = await leave();
    const now = Math.floor(Date.now() / 1000);
    const nonce = new URL(url).searchParams.get('nonce');
    const claims = { iss: issuer.url, aud: issuer.clientId, sub, iat: now, exp: now + 60, nonce, groups: ['audit'] };
    const token = await sign({ ...claims, ...changed });
    issuer.answerTokens = async () => ({ access_token: 'x', token_type: 'Bearer', id_token: token });
    return comeBack(await visitIssuer(issuer, url), flow);
  }

  it('by a row that was edited', async () => {
    const account = newAccount('fraud');
    await signIn();
    const other = await newOperator(app, 'admin');
    const { operators } = (await other.call('GET /console/api/operators')).json<{ operators: OperatorView[] }>();
    const [theirs, admin] = [account.preferred_username, other.name].map(
      (name) => operators.find((one) => one.name === name)!.id,
    );
    await app.database.queries
      .updateTable('operator_identities')
      .set({ operator_id: admin! as never })
      .where('operator_id', '=', theirs! as never)
      .execute();
    expect(refusalIn(await signIn())).toBe('name-taken');
  });

  it('at another host, nor where no provider is configured', async () => {
    newAccount('limen-admins');
    const { url, flow } = await leave();
    const { pathname, search } = await visitIssuer(issuer, url);
    const headers = { host: 'evil.example', cookie: flow };
    expect((await app.http.inject({ url: `${pathname}${search}`, headers })).statusCode).toBe(404);
    const plain = await startConsoleApp({ atEnd: afterAll });
    expect((await call(plain, 'GET /console/api/sign-in')).json()).toEqual({ provider: null });
    expect((await call(plain, 'POST /console/api/sign-in/provider')).statusCode).toBe(404);
    expect((await plain.http.inject({ url: pathname, headers: { host: new URL(ORIGIN).host } })).statusCode).toBe(404);
  });
});

it('says when the provider does not answer', async () => {
  expect((await call(app, 'GET /console/api/sign-in')).json()).toEqual({ provider: new URL(issuer.url).host });
  const environment = { ...settingsFor(issuer), CONSOLE_OIDC_ISSUER: 'http://127.0.0.1:9' };
  const lost = await startConsoleApp({ environment, atEnd: afterAll });
  const reply = await call(lost, 'POST /console/api/sign-in/provider');
  expect([reply.statusCode, reply.json().message]).toEqual([503, expect.stringContaining('127.0.0.1:9')]);
  // The doctor says so too, and what is right with one that does.
  const console = { SERVE: 'core,console', CONSOLE_URL: `${ORIGIN}/console` };
  const findings = (settings: Record<string, string>) =>
    checkIdentityProvider({ config: loadConfig({ ...console, ...settings }) } as Facts);
  expect(await findings(environment)).toMatchObject([
    { level: 'failure', found: expect.stringMatching('127.0.0.1:9') },
  ]);
  expect(await findings(settingsFor(issuer))).toMatchObject([{ level: 'ok', found: expect.stringMatching('3 of') }]);
  const without = { ...settingsFor(issuer), CONSOLE_OIDC_ROLES: 'fraud=reviewer' };
  expect(await findings(without)).toMatchObject([{ level: 'warning', found: expect.stringMatching('none of them') }]);
  expect(await findings({})).toEqual([]);
});

it('leaves neither codes nor names in the log', async () => {
  const { sub, preferred_username: name } = newAccount('fraud');
  const { url, flow } = await leave();
  const answer = await visitIssuer(issuer, url);
  await comeBack(answer, flow);
  const secrets = [
    answer.searchParams.get('code')!,
    answer.searchParams.get('state')!,
    flow.split('=')[1]!,
    sub,
    name!,
  ];
  expect(secrets.filter((secret) => app.logged().includes(secret))).toEqual([]);
  expect(app.logged()).toContain('/console/signed-in');
});
