// Deletions across sessions and people: a deleted person takes their sessions along, and a deleted
// session takes its provisional person along, even concurrently.

import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { insertPerson } from '#testing/database/person-rows.ts';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { liveOwner } from '#testing/owners.ts';
import { inMemory } from '#testing/processes/token-process.ts';
import { RETENTION_MS, type SessionApp, startSessionApp } from '#testing/session-app.ts';
import { testContext } from '#testing/test-context.ts';
import { ownerColumns } from '../../platform/api-keys/owner.ts';
import { named, type PersonId, type SessionId } from '../../platform/base/ids.ts';
import { forgetSessionsOfPerson } from '../../sessions/host/forget-person.ts';
import { sessionResource } from '../../sessions/lifecycle/forget.ts';
import type { Session } from '../../sessions/lifecycle/session.ts';
import { PersonDevices } from '../../sessions/proofs/devices.ts';
import { createWebhookStore } from '../../webhooks/store.ts';
import { openPeople } from './open.ts';
import { createPeopleStore } from './store/people.ts';
import { createProvisionalPeople } from './store/provisional-people.ts';

const OWNER = liveOwner('acme');

async function open() {
  const storage = await createTestDatabase();
  onTestFinished(storage.dispose);
  const app = await startSessionApp({ storage });
  const { clock } = app;
  const context = await testContext(storage, { clock });
  const { database, sealer, ids } = context;
  const onRemove = forgetSessionsOfPerson(context);
  const { people, index } = openPeople(context, inMemory(storage), { onRemove });
  onTestFinished(async () => {
    await index.close();
    await database.close();
  });
  const provisional = createProvisionalPeople({
    database,
    store: createPeopleStore(database, sealer, { error() {} }),
    clock,
    settleTokens: async () => {},
  });
  const puidOf = async (id: PersonId) =>
    (await database.queries.selectFrom('people').select('puid').where('id', '=', id).executeTakeFirstOrThrow()).puid;
  return { app, database, people, provisional, ids, sealer, puidOf };
}

/** Makes a session that captures a face. */
async function beginSession({ database, sessions, clock }: SessionApp): Promise<SessionId> {
  const common = { kind: 'verification', owner: OWNER, apiKeyId: 'key' } as const;
  const wanted = { ...common, expiresAt: clock.now() + 60_000, contents: { secret: 'of the session' } as never };
  const { id } = await database.transact((trx) => sessions.create(trx, wanted));
  await sessions.move(id, 'opened');
  await sessions.move(id, 'capturing');
  await database.queries
    .insertInto('session_evidence')
    .values({ session_id: id, sealed: Buffer.of(1) })
    .execute();
  return id;
}

/** Fields that ending the session needs. */
const sessionOf = (id: SessionId) => ({ id, kind: 'verification', createdAt: 1 }) as Session<'verification'>;
/** Fields that marking the row needs. */
const OUTCOME = { status: 'SUCCESS', riskEvaluation: { recommendation: 'ALLOW', flags: [] } };
const DONE = { state: 'completed', outcome: OUTCOME as never, from: ['capturing'] } as const;
const endFor = ({ database, sessions }: SessionApp, id: SessionId, personId?: PersonId) =>
  database.transact((trx) =>
    sessions.end(trx, sessionOf(id), { ...DONE, outcome: { ...OUTCOME, of: personId } as never, personId }),
  );
const listIds = async (app: SessionApp, table: 'sessions' | 'people') =>
  (await app.database.queries.selectFrom(table).select('id').execute()).map(({ id }) => id);
const countEvidence = async ({ database }: SessionApp) =>
  (await database.queries.selectFrom('session_evidence').select('session_id').execute()).length;

/** Column by which each table refers to the session or its reply. */
const OF_A_SESSION = [
  ['sessions', 'id'],
  ['session_marks', 'session_id'],
  ['session_evidence', 'session_id'],
  ['enrolling_sessions', 'session_id'],
  ['people', 'provisional_session'],
  ['person_devices', 'provisional_session'],
  ['device_channels', 'session_id'],
  ['handoff_boxes', 'session_id'],
  ['idempotency_keys', 'resource'],
] as const;

describe('a deleted person', () => {
  it('takes along only the sessions about them', async () => {
    const { app, database, people, ids, sealer, puidOf } = await open();
    const [gone, kept] = [
      await insertPerson({ database, sealer, ids }, OWNER),
      await insertPerson({ database, sealer, ids }, OWNER),
    ];
    const [first, second, theirs, nobodys] = [
      ...[await beginSession(app), await beginSession(app), await beginSession(app), await beginSession(app)],
    ];
    await endFor(app, first!, gone);
    await endFor(app, second!, gone);
    await endFor(app, theirs!, kept);
    await endFor(app, nobodys!);
    expect(await people.remove(OWNER, await puidOf(gone))).toBe(true);
    expect((await listIds(app, 'sessions')).sort()).toEqual([theirs!, nobodys!].sort());
    expect(await listIds(app, 'people')).toEqual([kept]);
    expect(await countEvidence(app)).toBe(2);
  });

  it('waits for a session of theirs that ends concurrently, or makes it wait', async () => {
    const { app, database, people, provisional, ids, sealer, puidOf } = await open();
    for (let round = 0; round < 5; round++) {
      const person = await insertPerson({ database, sealer, ids }, OWNER);
      const puid = await puidOf(person);
      const session = await beginSession(app);
      const end = app.database.transact(async (trx) => {
        if (!(await provisional.hold(trx, person))) return false;
        return app.sessions.end(trx, sessionOf(session), { ...DONE, personId: person });
      });
      const [ended] = await Promise.all([end, people.remove(OWNER, puid)]);
      expect(await listIds(app, 'people')).toEqual([]);
      expect(await listIds(app, 'sessions')).toEqual(ended ? [] : [session]);
      await app.sessions.redact(session);
    }
  });
});

