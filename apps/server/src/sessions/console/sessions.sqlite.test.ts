// Sessions in the console: search, view without personal data, and redaction.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleApp, newOperator, startConsoleApp, type TestOperator } from '#testing/console/console-app.ts';
import { newHost } from '#testing/session-app.ts';
import type { SessionFilters, SessionPageView, SessionRowView, SessionView } from './views.ts';

const SCRIPT = '<img src=x onerror=alert(1)>';

let app: ConsoleApp;
let admin: TestOperator;
let host: Awaited<ReturnType<typeof newHost>>;
const made: Record<string, string> = {};

async function verificationSession(transactionID: string, outcome: string): Promise<string> {
  const post = (url: string, payload: object) =>
    app.http.inject({ method: 'POST', url, headers: { 'x-api-key': host.apiKey }, payload });
  const callback = { url: 'http://localhost:9/hook' };
  const body = { type: 'SIGN-IN', locale: 'en', redirectURL: 'https://shop.example/', callback, transactionID };
  const { sessionId } = (await post('/v2/verification-session', body)).json();
  await post(`/v2/verification-session/${sessionId}/simulate`, { outcome });
  return sessionId;
}

async function ageSession(outcome?: string, flags: string[] = []): Promise<string> {
  const { body } = await host.create({
    metadata: { note: SCRIPT },
    callback: { url: 'http://localhost:9/secret/path' },
  });
  if (outcome) await host.simulate(body.token, { outcome, flags });
  app.clock.advance(1_000);
  return new URL(body.launchUrl).searchParams.get('sessionId')!;
}

beforeAll(async () => {
  app = await startConsoleApp({ atEnd: afterAll });
  admin = await newOperator(app, 'admin');
  host = await newHost(app);
  made['above'] = await ageSession('above');
  made['spoof'] = await ageSession('spoof');
  made['webgl'] = await ageSession('above', ['HEADLESS_WEBGL']);
  made['signed in'] = await verificationSession('order-7', 'success');
  app.clock.advance(1_000);
  made['open'] = await ageSession();
});

async function search(filters: SessionFilters & { after?: string; version?: string }): Promise<SessionPageView> {
  const reply = await admin.call('POST /console/api/sessions/search', { body: filters });
  expect(reply.statusCode).toBe(200);
  return reply.json();
}

const namesOf = ({ sessions = [] }: SessionPageView) =>
  sessions.map(({ id }) => Object.keys(made).find((name) => made[name] === id));

