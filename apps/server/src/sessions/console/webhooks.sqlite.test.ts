// Webhooks in the console: undelivered ones, figures equal to the overview's, audited resends.
import { beforeEach, describe, expect, it } from 'vitest';
import { type ConsoleApp, newOperator, startConsoleApp, type TestOperator } from '#testing/console/console-app.ts';
import { newHost } from '#testing/session-app.ts';
import type { AuditPageView } from '../../console/door/views.ts';
import type { OverviewView } from '../../operations/console/views.ts';
import type { ResentView, WebhookFilters, WebhookPageView } from './views.ts';

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;

let app: ConsoleApp;
let admin: TestOperator;
let host: Awaited<ReturnType<typeof newHost>>;
let other: Awaited<ReturnType<typeof newHost>>;

beforeEach(async () => {
  app = await startConsoleApp({ environment: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  // Noon, so that a few hours stay within the day.
  app.clock.advance(DAY - (app.clock.now() % DAY) + 12 * HOUR);
  admin = await newOperator(app, 'admin');
  host = await newHost(app);
  other = await newHost(app);
});

/** Ends a session whose receiver is down. Returns the session's id. */
async function fail(of = host): Promise<string> {
  const { body } = await of.create({ callback: { url: 'http://127.0.0.1:1/secret?token=x' } });
  await of.simulate(body.token, { outcome: 'spoof' });
  return new URL(body.launchUrl).searchParams.get('sessionId')!;
}

async function setState(sessionId: string, state: 'dead' | 'delivered', more: object = {}): Promise<void> {
  const changes = { state, ended_at: app.clock.now(), next_attempt_at: null, ...more };
  const query = app.database.queries.updateTable('webhook_deliveries').set(changes);
  await query.where('session_id', '=', sessionId as never).execute();
}

async function search(filters: WebhookFilters & { after?: string } = {}): Promise<WebhookPageView> {
  const reply = await admin.call('POST /console/api/webhooks/search', { body: filters });
  expect(reply.statusCode).toBe(200);
  return reply.json();
}

async function resend(ids: string[], by = admin): Promise<ResentView> {
  return (await by.call('POST /console/api/webhooks/resend', { body: { ids } })).json();
}

const sessionsOf = ({ webhooks }: WebhookPageView) => webhooks.map(({ sessionId }) => sessionId);

describe('the webhook list', () => {
  it('shows retried and abandoned webhooks with reason and origin only', async () => {
    const waiting = await fail();
    expect(sessionsOf(await search())).toEqual([]);
    await app.jobs.runDue();
    const dead = await fail();
    await setState(dead, 'dead', { last_status: 500, last_error: 'rejected' });
    const arrived = await fail();
    await setState(arrived, 'delivered');
    const page = await search();
    expect(page.webhooks).toMatchObject([
      { sessionId: dead, stage: 'dead', lastStatus: 500, lastError: 'rejected', canResend: true },
      { sessionId: waiting, stage: 'retrying', lastError: 'unreachable', nextAttemptAt: expect.any(String) },
    ]);
    expect(page.webhooks[0]).toMatchObject({
      url: 'http://127.0.0.1:1',
      world: 'test',
      about: { place: 'session', id: dead },
    });
    expect(JSON.stringify(page)).not.toContain('secret');
    expect(page.counts).toMatchObject({ waiting: 0, retrying: 1, dead: 1 });
    expect(sessionsOf(await search({ stage: 'delivered' }))).toEqual([arrived]);
  });

  it('filters by stage, world, key and time', async () => {
    const old = await fail();
    await setState(old, 'dead');
    app.clock.advance(2 * DAY);
    admin = await newOperator(app, 'admin');
    const recent = await fail();
    await setState(recent, 'dead');
    const theirs = await fail(other);
    await setState(theirs, 'dead', { world: 'live' });
    const { id: key } = (await app.apiKeys.authenticate(other.apiKey))!;
    for (const [filters, expected] of [
      [{}, [theirs, recent, old]],
      [{ stage: 'retrying' }, []],
      [{ world: 'live' }, [theirs]],
      [{ key }, [theirs]],
      [{ key: 'nobody' }, []],
      [{ since: '24h' }, [theirs, recent]],
      [{ since: '30d', world: 'test' }, [recent, old]],
    ] as [WebhookFilters, string[]][]) {
      const page = await search(filters);
      expect([filters, sessionsOf(page)]).toEqual([filters, expected]);
      if (filters.stage === undefined) expect(page.counts.dead).toBe(expected.length);
    }
  });

  it('returns every row once, page by page', async () => {
    const made: string[] = [];
    for (let nth = 0; nth < 60; nth += 1) made.push(await fail());
    await app.database.queries.updateTable('webhook_deliveries').set({ state: 'dead' }).execute();
    const first = await search();
    const second = await search({ after: first.next! });
    expect([first.webhooks.length, second.next]).toEqual([50, undefined]);
    expect([...sessionsOf(first), ...sessionsOf(second)]).toEqual(made.toReversed());
  });
});

describe('webhook counts', () => {
  it('equal the overview for the same days', async () => {
    await setState(await fail(), 'dead');
    app.clock.advance(8 * DAY);
    admin = await newOperator(app, 'admin');
    await setState(await fail(), 'dead');
    await setState(await fail(), 'dead');
    await fail();
    await app.jobs.runDue();
    for (const days of ['7', '30'] as const) {
      const overview = await admin.call('GET /console/api/overview', { query: `?days=${days}` });
      const counted = overview.json<OverviewView>().days.map(({ webhooks }) => webhooks['dead'] ?? 0);
      const { counts, webhooks } = await search({ since: `${days}d`, stage: 'dead' });
      const sum = counted.reduce((one, other) => one + other, 0);
      expect([days, sum, counts.dead, webhooks.length]).toEqual([days, ...Array(3).fill(days === '7' ? 2 : 3)]);
      expect(counted.at(-1)).toBe(2);
    }
  });

  it('decrease when a webhook is resent', async () => {
    await setState(await fail(), 'dead');
    const { webhooks } = await search();
    await resend([webhooks[0]!.id]);
    expect((await search()).counts).toMatchObject({ waiting: 1, retrying: 0, dead: 0 });
    const { days } = (await admin.call('GET /console/api/overview')).json<OverviewView>();
    expect(days.at(-1)!.webhooks['dead']).toBeUndefined();
  });
});

describe('a resend', () => {
  it('of several reports sent and deleted ones, each audited', async () => {
    const [one, other, bodiless] = [await fail(), await fail(), await fail()];
    await app.database.queries.updateTable('webhook_deliveries').set({ state: 'dead' }).execute();
    await setState(bodiless, 'dead', { sealed: null });
    const ids = (await search()).webhooks.map(({ id }) => id);
    const unknown = crypto.randomUUID();
    const done = await resend([...ids, ids[0]!, unknown]);
    const idOf = new Map((await search()).webhooks.map(({ sessionId, id }) => [sessionId, id]));
    expect(done.gone).toEqual([idOf.get(bodiless), unknown]);
    expect(done.resent).toHaveLength(2);
    const rows = await app.database.queries.selectFrom('webhook_deliveries').selectAll().execute();
    const sent = rows.filter(({ state, round }) => state === 'pending' && round === 2);
    expect(sent.map(({ session_id }) => session_id as string).sort()).toEqual([one, other].sort());
    const { lines } = (await admin.call('GET /console/api/audit')).json<AuditPageView>();
    const written = lines.filter((line) => !line.isUnreadable && line.act === 'delivery.resend');
    expect(written.map((line) => !line.isUnreadable && line.about).sort()).toEqual([...done.resent].sort());
  });

  it('is refused to a read-only role', async () => {
    const auditor = await newOperator(app, 'auditor');
    const body = { ids: [crypto.randomUUID()] };
    expect((await auditor.call('POST /console/api/webhooks/search')).statusCode).toBe(200);
    expect((await auditor.call('POST /console/api/webhooks/resend', { body })).statusCode).toBe(403);
  });

  it('accepts at most fifty', async () => {
    const ids = Array.from({ length: 51 }, () => crypto.randomUUID());
    expect((await admin.call('POST /console/api/webhooks/resend', { body: { ids } })).statusCode).toBe(400);
    expect((await admin.call('POST /console/api/webhooks/resend', { body: { ids: [] } })).statusCode).toBe(400);
  });
});
