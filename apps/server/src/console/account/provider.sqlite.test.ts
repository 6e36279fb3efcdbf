// Sign-in with a running identity provider, and the attempts it must refuse.

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

/** Makes a new account with these groups the next to sign in. */
function newAccount(...groups: string[]): Account {
  count += 1;
  issuer.account = { sub: `subject ${count}`, preferred_username: `person ${count}`, groups };
  return issuer.account;
}

/** Starts a sign-in: the provider's address, and the cookie that binds the answer. */
async function leave({ app: from = app } = {}) {
  const reply = await call(from, 'POST /console/api/sign-in/provider');
  expect(reply.statusCode).toBe(200);
  return { url: reply.json<AwayView>().url, flow: String(reply.headers['set-cookie']).split(';', 1)[0]! };
}

/** Returns to the console like a browser redirected from another site. */
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

/** The session cookie among the response's cookies, if any. */
function sessionIn(reply: LightMyRequestResponse): string | undefined {
  const set = [reply.headers['set-cookie']].flat().map((line) => String(line).split(';', 1)[0]!);
  return set.find((pair) => pair.startsWith('__Host-limen-console='));
}

const refusalIn = ({ headers }: LightMyRequestResponse) => /#refused=([\w-]+)$/.exec(String(headers.location))?.[1];
const inviteIn = ({ headers }: LightMyRequestResponse) => /#invite=([\w-]+)$/.exec(String(headers.location))?.[1];

async function me(cookie: string | undefined): Promise<MeView> {
  return (await call(app, 'GET /console/api/me', { headers: { cookie } })).json();
}

/** Registers a passkey, like the page does after the first sign-in. */
async function registerPasskey(name: string, reply: LightMyRequestResponse) {
  const invite = inviteIn(reply)!;
  const authenticator = createAuthenticator(ORIGIN);
  const question = (await call(app, 'POST /console/api/invite/question', { body: { invite } })).json<QuestionView>();
  const body = { invite, ticket: question.ticket, response: authenticator.create(question.options as never) };
  const registered = await call(app, 'POST /console/api/invite', { body });
  expect([registered.statusCode, registered.headers['set-cookie']]).toEqual([200, undefined]);
  return operatorWith(app, { name, authenticator, cookie: sessionIn(reply)! });
}

