// What ties sessions and people together: a deleted person takes their sessions along, a deleted session its provisional
// person, and of both at once neither is forgotten.
import pino from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { insertPerson } from '#testing/database/person-rows.ts';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { liveOwner } from '#testing/owners.ts';
import { RETENTION_MS, type SessionApp, startSessionApp } from '#testing/session-app.ts';
import { createIdempotency } from '../../platform/idempotency/idempotency.ts';
import { createIds, named, type PersonId, type SessionId } from '../../platform/ids.ts';
import { openStorage } from '../../platform/open-storage.ts';
import type { Session } from '../sessions/session.ts';
import { openPeople } from './open-people.ts';
import { createPeopleStore } from './store/people-store.ts';
import { createProvisionalPeople } from './store/provisional-people.ts';

const OWNER = liveOwner('acme');

async function open() {
  const storage = await createTestDatabase();
  onTestFinished(storage.dispose);
  const app = await startSessionApp({ storage });
  const { clock } = app;
  const ids = createIds(clock);
  const { database, sealer } = await openStorage({ ...storage, masterKey: undefined, clock, ids });
  const { people, index } = openPeople({
    ...storage,
    database,
    sealer,
    clock,
    ids,
    log: pino({ enabled: false }),
    vectorStore: 'memory',
    idempotency: createIdempotency({ database, sealer, clock }),
    matchThreshold: undefined,
    maxEmbeddings: 10,
  });
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

/** A session that captures something. */
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

/** As much of one as its end asks for. */
const sessionOf = (id: SessionId) => ({ id, kind: 'verification', createdAt: 1 }) as Session<'verification'>;
/** As much of one as its row is marked with. */
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

describe('a deleted person', () => {
  it('takes along the sessions that were about them, and no other', async () => {
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

  it('is waited for, or waits, when a session of theirs ends at the same moment', async () => {
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

describe('a session that goes', () => {
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
  ])('is %s, and the person it had made goes with it', async (_, go) => {
    const { app, database, ids, sealer } = await open();
    const session = await beginSession(app);
    await insertPerson({ database, sealer, ids }, OWNER, session);
    const others = await insertPerson({ database, sealer, ids }, OWNER, named('another session'));
    await go(app, session);
    expect(await listIds(app, 'sessions')).toEqual([]);
    expect(await listIds(app, 'people')).toEqual([others]);
    expect(await countEvidence(app)).toBe(0);
  });
});
