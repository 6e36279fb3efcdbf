// Sealed values copied to another row do not open there, and none outlives its expiry.
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { type Row, tryEveryEdit } from '#testing/edited-rows/edit-rows.ts';
import { NO_LOG, OWNER, openWithPeople } from '#testing/edited-rows/places.ts';
import { formatOwner } from '../../src/platform/api-keys/owner.ts';
import { type CustomerId, named, type SessionId } from '../../src/platform/base/ids.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { Idempotency } from '../../src/platform/idempotency/idempotency.ts';
import { defineJob } from '../../src/platform/jobs/job.ts';
import { Jobs } from '../../src/platform/jobs/jobs.ts';
import { JobStore } from '../../src/platform/jobs/store.ts';
import { createWalletLinkStore, type OpenLink } from '../../src/sessions/age/device/wallet-link-store.ts';
import { newChannelState } from '../../src/sessions/device/state.ts';
import { createChannelStore, type StoredBox } from '../../src/sessions/device/store.ts';
import { createEvidenceStore } from '../../src/sessions/verification/device/evidence.ts';

describe('a sealed value that was copied to another row', () => {
  it('does not open there: channels, boxes, evidence, selfies, links, replies and jobs', async () => {
    const { database, sealer, clock, ids } = await openWithPeople();
    const channels = createChannelStore(database, sealer);
    const evidence = createEvidenceStore(database, sealer);
    const links = createWalletLinkStore(database, sealer);
    const idempotency = new Idempotency({ database, sealer, clock });
    const request = (key: string) => ({ operation: 'op', owner: formatOwner(OWNER), key, content: {} });
    const jobs = new Jobs({ database, store: new JobStore(database), sealer, clock, ids, log: NO_LOG });
    const ran: unknown[] = [];
    const job = defineJob<string>('copied', { maxAttempts: 1 });
    jobs.handle(job, async (payload) => void ran.push(payload));
    const sessions = [named<SessionId>('victim'), named<SessionId>('thief')];
    for (const session of sessions) {
      await insertSession(database, session);
      await database.transact(async (trx) => {
        const state = newChannelState(0);
        await channels.toInsert(session, state)(trx);
        const box = { expiresAt: clock.now() + 1_000 } as StoredBox;
        await channels.toUpdate(session, { state, revision: 1 }, { ...state, holdsBox: true }, box)(trx);
        await evidence.save(trx, session, {} as never);
        await evidence.saveSelfie(trx, session, 'nonce', Buffer.from(session));
        await links.add(trx, session, { sessionId: session, expiresAt: clock.now() + 1_000 } as OpenLink);
        await idempotency.remember(trx, request(session), session, session);
        await jobs.enqueue(trx, job, session);
      });
    }
    const looks: Record<string, (session: SessionId) => Promise<unknown>> = {
      'device_channels.sealed': channels.find,
      'handoff_boxes.sealed': (session) => channels.findBox(session, clock.now()),
      'session_evidence.sealed': (session) => evidence.find(session),
      'session_selfies.sealed': (session) => database.transact((trx) => evidence.findSelfie(trx, session, 'nonce')),
      'wallet_links.sealed': (session) => links.find(session, clock.now()),
      'idempotency_keys.reply': (session) => idempotency.find(request(session)),
    };
    for (const [place, look] of Object.entries(looks)) {
      for (const session of sessions) expect(await look(session), place).toBeDefined();
      const [table, column] = place.split('.') as [string, string];
      const { rows } = await sql<Row>`select * from ${sql.table(table)}`.execute(database.queries);
      const key = table === 'idempotency_keys' ? 'key_digest' : 'session_id';
      for (const [at, row] of rows.entries()) {
        const other = rows[1 - at]![column];
        await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${other} where ${sql.ref(key)} = ${row[key]}`.execute(
          database.queries,
        );
      }
      for (const session of sessions) await expect(look(session), place).rejects.toThrow();
    }
    const [one, two] = await database.queries.selectFrom('jobs').selectAll().execute();
    for (const [{ id }, { payload }] of [
      [one!, two!],
      [two!, one!],
    ] as const)
      await database.queries.updateTable('jobs').set({ payload }).where('id', '=', id).execute();
    while ((await jobs.runDue()) > 0);
    expect(ran).toEqual([]);
  });

  it("does not extend a box's life by an edited expiry", async () => {
    const { database, sealer, clock } = await openWithPeople();
    const channels = createChannelStore(database, sealer);
    await insertSession(database, 's');
    const state = newChannelState(0);
    const box = { expiresAt: clock.now() + 1_000 } as StoredBox;
    await database.transact(async (trx) => {
      await channels.toInsert(named('s'), state)(trx);
      await channels.toUpdate(named('s'), { state, revision: 1 }, { ...state, holdsBox: true }, box)(trx);
    });
    await database.queries
      .updateTable('handoff_boxes')
      .set({ expires_at: clock.now() + 9_000 })
      .execute();
    expect(await channels.findBox(named('s'), clock.now())).toBeDefined();
    expect(await channels.findBox(named('s'), clock.now() + 1_000)).toBeUndefined();
  });

  it('does not redirect or extend a link by any edited column', async () => {
    const { database, sealer, clock } = await openWithPeople();
    const links = createWalletLinkStore(database, sealer);
    const expiresAt = clock.now() + 1_000;
    const sessions = [named<SessionId>('victim'), named<SessionId>('thief')] as const;
    for (const sessionId of sessions) {
      await insertSession(database, sessionId);
      await database.transact((trx) => links.add(trx, sessionId, { sessionId, expiresAt } as OpenLink));
    }
    const pick = (rows: Row[]): [Row, Row] => [
      rows.find((row) => row['session_id'] === 'victim')!,
      rows.find((row) => row['session_id'] === 'thief')!,
    ];
    await tryEveryEdit(database, 'wallet_links', pick, async (edit) => {
      for (const sessionId of sessions) {
        const found = await links.find(sessionId, clock.now()).catch(() => undefined);
        expect([undefined, sessionId], edit).toContain(found?.sessionId);
        expect(await links.take(sessionId, expiresAt).catch(() => undefined), edit).toBeUndefined();
      }
    });
    expect(await links.take(sessions[0], clock.now())).toMatchObject({ sessionId: 'victim' });
  });

  async function insertSession({ queries }: Database, id: string): Promise<void> {
    const times = { created_at: 1, expires_at: 2, ended_at: null, purge_at: null };
    const rest = { state: 'created', sealed: Buffer.of(1), outcome: null, person_id: null } as const;
    await queries
      .insertInto('sessions')
      .values({
        id: named<SessionId>(id),
        kind: 'age',
        token_lookup: Buffer.from(id),
        customer: named<CustomerId>('acme'),
        world: 'live',
        api_key_id: 'k',
        ...times,
        ...rest,
      })
      .execute();
  }
});
