// Sessions that cannot be ended: retried without flooding the log, and deleted after retention.
import { expect, it } from 'vitest';
import { type Host, newHost, RETENTION_MS, type SessionApp, startSessionApp, TTL_MS } from '#testing/session-app.ts';
import { isOfKind } from './session.ts';

const NEVER = new AbortController().signal;
const CALLBACK = { url: 'http://127.0.0.1:9/hook' };

async function createBroken({ database }: SessionApp, host: Host): Promise<void> {
  await host.create({ callback: CALLBACK, metadata: { order: 1 } }, { 'idempotency-key': 'order-1' });
  await database.queries
    .updateTable('sessions')
    .set({ sealed: Buffer.alloc(100) })
    .execute();
}

function countLines({ logged }: SessionApp, text: string): number {
  return logged().split(text).length - 1;
}

async function countSessions({ database }: SessionApp): Promise<number> {
  return (await database.queries.selectFrom('sessions').select('id').execute()).length;
}

it('logs once that a session cannot be expired, despite retries', async () => {
  const app = await startSessionApp();
  await createBroken(app, await newHost(app));
  app.clock.advance(TTL_MS);
  for (let pass = 0; pass < 5; pass += 1) await app.timers.expireOverdue(NEVER);
  expect(countLines(app, 'could not be expired')).toBe(1);
  expect(await countSessions(app)).toBe(1);
});

it('deletes an unreadable session with its stored reply when its retention ends', async () => {
  const app = await startSessionApp();
  await createBroken(app, await newHost(app));
  app.clock.advance(TTL_MS + RETENTION_MS - 1);
  for (let pass = 0; pass < 3; pass += 1) await app.timers.expireOverdue(NEVER);
  expect(await countSessions(app)).toBe(1);
  app.clock.advance(1);
  await app.timers.expireOverdue(NEVER);
  expect(await countSessions(app)).toBe(0);
  expect(await app.database.queries.selectFrom('idempotency_keys').select('resource').execute()).toEqual([]);
  expect(countLines(app, 'was deleted without an end')).toBe(1);
});

it('ends a readable session with its webhook, however late', async () => {
  const app = await startSessionApp();
  const host = await newHost(app);
  const { token } = (await host.create({ callback: CALLBACK })).body;
  app.clock.advance(TTL_MS + 2 * RETENTION_MS);
  await app.timers.purgeKept(NEVER);
  await app.timers.expireOverdue(NEVER);
  await app.timers.purgeKept(NEVER);
  expect((await host.result(token)).body.flowStatus).toBe('EXPIRED');
  expect(await app.database.queries.selectFrom('webhook_deliveries').select('id').execute()).toHaveLength(1);
});

it('keeps a session that another process ended in the meantime', async () => {
  const app = await startSessionApp();
  const host = await newHost(app);
  const { token } = (await host.create()).body;
  app.clock.advance(TTL_MS + RETENTION_MS);
  const [overdue] = await app.sessions.listOverdue(['age'], undefined, 1);
  const session = overdue!.open();
  if (!isOfKind(session, 'age')) throw new Error('it is of another kind');
  await app.expire(session);
  expect(await app.sessions.giveUp(overdue!)).toBe(false);
  expect((await host.result(token)).status).toBe(200);
});
