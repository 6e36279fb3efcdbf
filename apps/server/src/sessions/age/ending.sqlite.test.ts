// Endings of age sessions: once, by timer if necessary, with one webhook, without leftovers.
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase, engine } from '#testing/database/test-database.ts';
import { createManualClock } from '#testing/manual-clock.ts';
import { type Host, newHost, RETENTION_MS, type SessionApp, startSessionApp, TTL_MS } from '#testing/session-app.ts';
import { ConflictError } from '../../platform/base/errors.ts';
import { named, type SessionId } from '../../platform/base/ids.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { defineRecurringJob } from '../../platform/jobs/job.ts';
import type { Session } from '../lifecycle/session.ts';
import type { BehaviorFacts } from '../risk/measure-behavior.ts';
import type { AgeEnding, EndAgeSession } from './end-session.ts';

const RACES = 50;
const NEVER = new AbortController().signal;
/** Nothing is sent in these tests unless the jobs run. */
const CALLBACK = { url: 'http://127.0.0.1:9/hook', headers: { authorization: 'Bearer of-the-shop' } };

const ending = (answer: AgeEnding['answer']): Parameters<EndAgeSession>[1] => {
  return { answer, indicators: null, cameraSigns: [], behavior: null };
};
const FINISHED = ending({ face: { spoof: false, estimate: 30, lowerBound: 28 }, end: 'finished' });
const CANCELLED = ending({ end: 'cancelled' });
const EXPIRED = ending({ end: 'expired' });

const CALM: BehaviorFacts = {
  captureMs: null,
  stepsStarted: 1,
  challengeMs: [],
  lightMs: 0,
  logOrderBreaks: 0,
  logOverrunMs: 0,
  retries: 0,
  handoffMs: [],
  otherDeviceAttempts: 0,
  replayAttempts: 0,
  outOfPlanAnswers: 0,
  handoffNumbersWrong: 0,
};

async function openedSession({ sessions }: SessionApp, host: Host): Promise<Session<'age'>> {
  const { token } = (await host.create({ callback: CALLBACK })).body;
  const session = await sessions.findByToken(null, 'age', named(token));
  if (!session) throw new Error('the session is not there');
  await sessions.move(session.id, 'opened');
  await sessions.move(session.id, 'capturing');
  return session;
}

async function deliveriesOf({ database }: SessionApp, sessionId: SessionId) {
  return database.queries
    .selectFrom('webhook_deliveries')
    .select(['sealed', 'purge_at'])
    .where('session_id', '=', sessionId)
    .execute();
}

async function startTwoProcesses(): Promise<[SessionApp, SessionApp]> {
  const storage = await createTestDatabase();
  const clock = createManualClock();
  onTestFinished(storage.dispose);
  return [await startSessionApp({ storage, clock }), await startSessionApp({ storage, clock })];
}

describe('racing ends', () => {
  it('have one winner, in one process or two, which alone sends a webhook', async () => {
    const [one, two] = await startTwoProcesses();
    const host = await newHost(one);
    const sessions = await Promise.all(Array.from({ length: RACES }, () => openedSession(one, host)));
    await Promise.all(
      sessions.map(async (session, round) => {
        const contenders = [
          () => one.endSession(session, FINISHED),
          () => two.endSession(session, CANCELLED),
          () => one.endSession(session, EXPIRED),
          () => two.endSession(session, FINISHED),
        ];
        const order = [...contenders.slice(round % 4), ...contenders.slice(0, round % 4)];
        const results = await Promise.all(order.map((end) => end()));
        const winners = results.filter((result) => result !== undefined);
        expect(winners).toHaveLength(1);
        expect((await host.result(session.token)).body).toEqual(JSON.parse(JSON.stringify(winners[0]?.result)));
        expect(await deliveriesOf(one, session.id)).toHaveLength(1);
      }),
    );
  });

  it('leave nothing behind if one is a redaction', async () => {
    const [one, two] = await startTwoProcesses();
    const host = await newHost(one);
    const sessions = await Promise.all(Array.from({ length: RACES }, () => openedSession(one, host)));
    await Promise.all(
      sessions.map(async (session) => {
        await Promise.all([one.endSession(session, FINISHED), two.sessions.redact(session.id)]);
        expect((await host.result(session.token)).status).toBe(404);
        for (const { sealed } of await deliveriesOf(one, session.id)) expect(sealed).toBe(null);
      }),
    );
  });
});

