// The console on a real database, and operators with authenticators in software.
import type { ReviewDecision } from '@limen/contract';
import type { LightMyRequestResponse } from 'fastify';
import { type Authenticator, createAuthenticator } from '#testing/authenticator.ts';
import { createManualClock, type ManualClock } from '#testing/manual-clock.ts';
import { startTestApp, type TestApp } from '#testing/test-app.ts';
import type { RouteName } from '../../src/console/door/route-needs.ts';
import type { AnswerView, ConfirmableAct, QuestionView } from '../../src/console/door/views.ts';
import type { Role } from '../../src/platform/base/roles.ts';
import type { CasePageView } from '../../src/review/console/views.ts';

export const ORIGIN = 'https://console.example';
const COOKIE = '__Host-limen-console';

export interface ConsoleApp extends TestApp {
  clock: ManualClock;
}

type StartOptions = Pick<
  Parameters<typeof startTestApp>[0] & object,
  'atEnd' | 'environment' | 'database' | 'sanctionsTuning'
>;

export async function startConsoleApp({ environment, ...options }: StartOptions = {}): Promise<ConsoleApp> {
  const clock = createManualClock();
  const settings = { SERVE: 'core,console', CONSOLE_URL: `${ORIGIN}/console`, ...environment };
  return { ...(await startTestApp({ ...options, clock, environment: settings })), clock };
}

interface ConsoleCallOptions {
  body?: object;
  /** Path parameters, in order */
  ids?: string[];
  query?: string;
  headers?: Record<string, string | undefined>;
  /** Address of the caller. A new one per call by default, so that no rate limit applies. */
  address?: string;
}

/** Calls as the console's page does, unless the headers override that. */
export function call(
  { http }: Pick<ConsoleApp, 'http'>,
  name: RouteName,
  { body, ids = [], query = '', headers = {}, address = newAddress() }: ConsoleCallOptions = {},
): Promise<LightMyRequestResponse> {
  const [method, pattern] = name.split(' ') as ['GET' | 'POST', string];
  const rest = [...ids];
  const url = pattern.replace(/:\w+/g, () => rest.shift() ?? 'none');
  const sent: Record<string, string | undefined> = {
    host: new URL(ORIGIN).host,
    origin: method === 'POST' ? ORIGIN : undefined,
    'sec-fetch-site': 'same-origin',
    ...headers,
  };
  const given = Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return http.inject({
    method,
    url: `${url}${query}`,
    remoteAddress: address,
    headers: Object.fromEntries(given),
    ...(method === 'POST' && { payload: body ?? {} }),
  });
}

export interface TestOperator {
  name: string;
  authenticator: Authenticator;
  /** Session cookie as `name=value` */
  cookie: string;
  call(name: RouteName, sent?: ConsoleCallOptions): Promise<LightMyRequestResponse>;
  /** Returns the authenticator's confirmation of an act. */
  confirm(act: ConfirmableAct, about: string): Promise<AnswerView>;
}

let count = 0;

function newAddress(): string {
  count += 1;
  return `10.${(count >> 16) & 255}.${(count >> 8) & 255}.${count & 255}`;
}

/** Invites an operator, registers a passkey, and signs in. */
export async function newOperator(
  app: ConsoleApp,
  role: Role,
  name = `${role} ${newAddress()}`,
): Promise<TestOperator> {
  const { token: invite } = (await app.operators.invite(name, role))!;
  const authenticator = createAuthenticator(ORIGIN);
  const question = (await call(app, 'POST /console/api/invite/question', { body: { invite } })).json<QuestionView>();
  const response = authenticator.create(question.options as never);
  const body = { invite, ticket: question.ticket, response };
  const cookie = readCookie(await call(app, 'POST /console/api/invite', { body }));
  return operatorWith(app, { name, authenticator, cookie });
}

export function operatorWith(
  app: ConsoleApp,
  { name, authenticator, cookie }: Pick<TestOperator, 'name' | 'authenticator' | 'cookie'>,
): TestOperator {
  const operator: TestOperator = {
    name,
    authenticator,
    cookie,
    call: (route, sent = {}) => call(app, route, { ...sent, headers: { cookie, ...sent.headers } }),
    async confirm(act, about) {
      app.clock.advance(1); // A challenge must be newer than the previous one.
      const reply = await operator.call('POST /console/api/question', { body: { act, about } });
      const { ticket, options } = reply.json<QuestionView>();
      return { ticket, response: authenticator.get(options as never) };
    },
  };
  return operator;
}

export async function signIn(app: ConsoleApp, { authenticator }: TestOperator): Promise<LightMyRequestResponse> {
  app.clock.advance(1);
  const question = (await call(app, 'POST /console/api/sign-in/question')).json<QuestionView>();
  const body = { ticket: question.ticket, response: authenticator.get(question.options as never) };
  return call(app, 'POST /console/api/sign-in', { body });
}

/** Decides the case of a session that ended with REVIEW. */
export async function decideSession(
  reviewer: TestOperator,
  sessionId: string,
  verdict: ReviewDecision,
): Promise<LightMyRequestResponse> {
  const { cases = [] } = (await reviewer.call('POST /console/api/review/search')).json<CasePageView>();
  const found = cases?.find(({ about }) => about === sessionId);
  if (!found) throw new Error('the session has no open case');
  const body = { verdict, reason: 'looked at the flags' };
  return reviewer.call('POST /console/api/review/:id/decide', { ids: [found.id], body });
}

/** Returns the cookie as a browser would send it back. */
export function readCookie(reply: LightMyRequestResponse): string {
  const set = String(reply.headers['set-cookie'] ?? '');
  if (!set.startsWith(`${COOKIE}=`)) throw new Error(`no cookie came with ${reply.statusCode}: ${reply.body}`);
  return set.split(';', 1)[0]!;
}