describe('the session list', () => {
  it.each<[SessionFilters, string[]]>([
    [{}, ['open', 'signed in', 'webgl', 'spoof', 'above']],
    [{ kind: 'verification' }, ['signed in']],
    [{ state: 'created' }, ['open']],
    [{ state: 'completed', kind: 'age' }, ['webgl', 'spoof', 'above']],
    [{ recommendation: 'BLOCK' }, ['spoof']],
    [{ recommendation: 'ALLOW', kind: 'age' }, ['webgl', 'above']],
    [{ outcome: 'AGE_ABOVE_THRESHOLD' }, ['webgl', 'above']],
    [{ outcome: 'AGE_ABOVE_THRESHOLD', flag: 'HEADLESS_WEBGL', recommendation: 'ALLOW' }, ['webgl']],
    [{ flag: 'FACE_SPOOF' }, ['spoof']],
    [{ transactionId: 'order-7' }, ['signed in']],
    [{ transactionId: 'order' }, []],
    [{ world: 'live' }, []],
    [{ key: 'another' }, []],
  ])('filtered by %o returns %j', async (filters, expected) => {
    expect(namesOf(await search(filters))).toEqual(expected);
  });

  it('filtered by REVIEW excludes abandoned sessions', async () => {
    const other = await startConsoleApp();
    const operator = await newOperator(other, 'auditor');
    const giving = await newHost(other);
    for (const [outcome, flags] of [
      ['above', ['LIGHT_NOT_AS_DRAWN']],
      ['cancelled', []],
    ] as const) {
      const { body } = await giving.create();
      await giving.simulate(body.token, { outcome, flags: [...flags] });
    }
    const statesOf = async (body: SessionFilters) =>
      (await operator.call('POST /console/api/sessions/search', { body }))
        .json<SessionPageView>()
        .sessions!.map(({ state, risk }) => [state, risk?.recommendation]);
    expect(await statesOf({ recommendation: 'REVIEW' })).toEqual([['completed', 'REVIEW']]);
    expect(await statesOf({ recommendation: 'REVIEW', state: 'cancelled' })).toEqual([['cancelled', 'REVIEW']]);
  });

  it('filtered by key and mark returns the intersection', async () => {
    const other = await startConsoleApp();
    const operator = await newOperator(other, 'auditor');
    const hosts = [await newHost(other), await newHost(other)] as const;
    const own: string[] = [];
    for (const nth of [0, 1, 1, 0, 0, 1, 0]) {
      const { body } = await hosts[nth]!.create();
      await hosts[nth]!.simulate(body.token, { outcome: own.length === 1 ? 'above' : 'spoof' });
      if (nth === 0) own.push(new URL(body.launchUrl).searchParams.get('sessionId')!);
      other.clock.advance(nth * 1_000); // some share a timestamp
    }
    const filters = { key: hosts[0].owner.customer, outcome: 'AGE_UNKNOWN', flag: 'FACE_SPOOF' };
    const reply = await operator.call('POST /console/api/sessions/search', { body: filters });
    const found = reply.json<SessionPageView>().sessions!.map(({ id }) => id);
    expect(found.sort()).toEqual([own[0], own[2], own[3]].sort());
  });

  it('filters by creation time', async () => {
    const { sessions } = await search({});
    const at = (name: string) => sessions!.find(({ id }) => id === made[name])!.createdAt;
    expect(namesOf(await search({ from: at('spoof'), until: at('signed in') }))).toEqual(['webgl', 'spoof']);
    expect(namesOf(await search({ from: at('spoof'), outcome: 'AGE_ABOVE_THRESHOLD' }))).toEqual(['webgl']);
  });

  it('filters by id prefix, and shows customer names', async () => {
    const id = made['spoof']!;
    await app.apiKeys.relabel(host.owner.customer, 'Web shop');
    for (const prefix of [id.slice(0, 8), id.slice(0, 6), id.slice(0, 20), id]) {
      const found = await search({ id: prefix });
      expect(namesOf(found)).toEqual(['spoof']);
      // A customer with a single key is shown by its label.
      const [{ key, customer }] = found.sessions as [SessionRowView];
      expect([key.label, customer]).toEqual(['Web shop', 'Web shop']);
    }
    expect(namesOf(await search({ id: id.slice(0, 8), kind: 'verification' }))).toEqual([]);
    const short = await admin.call('POST /console/api/sessions/search', { body: { id: '%' } });
    expect(short.statusCode).toBe(400);
  });

  it('filters by key', async () => {
    const { keys } = (await admin.call('GET /console/api/sessions/choices')).json();
    expect(namesOf(await search({ key: keys[0].id }))).toHaveLength(5);
  });

  it('is sent again only after a change', async () => {
    const { version } = await search({});
    expect(await search({ version })).toEqual({ version });
    const { body } = await host.create();
    expect((await search({ version })).sessions).toHaveLength(6);
    await host.redact(body.token);
    expect((await search({ version })).sessions).toBeUndefined();
  });

  it('continues after a page, each session once, even through a mark', async () => {
    const other = await startConsoleApp();
    const operator = await newOperator(other, 'auditor');
    const busy = await newHost(other);
    for (let nth = 0; nth < 53; nth += 1) {
      const { body } = await busy.create();
      await busy.simulate(body.token, { outcome: 'above' });
      if (nth % 3 === 0) other.clock.advance(1);
    }
    for (const filters of [{}, { outcome: 'AGE_ABOVE_THRESHOLD' }]) {
      const page = async (after?: string) => {
        const body = { ...filters, ...(after !== undefined && { after }) };
        return (await operator.call('POST /console/api/sessions/search', { body })).json<SessionPageView>();
      };
      const first = await page();
      const second = await page(first.next);
      const ids = [...first.sessions!, ...second.sessions!].map(({ id }) => id);
      expect([first.sessions!.length, ids.length, new Set(ids).size, second.next]).toEqual([50, 53, 53, undefined]);
    }
  });

  it('refuses a forged cursor', async () => {
    const reply = await admin.call('POST /console/api/sessions/search', { body: { after: "1' or 1=1" } });
    expect(reply.statusCode).toBe(400);
  });

  it('marks an edited row and shows the others', async () => {
    const id = await ageSession('above');
    await app.database.queries
      .updateTable('sessions')
      .set({ customer: 'somebody else' as never })
      .where('id', '=', id as never)
      .execute();
    const { sessions } = await search({});
    expect(sessions!.filter(({ isUnreadable }) => isUnreadable).map((session) => session.id)).toEqual([id]);
    await app.database.queries
      .deleteFrom('sessions')
      .where('id', '=', id as never)
      .execute();
  });
});