describe('transitions', () => {
  it('are refused by the database if the table does not list them', async () => {
    const app = await startSessionApp();
    const host = await newHost(app);
    const { token } = (await host.create()).body;
    const session = (await app.sessions.findByToken(null, 'age', named(token)))!;
    expect(await app.sessions.find(session.id)).toEqual(session);
    expect(await app.sessions.findOwn(host.owner, 'age', session.id)).toEqual(session);
    expect(await app.sessions.findOwn(host.owner, 'verification', session.id)).toBe(undefined);
    expect(await app.sessions.findByToken(null, 'verification', named(token))).toBe(undefined);
    expect(await app.endSession(session, FINISHED)).toBe(undefined);
    expect(await app.endSession(session, CANCELLED)).toBe(undefined);
    expect(await app.sessions.move(session.id, 'opened')).toBe(true);
    expect(await app.sessions.move(session.id, 'opened')).toBe(false);
    expect(await app.endSession(session, FINISHED)).toBe(undefined);
    expect((await app.endSession(session, CANCELLED))?.result).toMatchObject({ flowStatus: 'CANCELLED' });
    expect(await app.sessions.move(session.id, 'capturing')).toBe(false);
    expect(await app.endSession(session, EXPIRED)).toBe(undefined);
  });

  it("only lead to expiry after the session's deadline", async () => {
    const app = await startSessionApp();
    const host = await newHost(app);
    const session = await openedSession(app, host);
    const untouched = (await host.create()).body;
    app.clock.advance(TTL_MS - 1);
    expect((await host.result(session.token)).body.flowStatus).toBe(undefined);
    app.clock.advance(1);
    expect(await app.endSession(session, FINISHED)).toBe(undefined);
    expect(await app.endSession(session, CANCELLED)).toBe(undefined);
    // Readers do not wait for the timer.
    expect((await host.result(session.token)).body).toMatchObject({
      sessionStatus: 'AGE_UNKNOWN',
      flowStatus: 'EXPIRED',
      errors: [{ code: -8, message: 'Session expired' }],
    });
    expect((await host.simulate(untouched.token, { outcome: 'above' })).status).toBe(409);
    expect(await deliveriesOf(app, session.id)).toHaveLength(1);
  });
});

