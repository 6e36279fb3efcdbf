// The review queue: sessions that end with REVIEW wait, are decided once, and notify the host.

import type { LogEntry } from '@limen/plan';
import { verifyWebhook } from '@limen/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleApp, newOperator, startConsoleApp, type TestOperator } from '#testing/console/console-app.ts';
import { newHost } from '#testing/session-app.ts';
import { type ReceivedWebhook, type Receiver, startReceiver } from '#testing/webhooks/receiver.ts';
import { named, type SessionId } from '../../platform/base/ids.ts';
import { defineRecurringJob } from '../../platform/jobs/job.ts';
import { newChannelState } from '../../sessions/device/state.ts';
import type { CaseFilters, CasePageView, CaseView } from './views.ts';

const HOUR = 60 * 60_000;
/** Recurring jobs of the service. */
const TIMERS = ['sessions.purge', 'webhooks.purge', 'review.purge'];
const FLAG = 'LIGHT_NOT_AS_DRAWN';

let app: ConsoleApp;
let reviewer: TestOperator;
let receiver: Receiver;
let host: Awaited<ReturnType<typeof newHost>>;

beforeAll(async () => {
  receiver = await startReceiver(() => 200, afterAll);
  app = await startConsoleApp({ atEnd: afterAll, environment: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  reviewer = await newOperator(app, 'reviewer', 'Rita');
  host = await newHost(app);
  await app.database.transact(async (trx) => {
    for (const kind of TIMERS)
      await app.jobs.enqueue(trx, defineRecurringJob(kind, 1), null, { uniqueKey: 'recurring' });
  });
});

interface Made {
  token: string;
  sessionId: string;
}

/** Creates an age session that ends with REVIEW. */
async function reviewable(from = host, callback = true): Promise<Made> {
  const { body } = await from.create(callback ? { callback: { url: receiver.url } } : {});
  await from.simulate(body.token, { outcome: 'above', flags: [FLAG] });
  app.clock.advance(1_000);
  return { token: body.token, sessionId: new URL(body.launchUrl).searchParams.get('sessionId')! };
}

async function search(filters: CaseFilters & { after?: string; version?: string } = {}, by = reviewer) {
  const reply = await by.call('POST /console/api/review/search', { body: filters });
  expect(reply.statusCode).toBe(200);
  return reply.json<CasePageView>();
}

async function caseOf({ sessionId }: Made): Promise<CaseView> {
  const found = [...(await search()).cases!, ...(await search({ state: 'decided' })).cases!];
  const row = found.find(({ about }) => about === sessionId);
  if (!row) throw new Error('no case was opened');
  return (await reviewer.call('GET /console/api/review/:id', { ids: [row.id] })).json();
}

/** Advances the clock, which signs everyone out. */
async function wait(ms: number): Promise<void> {
  app.clock.advance(ms);
  await work();
  app.clock.advance(60_000); // makes rescheduled jobs due again
  await work();
  reviewer = await newOperator(app, 'reviewer');
}

const act = (name: 'assign' | 'comment' | 'decide', id: string, body: object, by = reviewer) =>
  by.call(`POST /console/api/review/:id/${name}`, { ids: [id], body });

async function work(): Promise<ReceivedWebhook[]> {
  while ((await app.jobs.runDue()) > 0);
  return receiver.received;
}

/** Acts on a case in the audit log, newest first. */
async function actsOn(id: string): Promise<string[]> {
  const admin = await newOperator(app, 'admin');
  const { lines } = (await admin.call('GET /console/api/audit')).json<{
    lines: { act: string; about: string | null }[];
  }>();
  return lines.filter(({ about }) => about?.startsWith(id)).map(({ act, about }) => `${act} ${about}`);
}

describe('a session that ended with REVIEW', () => {
  it('waits in the queue with its reasons in words and without personal data', async () => {
    const made = await reviewable();
    const found = await caseOf(made);
    expect(found).toMatchObject({
      kind: 'session',
      state: 'open',
      world: 'test',
      about: made.sessionId,
      session: { operation: 'age', outcome: 'AGE_ABOVE_THRESHOLD', flags: [FLAG] },
      hasSession: true,
      verdicts: ['ALLOW', 'BLOCK'],
      notes: [{ act: 'opened', by: null }],
    });
    expect(found.explanations.map(({ code }) => code)).toEqual([FLAG]);
    expect(found.dueAt - found.createdAt).toBe(24 * HOUR);
    expect(JSON.stringify(found)).not.toContain(receiver.url);
  });

  it('shows the transaction id on request and audits it', async () => {
    const post = async (url: string, payload: object) =>
      (await app.http.inject({ method: 'POST', url, headers: { 'x-api-key': host.apiKey }, payload })).json();
    const asked = { type: 'SIGN-IN', locale: 'en', redirectURL: 'https://shop.example/', transactionID: 'order-7' };
    const callback = { url: receiver.url };
    const { sessionId } = await post('/v2/verification-session', { ...asked, callback });
    await post(`/v2/verification-session/${sessionId}/simulate`, { outcome: 'success', flags: [FLAG] });
    const found = await caseOf({ sessionId, token: '' });
    expect(JSON.stringify(found)).not.toContain('order-7');
    const told = await reviewer.call('POST /console/api/review/:id/transaction', { ids: [found.id] });
    expect(told.json()).toEqual({ transactionId: 'order-7' });
    const lines = app.database.queries.selectFrom('audit_lines').select('act').orderBy('seq', 'desc');
    expect((await lines.executeTakeFirstOrThrow()).act).toBe('case.reveal');
  });

  it('is decided once, notifies the host by signed webhook and in the result, and keeps its risk', async () => {
    const made = await reviewable();
    const before = (await host.result(made.token)).body;
    expect(before.review).toBeUndefined();
    const { id } = await caseOf(made);
    await work();
    const told = receiver.received.length;
    const decided = await act('decide', id, { verdict: 'ALLOW', reason: 'The lamp behind her.' });
    expect(decided.json()).toMatchObject({ state: 'decided', decided: { verdict: 'ALLOW', by: 'Rita' } });
    const [received, ...more] = (await work()).slice(told);
    expect(more).toEqual([]);
    const now = () => Number(received!.headers['x-service-timestamp']) * 1000;
    const webhook = await verifyWebhook(received!.body, received!.headers, host.apiKey, { now });
    const review = { decision: 'ALLOW', decidedAt: expect.any(String) };
    expect(webhook).toMatchObject({ event: 'review.decided', body: { sessionId: made.sessionId, review } });
    expect((await host.result(made.token)).body).toEqual({ ...before, review: JSON.parse(received!.body).review });
    const again = await act('decide', id, { verdict: 'BLOCK', reason: 'On second thoughts' });
    expect([again.statusCode, again.headers['x-error-code']]).toEqual([409, 'case_decided']);
    expect((await act('assign', id, { operator: null })).statusCode).toBe(409);
    // The refused decision is not recorded as done.
    expect(await actsOn(id)).toEqual([`case.decide ${id} ALLOW`, `case.view ${id}`]);
    const shown = (await reviewer.call('GET /console/api/sessions/:id', { ids: [made.sessionId] })).json();
    expect(shown.review).toEqual({ caseId: id, state: 'decided', verdict: 'ALLOW' });
  });

  it('accepts one of two concurrent decisions', async () => {
    const { id } = await caseOf(await reviewable());
    const both = await Promise.all([
      act('decide', id, { verdict: 'ALLOW', reason: 'one' }),
      act('decide', id, { verdict: 'BLOCK', reason: 'other' }),
    ]);
    expect(both.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409]);
  });

  it('leaves the queue when its host redacts it', async () => {
    const made = await reviewable();
    const { id } = await caseOf(made);
    await act('comment', id, { text: 'hm' });
    await host.redact(made.token);
    expect((await reviewer.call('GET /console/api/review/:id', { ids: [id] })).statusCode).toBe(404);
    expect(
      await app.database.queries.selectFrom('review_notes').where('case_id', '=', id).selectAll().execute(),
    ).toEqual([]);
  });

  it.each(['above', 'spoof', 'cancelled', 'expired'])('gets no case if it ended as %s', async (outcome) => {
    const { body } = await host.create();
    await host.simulate(body.token, { outcome });
    const sessionId = new URL(body.launchUrl).searchParams.get('sessionId')!;
    await expect(caseOf({ token: body.token, sessionId })).rejects.toThrow('no case');
  });
});

describe('a case', () => {
  it("shows the session's course even after its deletion, without an age", async () => {
    const { body } = await host.create({
      callback: { url: receiver.url },
      requirements: ['face', 'identity_document'],
    });
    const sessionId = new URL(body.launchUrl).searchParams.get('sessionId')!;
    const id = named<SessionId>(sessionId);
    const openedAt = app.clock.now();
    const log: LogEntry[] = [
      ['started', 0, 1_000],
      ['finished', 0, 9_000],
      ['started', 1, 10_000],
    ];
    await app.database.transact(app.deviceChannels!.toInsert(id, { ...newChannelState(openedAt), log }));
    app.clock.advance(20_000);
    await host.simulate(body.token, { outcome: 'above', documentAge: 31, flags: [FLAG] });
    await work();
    const made = { token: body.token, sessionId };
    const before = await caseOf(made);
    expect(before.evidence).toMatchObject({ requirements: ['face', 'identity_document'], errors: [] });
    expect(before.evidence!.signals!.behavioral).toMatchObject({ score: expect.any(Number) });
    expect(before.evidence!.timeline.map(({ what, at }) => [what, at === null ? at : at - openedAt])).toEqual([
      ['created', 0],
      ['opened', 0],
      ['started', 1_000],
      ['finished', 9_000],
      ['started', 10_000],
      ['ended', 20_000],
      ['webhook', 20_000],
      ['delivered', 20_000],
    ]);
    await wait(25 * HOUR);
    const after = await caseOf(made);
    expect(after.hasSession).toBe(false);
    expect(after.evidence).toEqual(before.evidence);
    expect(await app.deviceChannels!.find(id)).toBeUndefined();
    expect(JSON.stringify(after)).not.toMatch(/documentAge|exact|lowerBound|estimate/);
    // The delivery log may end before the case.
    await app.database.queries.deleteFrom('webhook_deliveries').where('session_id', '=', id).execute();
    expect((await caseOf(made)).evidence).toEqual(before.evidence);
    await act('decide', after.id, { verdict: 'ALLOW', reason: 'Clear.' });
    await work();
    const { timeline } = (await caseOf(made)).evidence!;
    expect(timeline.slice(-2).map(({ what }) => what)).toEqual(['webhook', 'delivered']);
    expect(timeline).toHaveLength(before.evidence!.timeline.length + 2);
  });

  it('is opened for a failed sign-in only if a flag was raised', async () => {
    const signIn = async (flags: string[]) => {
      const created = await host.call<{ sessionId: string }>('POST', '/v2/verification-session', {
        ...{ type: 'SIGN-IN', locale: 'en', redirectURL: 'https://shop.example/in', callback: { url: receiver.url } },
      });
      const url = `/v2/verification-session/${created.body.sessionId}/simulate`;
      const ended = await host.call<object>('POST', url, { outcome: 'not_recognized', flags });
      expect(ended.body).toMatchObject({ riskEvaluation: { recommendation: 'REVIEW' } });
      return { token: '', sessionId: created.body.sessionId };
    };
    await expect(caseOf(await signIn([]))).rejects.toThrow('no case');
    expect(await caseOf(await signIn(['CAMERA_VIRTUAL_SOFTWARE']))).toMatchObject({
      session: { operation: 'SIGN-IN', outcome: 'FAILED', flags: ['CAMERA_VIRTUAL_SOFTWARE'] },
    });
  });

  it('of a deleted verification session can be deleted by its host, by id', async () => {
    const { body } = await host.call<{ sessionId: string }>('POST', '/v2/verification-session', {
      ...{ type: 'SIGN-IN', locale: 'en', redirectURL: 'https://shop.example/in', callback: { url: receiver.url } },
    });
    const path = `/v2/verification-session/${body.sessionId}`;
    await host.call('POST', `${path}/simulate`, { outcome: 'not_recognized', flags: ['CAMERA_VIRTUAL_SOFTWARE'] });
    const aged = await reviewable();
    await wait(25 * HOUR);
    expect((await (await newHost(app)).call('DELETE', path)).status).toBe(404);
    expect((await host.call('DELETE', path)).status).toBe(204);
    expect((await host.call('DELETE', path)).status).toBe(404);
    await expect(caseOf({ token: '', sessionId: body.sessionId })).rejects.toThrow('no case');
    // Hosts cannot use the id of an age session.
    expect((await host.call('DELETE', `/v2/verification-session/${aged.sessionId}`)).status).toBe(404);
    await caseOf(aged);
  });

  it('outlives its session until the decision, and the webhook is still sent', async () => {
    const made = await reviewable();
    const { id } = await caseOf(made);
    await work();
    await wait(25 * HOUR);
    expect((await host.result(made.token)).status).toBe(404);
    const { customer } = host.owner;
    const key = { id: customer, label: null };
    expect(await caseOf(made)).toMatchObject({ hasSession: false, isOverdue: true, key, customer });
    const told = receiver.received.length;
    expect((await act('decide', id, { verdict: 'BLOCK', reason: 'no' })).statusCode).toBe(200);
    expect((await work()).slice(told).map(({ body }) => JSON.parse(body))).toMatchObject([
      { event: 'review.decided', sessionId: made.sessionId, review: { decision: 'BLOCK' } },
    ]);
    await wait(24 * HOUR + 60_000);
    expect((await reviewer.call('GET /console/api/review/:id', { ids: [id] })).statusCode).toBe(404);
  });

  it('is deleted after REVIEW_DAYS, and the log reports the missing decision', async () => {
    const made = await reviewable();
    const { id } = await caseOf(made);
    await wait(14 * 24 * HOUR + 60_000);
    expect((await reviewer.call('GET /console/api/review/:id', { ids: [id] })).statusCode).toBe(404);
    expect(app.logged()).toMatch(/"cases":\d+.*undecided cases/);
  });

  it('is taken, commented on and released, with each author in its history', async () => {
    const { id } = await caseOf(await reviewable());
    const other = await newOperator(app, 'reviewer', 'Otto');
    const { reviewers } = (await reviewer.call('GET /console/api/review/reviewers')).json();
    const idOf = (name: string) => reviewers.find((one: { name: string }) => one.name === name)?.id;
    // Reviewers who cannot sign in are not offered.
    const { operator: invited } = (await app.operators.invite('Ida, invited', 'reviewer'))!;
    expect(idOf(invited.name)).toBeUndefined();
    expect((await act('assign', id, { operator: invited.id })).statusCode).toBe(400);
    expect((await act('assign', id, { operator: idOf('Otto') })).json()).toMatchObject({
      assignee: { name: 'Otto', isMe: false },
    });
    expect((await search({ assignee: 'me' }, other)).cases).toMatchObject([{ id }]);
    expect((await search({ assignee: 'nobody' })).cases!.map((one) => one.id)).not.toContain(id);
    await act('comment', id, { text: ' <b>look at the light</b> ' }, other);
    await act('assign', id, { operator: null }, other);
    expect((await reviewer.call('GET /console/api/review/:id', { ids: [id] })).json().notes).toMatchObject([
      { act: 'opened' },
      { act: 'assigned', by: reviewer.name, text: 'Otto' },
      { act: 'comment', by: 'Otto', text: '<b>look at the light</b>' },
      { act: 'released', by: 'Otto' },
    ]);
    const auditor = await newOperator(app, 'auditor', 'Aura');
    const all = (await app.operators.list()).find(({ name }) => name === auditor.name)!;
    expect((await act('assign', id, { operator: all.id })).statusCode).toBe(400);
  });

  it.each([
    ['decide', { verdict: 'confirmed', reason: 'x' }],
    ['decide', { verdict: 'ALLOW', reason: '   ' }],
    ['decide', { verdict: 'ALLOW' }],
    ['comment', { text: ' ' }],
    ['assign', { operator: 'nobody-known' }],
  ] as const)('refuses %s with %j', async (name, body) => {
    const { id } = await caseOf(await reviewable(host, false));
    expect((await act(name, id, body)).statusCode).toBe(400);
    expect((await reviewer.call('GET /console/api/review/:id', { ids: [id] })).json().state).toBe('open');
  });

  it('is shown as edited if its row was changed, and cannot be decided', async () => {
    const made = await reviewable();
    const { id } = await caseOf(made);
    await app.database.queries.updateTable('review_cases').set({ due_at: 5 }).where('id', '=', id).execute();
    expect((await search()).cases![0]).toMatchObject({ id, isUnreadable: true, session: null });
    expect((await act('decide', id, { verdict: 'ALLOW', reason: 'x' })).statusCode).toBe(404);
    await host.redact(made.token);
  });

  it('leaves an audit line for each view and act, without the text', async () => {
    const { id } = await caseOf(await reviewable());
    await act('comment', id, { text: 'a word between us' });
    await act('decide', id, { verdict: 'BLOCK', reason: 'another word' });
    const acts = await actsOn(id);
    expect(acts).toEqual([`case.decide ${id} BLOCK`, `case.comment ${id}`, `case.view ${id}`]);
    expect(acts.join()).not.toContain('word');
  });
});

describe('the review queue', () => {
  it('lists the earliest deadline first, continues after a page, and is sent again only after a change', async () => {
    const other = await newHost(app, 'live');
    expect((await search({ world: 'live' })).cases).toEqual([]);
    const key = (await app.apiKeys.list()).find(({ kind }) => kind === 'live')!.id;
    expect((await search({ key })).cases).toEqual([]);
    expect(other.owner.world).toBe('live');
    for (let nth = 0; nth < 52; nth += 1) await reviewable(host, false);
    const first = await search();
    const second = await search({ after: first.next! });
    const all = [...first.cases!, ...second.cases!];
    expect([first.cases!.length, new Set(all.map(({ id }) => id)).size]).toEqual([50, all.length]);
    expect(all.map(({ dueAt }) => dueAt)).toEqual(all.map(({ dueAt }) => dueAt).sort((one, two) => one - two));
    expect(first.counts.open).toBe(all.length);
    expect(await search({ version: first.version })).toEqual({ version: first.version, counts: first.counts });
    expect((await search({ overdue: true })).cases).toEqual([]);
    expect((await reviewer.call('POST /console/api/review/search', { body: { after: 'x' } })).statusCode).toBe(400);
  });
});

describe('a second pair of eyes', () => {
  it('confirms or reopens a proposal, and is never its author', async () => {
    const strict = await startConsoleApp({ environment: { REVIEW_EYES: '2', WEBHOOK_ALLOW_PRIVATE: 'true' } });
    const [first, second] = [
      await newOperator(strict, 'reviewer', 'First'),
      await newOperator(strict, 'reviewer', 'Second'),
    ];
    const theirs = await newHost(strict);
    const { body } = await theirs.create({ callback: { url: receiver.url } });
    await theirs.simulate(body.token, { outcome: 'above', flags: [FLAG] });
    while ((await strict.jobs.runDue()) > 0);
    const told = receiver.received.length;
    const [{ id }] = (await search({}, first)).cases as [CaseView];
    const say = (by: TestOperator, verdict: string) => act('decide', id, { verdict, reason: verdict }, by);

    expect((await say(first, 'ALLOW')).json()).toMatchObject({ state: 'proposed', proposed: { isMine: true } });
    expect((await say(first, 'ALLOW')).headers['x-error-code']).toBe('second_pair_needed');
    expect((await say(second, 'BLOCK')).json()).toMatchObject({ state: 'open', proposed: null, decided: null });
    expect((await say(second, 'BLOCK')).json()).toMatchObject({ state: 'proposed' });
    expect((await theirs.result(body.token)).body.review).toBeUndefined();
    expect((await say(first, 'BLOCK')).json()).toMatchObject({ state: 'decided', decided: { verdict: 'BLOCK' } });
    while ((await strict.jobs.runDue()) > 0);
    expect(receiver.received.length).toBe(told + 1);
    expect((await theirs.result(body.token)).body.review?.decision).toBe('BLOCK');
  });
});