describe('a session', () => {
  const view = async (name: string, operator = admin) =>
    (await operator.call('GET /console/api/sessions/:id', { ids: [made[name]!] })).json<SessionView>();

  it('is explained in words', async () => {
    const { risk, explanations, errors } = await view('spoof');
    expect(risk).toMatchObject({ recommendation: 'BLOCK', level: 'CRITICAL', score: 75 });
    expect(explanations).toEqual([
      {
        code: 'FACE_SPOOF',
        signal: 'behavioral',
        weight: 75,
        atBest: 'BLOCK',
        meaning: 'The face was a picture, a screen or a mask (error 1).',
        innocent: 'poor light, strong reflections',
      },
    ]);
    expect(errors).toEqual([{ code: 1, message: 'Image spoof' }]);
  });

  it('shows its timeline and webhooks without paths, tokens and personal data', async () => {
    const shown = await view('above');
    expect(shown.timeline.map(({ what }) => what)).toEqual(['created', 'ended', 'webhook']);
    expect(shown.deliveries[0]).toMatchObject({ url: 'http://localhost:9', state: 'pending' });
    const text = JSON.stringify(shown);
    expect(text).not.toContain('secret');
    expect(text).not.toContain('onerror');
    expect(text).not.toContain('order-7');
  });

  it('reveals personal data on request and audits it', async () => {
    const reply = await admin.call('POST /console/api/sessions/:id/reveal', { ids: [made['above']!] });
    expect(reply.json().metadata).toBe(JSON.stringify({ note: SCRIPT }));
    expect(reply.headers['content-type']).toContain('application/json');
    expect(reply.body).not.toContain('token');
    const { lines } = (await admin.call('GET /console/api/audit')).json();
    expect(lines).toContainEqual(expect.objectContaining({ act: 'session.reveal', about: made['above'] }));
  });

  it('is audited when opened, but not when polled', async () => {
    const operator = await newOperator(app, 'auditor');
    const headers = { 'x-limen-refresh': '1' };
    // The first view counts, even with a refresh header.
    for (let look = 0; look < 3; look += 1) {
      await operator.call('GET /console/api/sessions/:id', { ids: [made['webgl']!], headers });
    }
    const { lines } = (await operator.call('GET /console/api/audit')).json();
    const own = lines.filter((line: { operator: string }) => line.operator === operator.name);
    expect(own.map((line: { act: string }) => line.act)).toEqual(['audit.view', 'session.view', 'passkey.register']);
  });

  it('keeps search texts out of the audit log', async () => {
    await search({ transactionId: 'a-transaction-to-look-for' });
    const { lines } = (await admin.call('GET /console/api/audit')).json();
    const line = lines.find((one: { act: string }) => one.act === 'session.search');
    expect(line.about).toMatch(/^[\w-]{43}$/);
  });

  it('of the live world hides personal data from a developer', async () => {
    const developer = await newOperator(app, 'developer');
    const live = await newHost(app, 'live');
    const { body } = await live.create({ metadata: { note: 'personal' } });
    const ids = [new URL(body.launchUrl).searchParams.get('sessionId')!];
    expect((await developer.call('POST /console/api/sessions/:id/reveal', { ids })).statusCode).toBe(403);
    const test = { ids: [made['above']!] };
    expect((await developer.call('POST /console/api/sessions/:id/reveal', test)).statusCode).toBe(200);
    await live.redact(body.token);
  });

  it('is deleted with its marks when redacted', async () => {
    const id = await ageSession('spoof');
    const marks = async () =>
      (
        await app.database.queries
          .selectFrom('session_marks')
          .selectAll()
          .where('session_id', '=', id as never)
          .execute()
      ).length;
    expect(await marks()).toBe(3);
    const body = await admin.confirm('session.redact', id);
    const reply = await admin.call('POST /console/api/sessions/:id/redact', { ids: [id], body });
    expect(reply.statusCode).toBe(200);
    expect((await admin.call('GET /console/api/sessions/:id', { ids: [id] })).statusCode).toBe(404);
    expect(await marks()).toBe(0);
  });

  it.each(['wallet', 'age_key'])('shows that it accepts a %s and is based on it', async (proof) => {
    const { body } = await host.create({ acceptedProofs: ['wallet', 'age_key'] });
    const ids = [new URL(body.launchUrl).searchParams.get('sessionId')!];
    const look = async () => (await admin.call('GET /console/api/sessions/:id', { ids })).json<SessionView>();
    expect(await look()).toMatchObject({ acceptedProofs: ['age_key', 'wallet'], source: null });
    await host.simulate(body.token, { outcome: 'above', proof });
    expect(await look()).toMatchObject({ source: proof });
  });

  it('lists each failed webhook attempt', async () => {
    await app.jobs.runDue();
    const first = app.clock.now();
    app.clock.advance(6_000);
    await app.jobs.runDue();
    const { timeline, deliveries } = await view('spoof');
    const tries = [first, app.clock.now()].map((at) => ({ at, outcome: 'unreachable' }));
    expect(deliveries[0]).toMatchObject({ state: 'pending', attempts: 2, nextAttemptAt: expect.any(String), tries });
    expect(timeline.map(({ what }) => what)).toEqual(['created', 'ended', 'webhook', 'tried', 'tried']);
    expect(timeline.slice(-2)).toMatchObject(tries);
  });
});