describe('data of an end', () => {
  it('is written with it; if that fails, the session stays open and nothing is sent', async () => {
    const app = await startSessionApp();
    const host = await newHost(app);
    const session = await openedSession(app, host);
    const failing = app.endSession(session, FINISHED, async () => {
      throw new Error('another call was first');
    });
    await expect(failing).rejects.toThrow('another call was first');
    expect((await host.result(session.token)).body.flowStatus).toBe(undefined);
    expect(await deliveriesOf(app, session.id)).toEqual([]);

    const kept: string[] = [];
    const keep = async (trx: Transaction) => {
      const row = await trx.selectFrom('sessions').select('state').where('id', '=', session.id).executeTakeFirst();
      kept.push(row?.state ?? 'gone');
    };
    expect((await app.endSession(session, FINISHED, keep))?.result).toMatchObject({ flowStatus: 'COMPLETED' });
    expect(await app.endSession(session, CANCELLED, keep)).toBe(undefined);
    expect(kept).toEqual(['completed']);
  });

  it("includes the channel's counts at expiry and simulation, unless no one opened the session", async () => {
    const asked: string[] = [];
    const closed: string[] = [];
    const app = await startSessionApp({
      async closeChannel(sessionId) {
        asked.push(sessionId);
        return { behavior: { ...CALM, retries: 4 }, keep: async () => void closed.push(sessionId) };
      },
    });
    const host = await newHost(app);
    const [simulated, expired] = [await openedSession(app, host), await openedSession(app, host)];
    const [untouched, unopened] = [(await host.create()).body.token, (await host.create()).body.token];
    const behavioralOf = async (token: string) => (await host.result(token)).body.riskEvaluation?.signals.behavioral;
    await host.simulate(simulated.token, { outcome: 'above' });
    await host.simulate(untouched, { outcome: 'above' });
    app.clock.advance(TTL_MS);
    await app.timers.expireOverdue(NEVER);
    expect(await behavioralOf(simulated.token)).toEqual({ score: 3, flags: ['BEHAVIOR_RETRIES'] });
    expect(await behavioralOf(expired.token)).toEqual({ score: 3, flags: ['BEHAVIOR_RETRIES'] });
    expect(await behavioralOf(untouched)).toEqual({ score: 0, flags: [] });
    expect(await behavioralOf(unopened)).toEqual({ score: 0, flags: [] });
    expect(asked).toEqual([simulated.id, expired.id]);
    expect(closed).toEqual(asked);
  });

  it('is read again if a device changed it, and the end is postponed if that goes on', async () => {
    let overtakenFor = 3;
    const app = await startSessionApp({
      closeChannel: async () => ({
        behavior: { ...CALM, retries: overtakenFor === 0 ? 4 : 0 },
        async keep() {
          if (overtakenFor === 0) return;
          overtakenFor -= 1;
          throw new ConflictError();
        },
      }),
    });
    const host = await newHost(app);
    const [one, two] = [await openedSession(app, host), await openedSession(app, host)];
    app.clock.advance(TTL_MS);
    const flagsOf = async (token: string) => (await host.result(token)).body.riskEvaluation?.flags;
    expect(await flagsOf(one.token)).toEqual(['BEHAVIOR_RETRIES']);
    overtakenFor = 1_000;
    expect((await host.result(two.token)).status).toBe(503);
    expect(await deliveriesOf(app, two.id)).toEqual([]);
    overtakenFor = 0;
    await app.timers.expireOverdue(NEVER);
    expect(await flagsOf(two.token)).toEqual(['BEHAVIOR_RETRIES']);
    expect(await deliveriesOf(app, two.id)).toHaveLength(1);
  });

  it('includes a device that opens the session right before its end', async () => {
    const behavior = { ...CALM, retries: 4 };
    const app = await startSessionApp({ closeChannel: async () => ({ behavior, keep: async () => {} }) });
    const host = await newHost(app);
    const { token } = (await host.create()).body;
    const untouched = (await app.sessions.findByToken(null, 'age', named(token)))!;
    await app.sessions.move(untouched.id, 'opened');
    const unopened = { ...EXPIRED, unopened: true };
    expect(await app.endSession(untouched, unopened)).toBe(undefined);
    expect(await app.endSession(untouched, { ...FINISHED, unopened: true, asDevice: true })).toBe(undefined);
    expect((await app.sessions.find(untouched.id))?.state).toBe('opened');
    app.clock.advance(TTL_MS);
    await app.expire(untouched); // from the earlier read
    expect((await app.sessions.find(untouched.id))?.state).toBe('expired');
    expect((await host.result(token)).body.riskEvaluation?.flags).toEqual(['BEHAVIOR_RETRIES']);
  });

  it('is rolled back if a simulated end fails', async () => {
    const app = await startSessionApp({
      closeChannel: async () => ({
        behavior: CALM,
        async keep() {
          throw new Error('the process died');
        },
      }),
    });
    const host = await newHost(app);
    const { token, launchUrl } = (await host.create()).body;
    const id = sessionIdOf(launchUrl);
    await app.sessions.move(id, 'opened');
    expect((await host.simulate(token, { outcome: 'above' })).status).toBe(500);
    expect((await app.sessions.find(id))?.state).toBe('opened');
  });
});

