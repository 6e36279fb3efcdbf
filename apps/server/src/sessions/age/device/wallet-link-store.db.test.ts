// The link timer deletes every expired link, in batches, and nothing else.
import type { WalletLinkReply } from '@limen/contract';
import { expect, it } from 'vitest';
import { claimSession, useDeviceApp } from '#testing/sessions/device-app.ts';
import { named, type SessionId } from '../../../platform/base/ids.ts';
import { defineRecurringJob } from '../../../platform/jobs/job.ts';

const room = useDeviceApp();
const MINUTE_MS = 60_000;
/** More than one batch. */
const MANY = 230;

async function openLinks(): Promise<SessionId> {
  const { id, device } = await claimSession(room, { acceptedProofs: ['wallet'], ageThreshold: 18 });
  const { body } = await device.call<WalletLinkReply>('POST', id, 'wallet/link', { body: {} });
  expect(body.links).toHaveLength(2);
  return named(id);
}

async function runTimer(): Promise<void> {
  const { database, jobs } = room.app;
  await database.transact((trx) =>
    jobs.enqueue(trx, defineRecurringJob('wallet_links.purge', 1), null, { uniqueKey: 'recurring' }),
  );
  while ((await jobs.runDue()) > 0);
}

const rowsOf = async (sessionId: SessionId) =>
  (
    await room.app.database.queries
      .selectFrom('wallet_links')
      .select('id')
      .where('session_id', '=', sessionId)
      .execute()
  ).length;

it('deletes expired links and keeps those that a wallet may still answer', async () => {
  const over = await openLinks();
  const left = Array.from({ length: MANY }, (_, at) => ({
    id: `left-${at}`,
    session_id: over,
    expires_at: room.clock.now() + at,
    sealed: Buffer.of(1),
  }));
  await room.app.database.queries.insertInto('wallet_links').values(left).execute();
  room.clock.advance(4 * MINUTE_MS);
  const open = await openLinks();
  await runTimer();
  expect([await rowsOf(over), await rowsOf(open)]).toEqual([2, 2]);
  room.clock.advance(MINUTE_MS);
  await runTimer();
  expect([await rowsOf(over), await rowsOf(open)]).toEqual([0, 2]);
});
