// A process that is really suspended while others change the data keys or the schema, and then
// resumed.
import { once } from 'node:events';
import { createLimenClient, type LimenError } from '@limen/sdk';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { countHeaders, openRotationProcess, rotate } from '#testing/data-keys.ts';
import { createTestDatabase, engine } from '#testing/database/test-database.ts';
import { startServer } from '#testing/processes/server-process.ts';
import type { RotationStep } from '../src/operations/data-keys/rotate.ts';
import { findEditedRows } from '../src/operations/data-keys/row-seals.ts';
import { livingProcesses } from '../src/platform/database/processes.ts';

const API_KEY = 'limen-suspended-process-key';
const AT_ONCE = 50;

/** Suspends one process until it no longer counts as running, while another one works. */
async function suspendUntilGone() {
  const place = await createTestDatabase();
  onTestFinished(() => place.dispose());
  const server = await startServer({
    ...place.environment,
    ...{ DEV_API_KEY: API_KEY, SERVE: 'core', LOG_LEVEL: 'warn', NODE_ENV: 'test' },
  });
  const client = createLimenClient({ baseUrl: server.address, apiKey: API_KEY, retries: { attempts: 1 } });
  const create = (number: number) => client.ageSessions.create({ metadata: { number } });
  const before = await create(0);
  server.child.kill('SIGSTOP');
  const storage = await openRotationProcess(place);
  const { database, presence } = storage;
  const others = async () => (await livingProcesses(database, Date.now())).filter(({ id }) => id !== presence.id);
  await expect.poll(others, { timeout: 90_000, interval: 1_000 }).toEqual([]);
  return { server, client, create, before, storage };
}

describe.runIf(engine === 'postgres')('a process that was suspended', () => {
  it('refuses what it cannot verify or seal until it has loaded the keys, and continues', async () => {
    const { server, client, create, before, storage } = await suspendUntilGone();
    const { database, sealer } = storage;
    const seen: RotationStep['step'][] = [];
    expect(await rotate(storage, { onStep: ({ step }) => seen.push(step) })).toMatchObject({ isDestroyed: true });
    expect(seen).toContain('quiet'); // It may come back, and does.
    expect(seen).not.toContain('waiting');

    // Locks the table of keys until all requests are answered, so that it cannot load them before.
    const answers = await database.transact(async (trx) => {
      await sql`lock table data_keys in access exclusive mode`.execute(trx);
      server.child.kill('SIGCONT');
      return Promise.allSettled(Array.from({ length: AT_ONCE }, (_, nth) => create(nth + 1)));
    });
    for (const answer of answers)
      expect(answer).toMatchObject({ status: 'rejected', reason: { status: 503, code: 'unavailable' } });

    await expect
      .poll(() =>
        create(0).then(
          () => 'created',
          (error: LimenError) => error.code,
        ),
      )
      .toBe('created');
    expect(await client.ageSessions.result(before.token)).toBeDefined();
    expect((await countHeaders(database, sealer.header())).other).toEqual([]);
    expect((await findEditedRows(database.queries, sealer)).edited).toEqual([]);
    expect(await server.stop('SIGTERM')).toBe(0);
    expect(`${server.stdout()}${server.stderr()}`).not.toContain('edited');
  });

  it('ends with an explanation if a newer version has removed what it needs', async () => {
    const { server, storage } = await suspendUntilGone();
    const later = { name: '9999-of-the-next-release', applied_at: 0, phase: 'contract' as const };
    await storage.database.queries.insertInto('schema_migrations').values(later).execute();
    const ended = once(server.child, 'exit');
    server.child.kill('SIGCONT');
    expect((await ended)[0]).toBe(1);
    expect(`${server.stdout()}${server.stderr()}`).toContain('written by a newer Limen (migration 9999-of-the-next');
  });
});
