// MAX_STRINGS_MB over HTTP, on each database: concurrent writes, deletes and restarts.
import { expect, it, onTestFinished } from 'vitest';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { startTestApp, type TestApp } from '#testing/test-app.ts';

/** 196,608 bytes: 5 of them fit into 1 MB. */
const VALUE = '字'.repeat(65_536);
const post = (app: TestApp, value = VALUE) => app.http.inject({ method: 'POST', url: '/strings', payload: { value } });
const statusOf = async (reply: ReturnType<typeof post>) => (await reply).statusCode;
const remove = (app: TestApp, id: string) => statusOf(app.http.inject({ method: 'DELETE', url: `/strings/${id}` }));

it('refuses values beyond it, and accepts as much as was deleted', async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.dispose());
  const start = () => startTestApp({ database, environment: { MAX_STRINGS_MB: '1' } });
  const app = await start();
  const replies = await Promise.all(Array.from({ length: 8 }, () => post(app)));
  const ids = replies.filter(({ statusCode }) => statusCode === 201).map((reply) => reply.json().id as string);
  expect(ids).toHaveLength(5);
  const refused = replies.find(({ statusCode }) => statusCode === 507);
  expect(refused?.json()).toMatchObject({ message: 'The store is full at 1 MB; delete some strings first.' });
  expect(await statusOf(post(app, 'small'))).toBe(201);
  expect(await remove(app, ids[0]!)).toBe(204);
  expect([await statusOf(post(app)), await statusOf(post(app))]).toEqual([201, 507]);

  // The next process counts the existing rows.
  await app.close();
  const next = await start();
  expect(await statusOf(post(next))).toBe(507);
  expect(await remove(next, ids[1]!)).toBe(204);
  expect([await statusOf(post(next)), await statusOf(post(next))]).toEqual([201, 507]);
  await next.close();
});
