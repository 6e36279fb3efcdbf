// The SDK's decide() for verification sessions: every outcome of the test mode, by webhook and by
// result. The examples' test covers age sessions.
import { PATIENCE } from '@limen/testing/patience.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { decideSession, newOperator, ORIGIN, type TestOperator } from '../apps/server/testing/console/console-app.ts';
import { createManualClock } from '../apps/server/testing/manual-clock.ts';
import { startTestApp, type TestApp } from '../apps/server/testing/test-app.ts';
import { type Receiver, startReceiver } from '../apps/server/testing/webhooks/receiver.ts';
import {
  type CreateVerificationSessionRequest,
  createLimenClient,
  decide,
  type HostDecision,
  type LimenClient,
  type SimulateVerificationSessionRequest,
} from '../packages/sdk/src/index.ts';

let app: TestApp;
let limen: LimenClient;
let receiver: Receiver;
let reviewer: TestOperator;

beforeAll(async () => {
  app = await startTestApp({
    atEnd: afterAll,
    environment: { SERVE: 'core,console', CONSOLE_URL: `${ORIGIN}/console` },
  });
  receiver = await startReceiver(() => 204, afterAll);
  const { apiKey } = await app.apiKeys.create({ kind: 'test', clientCredentials: false });
  limen = createLimenClient({ baseUrl: await app.listen(), apiKey });
  await app.jobs.start();
  reviewer = await newOperator({ ...app, clock: createManualClock() }, 'reviewer');
});

type Settings = Partial<CreateVerificationSessionRequest> & Pick<CreateVerificationSessionRequest, 'type'>;

async function play(settings: Settings, ending: SimulateVerificationSessionRequest) {
  const common = { redirectURL: 'https://shop.example/', callback: { url: receiver.url }, locale: 'en' };
  const { sessionId } = await limen.verificationSessions.create({ ...common, ...settings });
  const result = () => limen.verificationSessions.getResult(sessionId);
  expect(decide(await result())).toEqual({ action: 'wait', reason: 'not_ended' });
  await limen.verificationSessions.simulate(sessionId, ending);
  return { sessionId, result };
}

/** Bodies of all webhooks of a session, in order. */
async function webhooksOf(sessionId: string, count: number): Promise<unknown[]> {
  const about = () =>
    receiver.received.map(({ body }) => JSON.parse(body)).filter((body) => body.sessionId === sessionId);
  await expect.poll(() => about().length, PATIENCE).toBe(count);
  return about();
}

const ENROLL = { type: 'ENROLL' } as const;
const SIGN_IN = { type: 'SIGN-IN' } as const;
const VERIFY = { type: 'VERIFY', userId: 'a-puid' } as const;
const DOCUMENT = { requirements: ['face', 'identity_document'] } as const;

it.each<[Settings, SimulateVerificationSessionRequest, HostDecision['reason'], HostDecision['reason']?]>([
  [ENROLL, { outcome: 'success' }, 'allowed'],
  [SIGN_IN, { outcome: 'success', puid: 'a-puid' }, 'allowed'],
  [VERIFY, { outcome: 'success' }, 'allowed'],
  [{ ...ENROLL, contact: ['email'] }, { outcome: 'success', contactInformation: { email: 'a@b.example' } }, 'allowed'],
  [SIGN_IN, { outcome: 'success', newDevice: true }, 'in_review'],
  [ENROLL, { outcome: 'success', flags: ['NEW_DEVICE'] }, 'in_review'],
  [SIGN_IN, { outcome: 'success', flags: ['CROSS_DEVICE'] }, 'in_review'],
  [ENROLL, { outcome: 'success', flags: ['BEHAVIOR_REPLAY'] }, 'blocked'],
  [VERIFY, { outcome: 'success', flags: ['BEHAVIOR_REPLAY'] }, 'blocked'],
  // The webhook of a failed SIGN-IN or VERIFY does not contain the risk.
  [SIGN_IN, { outcome: 'spoof' }, 'blocked', 'failed'],
  [ENROLL, { outcome: 'spoof' }, 'blocked'],
  [SIGN_IN, { outcome: 'not_recognized', retryAfter: 60 }, 'failed'],
  [VERIFY, { outcome: 'not_recognized' }, 'failed'],
  [
    { ...ENROLL, ...DOCUMENT, requirements: [...DOCUMENT.requirements] },
    { outcome: 'not_recognized', errorCode: -9 },
    'blocked',
  ],
  [SIGN_IN, { outcome: 'cancelled', errorCode: -7 }, 'not_completed'],
  [ENROLL, { outcome: 'expired' }, 'not_completed'],
])(
  'decides on %j and %j equally by result and by webhook: %s',
  async (settings, ending, reason, byWebhook = reason) => {
    const { sessionId, result } = await play(settings, ending);
    const [webhook] = await webhooksOf(sessionId, 1);
    expect([decide(await result()).reason, decide(webhook).reason]).toEqual([reason, byWebhook]);
    expect(decide(webhook).action).toBe(decide(await result()).action);
  },
);

it.each([
  ['ALLOW', { action: 'admit', reason: 'review_allowed' }],
  ['BLOCK', { action: 'refuse', reason: 'review_blocked' }],
] as const)('follows a review of %s by result and by webhook', async (verdict, decision) => {
  const { sessionId, result } = await play(SIGN_IN, { outcome: 'success', newDevice: true });
  expect(decide(await result())).toEqual({ action: 'wait', reason: 'in_review' });
  expect((await decideSession(reviewer, sessionId, verdict)).statusCode).toBe(200);
  const [, settled] = await webhooksOf(sessionId, 2);
  expect([decide(await result()), decide(settled)]).toEqual([decision, decision]);
});
