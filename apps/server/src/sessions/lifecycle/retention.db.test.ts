// A deleted session leaves no sealed bytes in the raw database files.
import { readFileSync } from 'node:fs';
import type { CreatedAgeSession } from '@limen/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, engine, type TestDatabase } from '#testing/database/test-database.ts';
import { newDevice } from '#testing/device.ts';
import { createManualClock, type ManualClock } from '#testing/manual-clock.ts';
import { type Host, newHost } from '#testing/session-app.ts';
import { startTestApp, type TestApp } from '#testing/test-app.ts';
import { startReceiver } from '#testing/webhooks/receiver.ts';
import { named, type SessionId } from '../../platform/base/ids.ts';
import { sqliteFile } from '../../platform/database/database.ts';
import { defineRecurringJob } from '../../platform/jobs/job.ts';
import { sessionResource } from './forget.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const RETENTION_HOURS = 2;
/** Purge jobs of the service, and the checkpoint that empties the write-ahead log. */
const TIMERS = ['sessions.expire', 'sessions.purge', 'webhooks.purge', 'idempotency.purge', 'database.checkpoint'];
const NOBODY = 'http://127.0.0.1:1/';

let place: TestDatabase;
let clock: ManualClock;
let app: TestApp;
let host: Host;
let receiverUrl: string;

beforeEach(async () => {
  place = await createTestDatabase();
  clock = createManualClock();
  const environment = { SERVE: 'core,launch', RETENTION_HOURS: String(RETENTION_HOURS) };
  app = await startTestApp({ database: place, clock, environment });
  host = await newHost(app);
  receiverUrl = (await startReceiver(() => 200)).url;
  await app.database.transact(async (trx) => {
    for (const kind of TIMERS) {
      if (kind === 'database.checkpoint' && engine !== 'sqlite') continue;
      await app.jobs.enqueue(trx, defineRecurringJob(kind, 1), null, { uniqueKey: 'recurring' });
    }
  });
  return place.dispose;
});

/** Runs the timers twice: the second round clears the log of the first round's deletions. */
async function tick(): Promise<void> {
  for (let round = 0; round < 2; round += 1) {
    clock.advance(MINUTE_MS);
    while ((await app.jobs.runDue()) > 0);
  }
}

interface Left {
  token: string;
  /** Pieces of every sealed value of the session, overwritten ones included. */
  pieces: Set<string>;
}

/** Makes a session with everything: idempotent creation, a device, a result, a webhook. */
async function liveThrough(number: number, callbackUrl: string): Promise<Left> {
  const body = { callback: { url: callbackUrl, headers: { a: 'b' } }, metadata: { number } };
  const created: CreatedAgeSession = (await host.create(body, { 'idempotency-key': `key-${number}` })).body;
  const sessionId = named<SessionId>(new URL(created.launchUrl).searchParams.get('sessionId')!);
  const pieces = new Set(await readPieces(sessionId));
  expect((await (await newDevice(app.http)).claim(sessionId)).status).toBe(200);
  for (const piece of await readPieces(sessionId)) pieces.add(piece);
  expect((await host.simulate(created.token, { outcome: 'above' })).status).toBe(200);
  await tick(); // sends the webhook
  const values = await readSealed(sessionId);
  // Contents, outcome, reply, body and channel; without any of them the test would prove less.
  expect(values).toHaveLength(5);
  for (const piece of values.flatMap(piecesOf)) pieces.add(piece);
  return { token: created.token, pieces };
}

async function readSealed(sessionId: SessionId): Promise<Uint8Array[]> {
  const { queries } = app.database;
  const rows = [
    ...(await queries.selectFrom('sessions').select(['sealed', 'outcome']).where('id', '=', sessionId).execute()),
    ...(await queries.selectFrom('webhook_deliveries').select('sealed').where('session_id', '=', sessionId).execute()),
    ...(await queries.selectFrom('device_channels').select('sealed').where('session_id', '=', sessionId).execute()),
    ...(await queries
      .selectFrom('idempotency_keys')
      .select('reply')
      .where('resource', '=', sessionResource(sessionId))
      .execute()),
  ];
  return rows.flatMap((row) => Object.values(row)).filter((value) => value !== null);
}

async function readPieces(sessionId: SessionId): Promise<string[]> {
  return (await readSealed(sessionId)).flatMap(piecesOf);
}

/** From the start, middle and end; the header is skipped because all values share it. */
function piecesOf(value: Uint8Array): string[] {
  const bytes = Buffer.from(value);
  return [32, bytes.length >> 1, bytes.length - 24].map((at) => bytes.subarray(at, at + 24).toString('latin1'));
}

/** Number of pieces found in the files, or in the rows of a database server. */
async function countLeft({ pieces }: Left): Promise<number> {
  const content = engine === 'sqlite' ? readFiles() : (await readEverything()).join('\n');
  return [...pieces].filter((piece) => content.includes(piece)).length;
}

function readFiles(): string {
  const file = sqliteFile(place.dataDir);
  return [file, `${file}-wal`].map((name) => readFileSync(name, 'latin1')).join('\n');
}

async function readEverything(): Promise<string[]> {
  const { queries } = app.database;
  const rows = [
    ...(await queries.selectFrom('sessions').selectAll().execute()),
    ...(await queries.selectFrom('webhook_deliveries').selectAll().execute()),
    ...(await queries.selectFrom('device_channels').selectAll().execute()),
    ...(await queries.selectFrom('idempotency_keys').selectAll().execute()),
    ...(await queries.selectFrom('review_cases').selectAll().execute()),
    ...(await queries.selectFrom('review_notes').selectAll().execute()),
    ...(await queries.selectFrom('review_tokens').selectAll().execute()),
  ];
  const values = rows.flatMap((row) => Object.values(row)).filter((value) => value instanceof Uint8Array);
  return values.map((value) => Buffer.from(value).toString('latin1'));
}

