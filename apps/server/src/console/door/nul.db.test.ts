// Text that only one of the two databases accepts is refused before either is queried.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleApp, newOperator, startConsoleApp, type TestOperator } from '#testing/console/console-app.ts';
import type { RouteName } from './route-needs.ts';

const NUL = '\0';
const LONE = 'a\ud800';
const NO_ANSWER = { ticket: 'none', response: {} };
let app: ConsoleApp;
let admin: TestOperator;

beforeAll(async () => {
  app = await startConsoleApp({ atEnd: afterAll });
  admin = await newOperator(app, 'admin');
});

describe('text with NUL', () => {
  it.each<[RouteName, Parameters<TestOperator['call']>[1] & object, string]>([
    ['GET /console/api/overview', { query: '?key=a%00' }, 'query.key'],
    ['GET /console/api/audit', { query: '?act=%00' }, 'query.act'],
    ['GET /console/api/sessions/:id', { ids: ['%00'] }, 'params.id'],
    ['POST /console/api/sessions/search', { body: { key: NUL } }, 'body.key'],
    ['POST /console/api/sessions/search', { body: { flag: NUL } }, 'body.flag'],
    ['POST /console/api/review/search', { body: { key: NUL } }, 'body.key'],
    ['POST /console/api/subjects/search', { body: { customer: NUL } }, 'body.customer'],
    ['POST /console/api/people/find', { body: { puid: NUL } }, 'body.puid'],
    ['POST /console/api/keys/:id/label', { ids: ['x'], body: { label: `a${NUL}` } }, 'body.label'],
    ['POST /console/api/keys/:id/origins', { ids: ['x'], body: { origins: [NUL], ...NO_ANSWER } }, 'body.origins.0'],
  ])('is refused by %s', async (route, sent, where) => {
    const reply = await admin.call(route, sent);
    expect([reply.statusCode, reply.json().message]).toEqual([400, `${where} must not contain NUL (U+0000)`]);
  });
});

describe('text with a lone surrogate, which databases do not store', () => {
  it.each<[RouteName, Parameters<TestOperator['call']>[1] & object, string]>([
    ['POST /console/api/keys/:id/label', { ids: ['x'], body: { label: LONE } }, 'body.label'],
    ['POST /console/api/keys/:id/origins', { ids: ['x'], body: { origins: [LONE], ...NO_ANSWER } }, 'body.origins.0'],
    ['POST /console/api/sessions/search', { body: { transactionId: LONE } }, 'body.transactionId'],
    ['POST /console/api/operators/invite', { body: { name: LONE, role: 'auditor', ...NO_ANSWER } }, 'body.name'],
    [
      'POST /console/api/keys',
      { body: { kind: 'live', label: 'x', customer: LONE, clientCredentials: false, ...NO_ANSWER } },
      'body.customer',
    ],
  ])('is refused by %s', async (route, sent, where) => {
    const reply = await admin.call(route, sent);
    expect([reply.statusCode, reply.json().message]).toEqual([
      400,
      `${where} must not contain a lone surrogate; it is not a Unicode character`,
    ]);
  });

  it('does not invalidate a key', async () => {
    const { record, apiKey } = await app.apiKeys.create({ kind: 'live', label: 'Shop', clientCredentials: false });
    await admin.call('POST /console/api/keys/:id/label', { ids: [record.id], body: { label: LONE } });
    expect(await app.apiKeys.authenticate(apiKey)).toMatchObject({ label: 'Shop' });
    await expect(app.apiKeys.relabel(record.id, LONE)).rejects.toThrow('label');
    expect(await app.apiKeys.authenticate(apiKey)).toMatchObject({ label: 'Shop' });
  });
});