describe('timers', () => {
  it('end every overdue session, past unreadable rows, each with its webhook', async () => {
    const app = await startSessionApp();
    const host = await newHost(app);
    const overdue: unknown[] = [];
    // As many at once as there are connections, so that none is refused on a busy machine.
    while (overdue.length < 120)
      overdue.push(...(await Promise.all(Array.from({ length: 10 }, () => host.create({ callback: CALLBACK })))));
    app.clock.advance(1);
    const young = (await host.create()).body;
    const { queries } = app.database;
    // More than one batch, due before all others.
    const all = await queries.selectFrom('sessions').select('id').orderBy('expires_at').orderBy('id').execute();
    const broken = all.slice(0, 60).map(({ id }) => id);
    await queries
      .updateTable('sessions')
      .set({ sealed: Buffer.from('broken') })
      .where('id', 'in', broken)
      .execute();
    app.clock.advance(TTL_MS - 1);
    await app.timers.expireOverdue(NEVER);
    await app.timers.expireOverdue(NEVER);
    const open = await queries.selectFrom('sessions').select('id').where('ended_at', 'is', null).execute();
    expect(open.map(({ id }) => id).sort()).toEqual([...broken, sessionIdOf(young.launchUrl)].sort());
    const deliveries = await queries.selectFrom('webhook_deliveries').select('session_id').execute();
    expect(deliveries).toHaveLength(overdue.length - broken.length);
    expect(app.logged()).toContain('could not be expired');
  });

  it('delete exactly what is past its retention, with stored replies and webhook bodies', async () => {
    const app = await startSessionApp();
    const host = await newHost(app);
    const ended: string[] = [];
    for (let index = 0; index < 3; index++) {
      const { token } = (await host.create({ callback: CALLBACK }, { 'idempotency-key': `order-${index}` })).body;
      await host.simulate(token, { outcome: 'above' });
      ended.push(token);
    }
    app.clock.advance(1);
    const kept = (await host.create({ callback: CALLBACK })).body.token;
    await host.simulate(kept, { outcome: 'above' });
    app.clock.advance(RETENTION_MS - 1);
    // Readers lose it at the deadline; the timer removes it from disk.
    for (const token of ended) expect((await host.result(token)).status).toBe(404);
    await app.timers.purgeKept(NEVER);
    const { queries } = app.database;
    expect(await queries.selectFrom('sessions').select('id').execute()).toHaveLength(1);
    expect(await queries.selectFrom('idempotency_keys').select('resource').execute()).toEqual([]);
    const bodies = await queries
      .selectFrom('webhook_deliveries')
      .select('id')
      .where('sealed', 'is not', null)
      .execute();
    expect(bodies).toHaveLength(1);
    expect((await host.result(kept)).status).toBe(200);
  });

  it('are recurring jobs', async () => {
    const app = await startSessionApp();
    const host = await newHost(app);
    await host.create();
    await app.database.transact(async (trx) => {
      for (const kind of ['sessions.expire', 'sessions.purge']) {
        await app.jobs.enqueue(trx, defineRecurringJob(kind, 1), null, { uniqueKey: 'recurring' });
      }
    });
    const stateAfter = async (milliseconds: number) => {
      app.clock.advance(milliseconds);
      await app.jobs.runDue();
      return (await app.database.queries.selectFrom('sessions').select('state').executeTakeFirst())?.state;
    };
    expect(await stateAfter(TTL_MS - 1)).toBe('created');
    expect(await stateAfter(60_000)).toBe('expired');
    expect(await stateAfter(RETENTION_MS - 1)).toBe('expired');
    expect(await stateAfter(60_000)).toBe(undefined);
  });
});

it("sends the result of GET as a signed webhook with the callback's headers", async () => {
  const received: { headers: IncomingHttpHeaders; body: string }[] = [];
  const receiver = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push({ headers: request.headers, body });
    response.end();
  });
  await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void receiver.close());
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;

  const app = await startSessionApp();
  const host = await newHost(app);
  const { token } = (await host.create({ callback: { ...CALLBACK, url }, metadata: { order: 7 } })).body;
  await host.simulate(token, { outcome: 'below' });
  while ((await app.jobs.runDue()) > 0);
  expect(received).toHaveLength(1);
  expect(JSON.parse(received[0]!.body)).toEqual((await host.result(token)).body);
  expect(received[0]!.headers).toMatchObject({
    authorization: 'Bearer of-the-shop',
    'x-service-signature': expect.stringMatching(/^sha256=[0-9a-f]{64}$/),
  });
});

describe('a stored row', () => {
  it('shows neither token, metadata, callback nor result in plain text', async () => {
    const app = await startSessionApp();
    const host = await newHost(app);
    const { token } = (await host.create({ callback: CALLBACK, metadata: { note: 'personal note' } })).body;
    await host.simulate(token, { outcome: 'above' });
    const row = await app.database.queries.selectFrom('sessions').selectAll().executeTakeFirstOrThrow();
    const stored = Object.values(row).map((value) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value),
    );
    for (const secret of [token, 'personal note', 'of-the-shop', '/hook', 'AGE_ABOVE']) {
      expect(stored.some((text) => text.includes(secret))).toBe(false);
    }
  });

  it.runIf(engine === 'sqlite')('a redacted session’s sealed bytes leave the file', async () => {
    const app = await startSessionApp();
    const host = await newHost(app);
    const { token } = (await host.create({ callback: CALLBACK })).body;
    await host.simulate(token, { outcome: 'above' });
    const row = await app.database.queries.selectFrom('sessions').selectAll().executeTakeFirstOrThrow();
    const pieces = [row.sealed, row.outcome!].map((bytes) => Buffer.from(bytes).subarray(24, 72));
    const onDisk = async () => {
      await app.database.checkpoint();
      const files = ['limen.db', 'limen.db-wal'].map((name) => readFileSync(join(app.dataDir, name)));
      return pieces.map((piece) => files.some((file) => file.includes(piece)));
    };
    expect(await onDisk()).toEqual([true, true]);
    await host.redact(token);
    expect(await onDisk()).toEqual([false, false]);
  });
});

function sessionIdOf(launchUrl: string): SessionId {
  return named(new URL(launchUrl).searchParams.get('sessionId') ?? '');
}