describe('a deleted session', () => {
  it.each([
    ['redacted', async (app: SessionApp, id: SessionId) => void (await app.sessions.redact(id))],
    [
      'given up',
      async (app: SessionApp, id: SessionId) => {
        app.clock.advance(60_000 + RETENTION_MS);
        const [overdue] = await app.sessions.listOverdue(['verification'], undefined, 1);
        expect(overdue?.id).toBe(id);
        expect(await app.sessions.giveUp(overdue!)).toBe(true);
      },
    ],
    [
      'purged',
      async (app: SessionApp, id: SessionId) => {
        await app.database.transact((trx) => app.sessions.end(trx, sessionOf(id), { ...DONE, state: 'cancelled' }));
        app.clock.advance(RETENTION_MS);
        expect(await app.sessions.purge(10)).toBe(1);
      },
    ],
  ])('is %s together with the person it created', async (_, go) => {
    const { app, database, ids, sealer } = await open();
    const session = await beginSession(app);
    await insertPerson({ database, sealer, ids }, OWNER, session);
    const others = await insertPerson({ database, sealer, ids }, OWNER, named('another session'));
    await go(app, session);
    expect(await listIds(app, 'sessions')).toEqual([]);
    expect(await listIds(app, 'people')).toEqual([others]);
    expect(await countEvidence(app)).toBe(0);
  });

  it('goes in one batch with another session and all its rows, while one that is not due stays', async () => {
    const { app, database, ids, sealer } = await open();
    const { clock } = app;
    const known = await insertPerson({ database, sealer, ids }, OWNER);
    const devices = new PersonDevices({ database, sealer, clock, ids, log: { error() {} } });
    const webhooks = createWebhookStore(database);
    const begin = async () => {
      const id = await beginSession(app);
      await insertPerson({ database, sealer, ids }, OWNER, id);
      await devices.propose({ owner: OWNER, personId: known, publicKey: Buffer.alloc(65), session: id });
      const times = { created_at: clock.now(), expires_at: clock.now() + 2 * RETENTION_MS };
      const sealed = Buffer.of(1);
      const reply = { scope: 'create', key_digest: Buffer.from(id), request_digest: sealed, reply: sealed };
      await database.transact(async (trx) => {
        await trx.insertInto('device_channels').values({ session_id: id, revision: 1, sealed }).execute();
        await trx
          .insertInto('handoff_boxes')
          .values({ session_id: id, expires_at: times.expires_at, sealed })
          .execute();
        await trx
          .insertInto('idempotency_keys')
          .values({ ...reply, resource: sessionResource(id), expires_at: times.expires_at })
          .execute();
      });
      return id;
    };
    const end = async (id: SessionId) => {
      await database.transact(async (trx) => {
        await app.sessions.end(trx, sessionOf(id), { ...DONE, state: 'cancelled' });
        for (const state of ['pending', 'delivered'] as const) {
          const started = { round: 1, attempts: 0, attempts_before: 0, last_status: null, last_error: null };
          const times = { next_attempt_at: null, last_attempt_at: null, ended_at: null, created_at: clock.now() };
          await webhooks.insert(trx, {
            ...{ id: ids.sortable(), ...ownerColumns(OWNER), api_key_id: 'key', session_id: id },
            ...{ target: 'https://host.example', state, ...started, ...times, tries: null },
            ...{ purge_at: clock.now() + RETENTION_MS, sealed: Buffer.of(1) },
          });
        }
      });
    };
    const rowsOf = async (id: SessionId) => {
      const { queries } = database;
      const read = ([table, column]: readonly [string, string]) =>
        sql`select * from ${sql.table(table)} where ${sql.ref(column)} in (${id}, ${sessionResource(id)})`.execute(
          queries,
        );
      const found = await Promise.all(OF_A_SESSION.map(async (at) => [at[0], (await read(at)).rows.length] as const));
      const bodies = (await webhooks.listOfSession(id)).map(({ state, hasBody }) => `${state} ${hasBody}`).sort();
      return { ...Object.fromEntries(found), bodies };
    };

    const due = [await begin(), await begin()];
    const later = await begin();
    for (const id of due) await end(id);
    clock.advance(1);
    await end(later);
    const whole = await rowsOf(later);
    expect(Object.values(whole)).not.toContain(0);
    for (const id of due) expect(await rowsOf(id)).toEqual(whole);
    clock.advance(RETENTION_MS - 1);
    expect(await app.sessions.purge(10)).toBe(2);
    const nothing = Object.fromEntries(OF_A_SESSION.map(([table]) => [table, 0]));
    for (const id of due) expect(await rowsOf(id)).toEqual({ ...nothing, bodies: ['dead false', 'delivered false'] });
    expect(await rowsOf(later)).toEqual(whole);
  });
});