describe.each([
  ['was delivered', () => receiverUrl],
  ['nobody took', () => NOBODY],
])('a session whose webhook %s', (_, callbackUrl) => {
  it('disappears from the database files after its retention, unlike others', async () => {
    const old = [await liveThrough(1, callbackUrl()), await liveThrough(2, callbackUrl())];
    clock.advance(HOUR_MS);
    const young = await liveThrough(3, callbackUrl());
    for (const session of old) expect(await countLeft(session)).toBeGreaterThanOrEqual(15);
    clock.advance((RETENTION_HOURS - 1) * HOUR_MS);
    await tick();
    for (const session of old) expect(await countLeft(session)).toBe(0);
    expect(await countLeft(young)).toBeGreaterThanOrEqual(15);
    expect((await host.result(old[0]!.token)).status).toBe(404);
    expect((await host.result(young.token)).status).toBe(200);
  });

  it('disappears from them within two minutes of its deletion, unlike others', async () => {
    const [deleted, other] = [await liveThrough(1, callbackUrl()), await liveThrough(2, callbackUrl())];
    expect((await host.redact(deleted.token)).status).toBe(204);
    await tick();
    expect(await countLeft(deleted)).toBe(0);
    expect(await countLeft(other)).toBeGreaterThanOrEqual(15);
  });
});

it('reports how late the purge is until it is done', async () => {
  await liveThrough(1, receiverUrl);
  const readLate = async () => {
    const { body } = await app.http.inject({ url: '/metrics', remoteAddress: '127.0.0.1' });
    return Object.fromEntries(
      [...body.matchAll(/^limen_retention_late_seconds\{kind="(\w+)"\} (.*)$/gm)].map(([, kind, late]) => [
        kind,
        +late!,
      ]),
    );
  };
  const none = { session: 0, webhook_body: 0, case: 0, reply: 0 };
  expect(await readLate()).toEqual(none);
  clock.advance((RETENTION_HOURS + 1) * HOUR_MS);
  const late = (HOUR_MS + 2 * MINUTE_MS) / 1000; // minus the two minutes since its end
  expect(await readLate()).toEqual({ ...none, session: late, webhook_body: late });
  await tick();
  expect(await readLate()).toEqual(none);
});

describe('the case of a deleted session', () => {
  /** Every version of the case's sealed values, and the digest that finds it. */
  async function readCase(sessionId: SessionId): Promise<string[]> {
    const { queries } = app.database;
    const { id, sealed } = await queries
      .selectFrom('review_cases')
      .select(['id', 'sealed'])
      .where('about', '=', sessionId)
      .executeTakeFirstOrThrow();
    const notes = await queries.selectFrom('review_notes').select('sealed').where('case_id', '=', id).execute();
    const lookups = await queries
      .selectFrom('review_tokens')
      .select('token_lookup')
      .where('case_id', '=', id)
      .execute();
    const digests = lookups.map(({ token_lookup: digest }) => Buffer.from(digest).toString('latin1'));
    return [sealed, ...notes.map((note) => note.sealed)].flatMap(piecesOf).concat(digests);
  }

  async function reviewable(): Promise<{ token: string; sessionId: SessionId }> {
    const { body } = await host.create({ callback: { url: NOBODY } });
    const sessionId = named<SessionId>(new URL(body.launchUrl).searchParams.get('sessionId')!);
    expect((await (await newDevice(app.http)).claim(sessionId)).status).toBe(200);
    await host.simulate(body.token, { outcome: 'above', flags: ['LIGHT_NOT_AS_DRAWN'] });
    return { token: body.token, sessionId };
  }

  it('stays for the reviewer, and leaves the files when the host deletes the session', async () => {
    const [made, other] = [await reviewable(), await reviewable()];
    const pieces = new Set(await readCase(made.sessionId));
    clock.advance(RETENTION_HOURS * HOUR_MS);
    await tick();
    expect((await host.result(made.token)).status).toBe(404);
    const kept = await readCase(made.sessionId);
    for (const piece of kept) pieces.add(piece);
    // The case was rewritten with the evidence.
    expect(pieces.size).toBeGreaterThan(kept.length);
    expect(await countLeft({ ...made, pieces: new Set(kept) })).toBe(kept.length);

    const stranger = await newHost(app);
    expect((await stranger.redact(made.token)).status).toBe(404);
    expect((await host.redact(made.token)).status).toBe(204);
    await tick();
    expect(await countLeft({ ...made, pieces })).toBe(0);
    expect((await host.redact(made.token)).status).toBe(404);
    const { queries } = app.database;
    const logged = queries.selectFrom('webhook_deliveries').select('session_id').execute();
    expect((await logged).map(({ session_id: id }) => id)).toEqual([other.sessionId]);
    expect(await countLeft({ ...other, pieces: new Set(await readCase(other.sessionId)) })).toBeGreaterThan(0);
  });

  it('is deleted with the session if that still exists', async () => {
    const made = await reviewable();
    const pieces = new Set(await readCase(made.sessionId));
    expect((await host.redact(made.token)).status).toBe(204);
    await tick();
    expect(await countLeft({ ...made, pieces })).toBe(0);
  });
});
