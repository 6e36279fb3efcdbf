// Progress of a check, the meaning of its result for a host, and whether a phone can open it.
import type { AgeSessionResult, VerificationSessionResult } from '@limen/sdk';
import { expect, it } from 'vitest';
import type { CheckView, ExchangeView, WebhookView } from '../server/check-view.ts';
import { explainDecision } from './explain-decision.ts';
import { phoneHint } from './phone-hint.ts';
import { listStations } from './timeline.ts';

const exchange = (status: number, body: unknown = {}, at = 1_000): ExchangeView => ({
  at,
  request: { method: 'POST', url: 'http://x/session', headers: {}, body: {}, metadata: null },
  reply: { status, headers: {}, body, metadata: null },
});
const webhook = (verified: boolean): WebhookView => ({
  at: 4_000,
  headers: {},
  body: {},
  metadata: null,
  verified,
  event: verified ? 'age_session.ended' : null,
  hasPicture: false,
  problem: null,
});
const CREATED: CheckView = {
  id: 'a',
  kind: 'age',
  createdAt: 1_000,
  create: exchange(201),
  launchUrl: 'http://x/launch',
  expiresAt: null,
  state: 'created',
  openedAt: null,
  simulate: null,
  webhooks: [],
  result: null,
};
const states = (check: CheckView) => listStations(check).map(({ state }) => state);

it('waits for the person once there is a session', () => {
  expect(states(CREATED)).toEqual(['done', 'done', 'next', 'waiting', 'waiting']);
});

it('advances station by station to the result', () => {
  const opened: CheckView = { ...CREATED, state: 'opened', openedAt: 3_500 };
  expect(states(opened)).toEqual(['done', 'done', 'done', 'next', 'waiting']);
  expect(listStations(opened)[2]!.note).toBe('after 2.5 s');
  const told: CheckView = { ...opened, state: 'completed', webhooks: [webhook(true)] };
  expect(states(told)).toEqual(['done', 'done', 'done', 'done', 'next']);
  const known = { ...told, result: exchange(200, { flowStatus: 'COMPLETED' }, 62_000) };
  expect(states(known)).toEqual(['done', 'done', 'done', 'done', 'done']);
  expect(listStations(known)[4]!.note).toBe('after 1 min');
});

it('does not count a result without an end', () => {
  expect(states({ ...CREATED, result: exchange(200, {}) })[4]).toBe('waiting');
});

it('does not count a pending face as a result', () => {
  const check: CheckView = { ...CREATED, kind: 'verification' };
  expect(listStations(check)[0]!.note).toBe('POST /v2/verification-session');
  expect(states({ ...check, result: exchange(200, { status: 'PENDING' }) })[4]).toBe('waiting');
  expect(states({ ...check, result: exchange(404, { error: 'not_found' }) })[4]).toBe('waiting');
  expect(states({ ...check, result: exchange(200, { status: 'FAILED' }) })[4]).toBe('done');
});

it('stops at a refusal, skips the person in a simulation, and marks forged webhooks', () => {
  expect(states({ ...CREATED, create: exchange(400) })).toEqual(['done', 'failed', 'waiting', 'waiting', 'waiting']);
  expect(states({ ...CREATED, simulate: exchange(200) })).toEqual(['done', 'done', 'skipped', 'next', 'waiting']);
  expect(states({ ...CREATED, webhooks: [webhook(false)] })[3]).toBe('failed');
  expect(states({ ...CREATED, webhooks: [webhook(false), webhook(true)] })[3]).toBe('done');
});

const result = (sessionStatus: string, recommendation: string, codes: number[] = [], flowStatus = 'COMPLETED') =>
  ({
    flowStatus,
    sessionStatus,
    riskEvaluation: { recommendation },
    errors: codes.map((code) => ({ code, message: '' })),
  }) as unknown as AgeSessionResult;

it.each([
  ['AGE_ABOVE_THRESHOLD', 'ALLOW', [], 'yes'],
  ['AGE_AT_THRESHOLD', 'ALLOW', [], 'yes'],
  ['AGE_ABOVE_THRESHOLD', 'REVIEW', [], 'review'],
  ['AGE_ABOVE_THRESHOLD', 'BLOCK', [], 'no'],
  ['AGE_BELOW_THRESHOLD', 'BLOCK', [], 'no'],
  ['AGE_BELOW_THRESHOLD', 'REVIEW', [], 'review'],
  ['AGE_UNKNOWN', 'BLOCK', [1], 'no'],
])('turns %s with %s and errors %j into %s', (status, risk, codes, answer) => {
  expect(explainDecision(result(status, risk, codes))?.answer).toBe(answer);
});

it('offers another attempt after a cancelled check', () => {
  expect(explainDecision(result('AGE_UNKNOWN', 'REVIEW', [-5], 'CANCELLED'))?.answer).toBe('again');
});

it('shows the reviewer’s decision', () => {
  const reviewed = (decision: 'ALLOW' | 'BLOCK') =>
    explainDecision({
      ...result('AGE_BELOW_THRESHOLD', 'REVIEW'),
      review: { decision, decidedAt: '2026-03-01T12:00:00.000Z' },
    });
  expect(reviewed('ALLOW')).toMatchObject({ answer: 'yes', why: expect.stringContaining('reviewer') });
  expect(reviewed('BLOCK')).toMatchObject({ answer: 'no', why: expect.stringContaining('reviewer') });
});

const face = (type: string, status: string, recommendation: string) =>
  ({ type, status, message: 'Image spoof', riskEvaluation: { recommendation } }) as VerificationSessionResult;

it.each([
  ['ENROLL', 'SUCCESS', 'ALLOW', 'yes'],
  ['SIGN-IN', 'SUCCESS', 'ALLOW', 'yes'],
  ['VERIFY', 'SUCCESS', 'ALLOW', 'yes'],
  ['SIGN-IN', 'SUCCESS', 'REVIEW', 'review'],
  ['SIGN-IN', 'SUCCESS', 'BLOCK', 'no'],
  ['SIGN-IN', 'FAILED', 'ALLOW', 'no'],
  ['ENROLL', 'CANCELLED', 'ALLOW', 'again'],
  ['VERIFY', 'EXPIRED', 'REVIEW', 'again'],
])('turns %s with %s and %s into %s', (type, status, risk, answer) => {
  expect(explainDecision(face(type, status, risk))?.answer).toBe(answer);
});

it('refuses a success without a risk', () => {
  const { riskEvaluation: _, ...unrated } = face('SIGN-IN', 'SUCCESS', 'ALLOW');
  expect(explainDecision(unrated)?.answer).toBe('no');
});

it('decides nothing before the end', () => {
  expect(explainDecision(face('ENROLL', 'PENDING', 'ALLOW'))).toBeUndefined();
  const { flowStatus: _, ...open } = result('AGE_UNKNOWN', 'ALLOW');
  expect(explainDecision(open as AgeSessionResult)).toBeUndefined();
});

it.each([
  ['http://127.0.0.1:8080/launch', 'loopback'],
  ['https://localhost:8080/launch', 'loopback'],
  ['http://[::1]:8080/launch', 'loopback'],
  ['http://192.168.1.7:8080/launch', 'insecure'],
  ['https://192.168.1.7:8080/launch', null],
  ['https://check.example/launch', null],
])('shows for %s on a phone the hint %s', (url, hint) => {
  expect(phoneHint(url)).toBe(hint);
});
