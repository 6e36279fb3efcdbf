// Unknown fields are refused, because a misspelled filter would show everything.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleApp, newOperator, startConsoleApp, type TestOperator } from '#testing/console/console-app.ts';
import type { RouteName } from './route-needs.ts';

let app: ConsoleApp;
let admin: TestOperator;

beforeAll(async () => {
  app = await startConsoleApp({ atEnd: afterAll });
  admin = await newOperator(app, 'admin');
});

it.each<RouteName>([
  'POST /console/api/sessions/search',
  'POST /console/api/review/search',
  'POST /console/api/webhooks/search',
  'POST /console/api/question',
])('refuses an unknown field in %s', async (route) => {
  const known = route.endsWith('question') ? { act: 'key.revoke', about: 'x' } : {};
  expect((await admin.call(route, { body: known })).statusCode).toBe(200);
  const reply = await admin.call(route, { body: { ...known, unknown: 1 } });
  expect([reply.statusCode, reply.json().message]).toEqual([400, 'body has no field unknown']);
});

it.each<RouteName>(['GET /console/api/overview', 'GET /console/api/audit', 'GET /console/api/operators'])(
  '%s refuses a parameter that it does not know',
  async (route) => {
    expect((await admin.call(route)).statusCode).toBe(200);
    expect((await admin.call(route, { query: '?unknown=1' })).statusCode).toBe(400);
  },
);