describe('an operator from the identity provider', () => {
  it('gets the role of the first matching group and the offer of a passkey', async () => {
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

  it('cannot sign in with the passkey alone', async () => {
    const { preferred_username: name } = newAccount('fraud');
    const operator = await registerPasskey(name!, await signIn());
    app.clock.advance(1);
    const question = (await call(app, 'POST /console/api/sign-in/question')).json<QuestionView>();
    const body = { ticket: question.ticket, response: operator.authenticator.get(question.options as never) };
    const reply = await call(app, 'POST /console/api/sign-in', { body });
    expect([reply.statusCode, reply.json().message]).toEqual([403, expect.stringContaining('organization’s account')]);
  });

  it('gets a changed role immediately and with an audit line when the groups change', async () => {
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

  it('is signed out everywhere when no group grants a role', async () => {
    const account = newAccount('fraud');
    const before = sessionIn(await signIn());
    issuer.account = { ...account, groups: ['sales'] };
    const reply = await signIn();
    expect([refusalIn(reply), sessionIn(reply)]).toEqual(['no-role', undefined]);
    expect((await call(app, 'GET /console/api/me', { headers: { cookie: before } })).statusCode).toBe(401);
  });

  it('is audited when refused, by name only if they were an operator', async () => {
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

  it('cannot use a leftover link once no group grants a role', async () => {
    const account = newAccount('fraud');
    const invite = inviteIn(await signIn());
    issuer.account = { ...account, groups: [] };
    expect(refusalIn(await signIn())).toBe('no-role');
    const reply = await call(app, 'POST /console/api/invite/question', { body: { invite } });
    expect([reply.statusCode, reply.headers['x-error-code']]).toEqual([403, 'invite_refused']);
  });

  it('can only register a passkey with a link from the command line', async () => {
    const { preferred_username: name } = newAccount('fraud');
    const first = await signIn();
    const { token } = (await app.operators.invite(name!, undefined))!;
    const headers = { ...first.headers, location: `${ORIGIN}/console#invite=${token}` };
    const operator = await registerPasskey(name!, { ...first, headers } as LightMyRequestResponse);
    expect((await operator.call('POST /console/api/sign-out')).statusCode).toBe(200);
    expect((await operator.call('GET /console/api/me')).statusCode).toBe(401);
  });

  it('can sign in again with a long name that is cut inside a character', async () => {
    const account = newAccount('audit');
    issuer.account = { ...account, preferred_username: `${'x'.repeat(99)}😀` };
    const first = await signIn();
    expect(await me(sessionIn(first))).toMatchObject({ role: 'auditor' });
    expect(await me(sessionIn(await signIn()))).toMatchObject({ name: `${'x'.repeat(99)}\ufffd` });
  });

  it('does not count as the last admin and can be removed by that admin', async () => {
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

  it('is identified by the subject, because names can be reused', async () => {
    const known = await newOperator(app, 'admin', 'Ada Lovelace');
    issuer.account = { sub: 'somebody else', preferred_username: 'Ada Lovelace', groups: ['audit'] };
    expect(refusalIn(await signIn())).toBe('name-taken');
    const { operators } = (await known.call('GET /console/api/operators')).json<{ operators: OperatorView[] }>();
    expect(operators.filter(({ name }) => name === 'Ada Lovelace')).toMatchObject([
      { role: 'admin', isProvided: false },
    ]);
  });

  it('gets groups that only the user info endpoint returns', async () => {
    const shy = await startIssuer({ redirectUri: () => RETURN, hidesGroups: true, atEnd: afterAll });
    const other = await startConsoleApp({ environment: settingsFor(shy), atEnd: afterAll });
    shy.account = { sub: 'x', preferred_username: 'Shy', groups: ['audit'] };
    const reply = await signIn(other, shy);
    expect([refusalIn(reply), inviteIn(reply)]).toEqual([undefined, expect.any(String)]);
  });

  it('sees that they denied consent', async () => {
    issuer.account = undefined;
    expect(refusalIn(await signIn())).toBe('denied');
  });
});

describe('the sign-in callback', () => {
  it('refuses a missing cookie and the cookie of another sign-in', async () => {
    newAccount('limen-admins');
    const [mine, theirs] = [await leave(), await leave()];
    const answer = await visitIssuer(issuer, theirs.url);
    expect(refusalIn(await comeBack(answer, undefined))).toBe('late');
    expect(refusalIn(await comeBack(answer, mine.flow))).toBe('unproven');
    expect(refusalIn(await comeBack(answer, `${FLOW}=AAAA`))).toBe('late');
    expect(refusalIn(await comeBack(answer, `${theirs.flow}; ${mine.flow}`))).toBe('late');
  });

  it('refuses a repeated or expired answer', async () => {
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
  ])('refuses a token with %s', async (_what, changed) => {
    const reply = await comeWithToken(issuer.sign, changed);
    expect([refusalIn(reply), sessionIn(reply)]).toEqual(['unproven', undefined]);
  });

  it('refuses a token that is signed with another key', async () => {
    const { privateKey } = await generateKeyPair('RS256');
    const sign = (claims: JWTPayload) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'test' }).sign(privateKey);
    expect(refusalIn(await comeWithToken(sign))).toBe('unproven');
    // The right key works, so the refusal was due to the key.
    expect(refusalIn(await comeWithToken(issuer.sign))).toBeUndefined();
  });

  /** Makes the token endpoint answer with a token of ours. */
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

  it('refuses an edited row', async () => {
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

  it('answers 404 at another host and without a configured provider', async () => {
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

it('reports an unavailable provider', async () => {
  expect((await call(app, 'GET /console/api/sign-in')).json()).toEqual({ provider: new URL(issuer.url).host });
  const environment = { ...settingsFor(issuer), CONSOLE_OIDC_ISSUER: 'http://127.0.0.1:9' };
  const lost = await startConsoleApp({ environment, atEnd: afterAll });
  const reply = await call(lost, 'POST /console/api/sign-in/provider');
  expect([reply.statusCode, reply.json().message]).toEqual([503, expect.stringContaining('127.0.0.1:9')]);
  // The doctor reports the outage too, and passes once the provider responds.
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
