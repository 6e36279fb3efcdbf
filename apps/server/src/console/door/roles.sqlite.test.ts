// Every call of the console with every role, and without one.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ConsoleApp,
  call,
  newOperator,
  startConsoleApp,
  type TestOperator,
} from '#testing/console/console-app.ts';
import { ROLES, type Role } from '../../platform/base/roles.ts';
import { isAllowed, listPermissions } from '../operators/permissions.ts';
import { ROUTE_NEEDS, type RouteName } from './route-needs.ts';

const NAMES = Object.keys(ROUTE_NEEDS) as RouteName[];
const GUARDED = NAMES.filter((name) => ROUTE_NEEDS[name] !== 'nobody');
/** These would end the session that the other calls need. */
const ENDING: RouteName[] = ['POST /console/api/sign-out'];

let app: ConsoleApp;
const operators = new Map<Role, TestOperator>();

beforeAll(async () => {
  app = await startConsoleApp({ atEnd: afterAll });
  for (const role of ROLES) operators.set(role, await newOperator(app, role));
});

describe('a guarded route', () => {
  it.each(GUARDED)('answers 401 to %s without a session', async (name) => {
    const reply = await call(app, name);
    expect([reply.statusCode, reply.headers['x-error-code']]).toEqual([401, 'not_signed_in']);
  });

  it.each(GUARDED)('ignores API keys for %s', async (name) => {
    const { apiKey } = await app.apiKeys.create({ kind: 'live', clientCredentials: false });
    const headers = { 'x-api-key': apiKey, authorization: `Bearer ${apiKey}` };
    expect((await call(app, name, { headers })).statusCode).toBe(401);
  });
});

describe.each(ROLES)('the role %s', (role) => {
  it.each(GUARDED.filter((name) => !ENDING.includes(name)))('may call %s only as the table says', async (name) => {
    const need = ROUTE_NEEDS[name];
    const { statusCode, headers } = await operators.get(role)!.call(name);
    const isRefused = statusCode === 403 && headers['x-error-code'] === 'forbidden';
    const mayCall = need === 'somebody' || need === 'nobody' || isAllowed(role, need);
    expect({ name, role, isRefused }).toEqual({ name, role, isRefused: !mayCall });
    expect(statusCode).not.toBe(401);
    expect(statusCode).toBeLessThan(500);
  });

  it('gets the permissions of the table', async () => {
    const me = (await operators.get(role)!.call('GET /console/api/me')).json();
    expect(me).toMatchObject({ role, permissions: listPermissions(role) });
  });
});

it('lists every route below /console/api', () => {
  const found: string[] = [];
  const path: string[] = [];
  // The routes are printed as a tree, four characters a level: `│   └── /invite (POST)`.
  for (const line of app.http.printRoutes({ commonPrefix: false }).split('\n')) {
    const [, indent, segment, methods] = /^([│ ]*)[├└]── (\S*)(?: \(([A-Z, ]+)\))?$/.exec(line) ?? [];
    if (indent === undefined || segment === undefined) continue;
    path.length = indent.length / 4;
    path.push(segment);
    for (const method of methods?.split(', ') ?? []) found.push(`${method} ${path.join('')}`);
  }
  const ofConsole = found.filter((name) => name.includes(' /console/api'));
  expect(ofConsole.sort()).toEqual(NAMES.toSorted());
});

it('grants each role the permissions that its description promises', () => {
  expect(listPermissions('auditor')).toContain('audit.read');
  expect(listPermissions('auditor').filter((permission) => !permission.endsWith('.read'))).toEqual([]);
  expect(listPermissions('developer')).not.toContain('keys.write.live');
  expect(listPermissions('reviewer')).not.toContain('keys.read');
});
