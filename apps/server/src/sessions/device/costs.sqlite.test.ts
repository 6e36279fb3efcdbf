// Raises the cost of scripts: missing browser data, early or repeated logs, bursts. Honest devices
// with slow phones, reloads, handoffs and outages are not flagged.
import type { AgeSessionResult } from '@limen/contract';
import type { LogEntry } from '@limen/plan';
import { describe, expect, it } from 'vitest';
import { asNextAttempt, followPlan, newDevice, underPlan, withoutLight } from '#testing/device.ts';
import { sealBox } from '#testing/handoff-box.ts';
import { newHost } from '#testing/session-app.ts';
import {
  type Claimed,
  claimSession,
  openSession,
  readPlan,
  sealFor,
  useDeviceApp,
} from '#testing/sessions/device-app.ts';
import type { KeyTraits } from '../../platform/api-keys/key-traits.ts';
import { toOwner } from '../../platform/api-keys/owner.ts';

const room = useDeviceApp({ BURST_PER_MINUTE: '3' });
const PUBLIC_ADDRESS = '8.8.8.8';

async function riskOf({ token }: Pick<Claimed, 'token'>, host = room.host) {
  const { riskEvaluation }: AgeSessionResult = (await host.result(token)).body;
  return { advice: riskEvaluation?.recommendation, flags: riskEvaluation?.flags, signals: riskEvaluation?.signals };
}

const ALLOWED = { advice: 'ALLOW', flags: [] };
/** Declined light, which is not held against people. */
const UNLIT = 'LIGHT_INCONCLUSIVE';

interface Served extends Claimed {
  /** Time by the service's clock. */
  servedAt: number;
}

async function claim(body: object = {}, host = room.host): Promise<Served> {
  return { ...(await claimSession({ ...room, host }, body)), servedAt: room.clock.now() };
}

/** Waits until this time after the plan was served. */
function passUntil({ servedAt }: Served, ms: number): void {
  room.clock.advance(Math.max(0, servedAt + ms - room.clock.now()));
}

/** Reports the first entry when it happens, and answers at the end of the log. */
async function finish(session: Served, log = session.log, other: object = {}) {
  passUntil(session, log[0]![2]);
  await session.device.report(session.id, 0, log.slice(0, 1));
  passUntil(session, log.at(-1)![2]);
  return session.device.answer(session.id, await sealFor(session, { ...other, log }));
}

describe('missing browser data', () => {
  it("causes at most a review, and counts with the browser's signals", async () => {
    const session = await claim();
    expect((await finish(session, session.log, { indicators: null })).status).toBe(200);
    expect(await riskOf(session)).toEqual({
      advice: 'REVIEW',
      flags: ['BROWSER_DATA_MISSING'],
      signals: {
        behavioral: { score: 0, flags: [] },
        browser: { score: 25, flags: ['BROWSER_DATA_MISSING'] },
      },
    });
  });

  it('means all groups: an answer with only some is malformed', async () => {
    const session = await claim();
    const reply = await finish(session, session.log, { indicators: { headless: [] } });
    expect([reply.status, (await riskOf(session)).advice]).toEqual([422, 'BLOCK']);
  });

  it('is not flagged in a native app or at an end without an answer', async () => {
    const { host } = await hostWith({ nativeApp: true, kiosk: false });
    const session = await claim({}, host);
    await finish(session, session.log, { indicators: null });
    expect(await riskOf(session, host)).toMatchObject(ALLOWED);
    const cancelled = await claim();
    await cancelled.device.cancel(cancelled.id);
    expect((await riskOf(cancelled)).flags).toEqual([]);
  });

  async function hostWith(traits: KeyTraits) {
    const host = await newHost(room.app);
    const record = (await room.app.apiKeys.list()).find((key) => toOwner(key).customer === host.owner.customer)!;
    await room.app.apiKeys.setTraits(record.id, traits);
    return { host, id: record.id };
  }

  it("is flagged once the key's exemption was edited", async () => {
    const { host, id } = await hostWith({ nativeApp: false, kiosk: false });
    await room.app.database.queries
      .updateTable('api_key_traits')
      .set({ native_app: 1 })
      .where('key_id', '=', id)
      .execute();
    const session = await claim({}, host);
    await finish(session, session.log, { indicators: null });
    expect((await riskOf(session, host)).flags).toEqual(['BROWSER_DATA_MISSING']);
  });
});

describe('a log ahead of time', () => {
  it.each([
    ['at once', 100],
    ['after the shortest capture, when the rest is still to come', 2_500],
  ])('is flagged, %s', async (_, afterMs) => {
    const session = await claim();
    const log = withoutLight(session.log);
    passUntil(session, afterMs);
    await session.device.report(session.id, 0, log.slice(0, 1));
    expect((await session.device.answer(session.id, await sealFor(session, { log }))).status).toBe(200);
    const { advice, flags } = await riskOf(session);
    expect(advice).not.toBe('ALLOW');
    expect(flags).toContain('BEHAVIOR_LOG_TOO_LONG');
  });

  it('is flagged even if the answer waits, because each report counts by itself', async () => {
    const session = await claim();
    const log = withoutLight(session.log);
    passUntil(session, 100);
    await session.device.report(session.id, 0, log);
    passUntil(session, 60_000);
    await session.device.answer(session.id, await sealFor(session, { log }));
    expect(await riskOf(session)).toMatchObject({ advice: 'REVIEW', flags: ['BEHAVIOR_LOG_TOO_LONG', UNLIT] });
  });

  const changed = (change: (at: number) => number) => (log: LogEntry[]) =>
    log.map(([event, index, at]): LogEntry => [event, index, Math.round(change(at))]);

  it.each<[string, (log: LogEntry[]) => LogEntry[], (at: number) => number]>([
    [
      'whose clock runs a thousandth too fast, with a person who came late',
      changed((at) => at + 900_000),
      (at) => at / 1.001,
    ],
    ['that is slow, on a slow network', changed((at) => at * 1.5), (at) => at + 6_000],
    ['at another server, whose clock is behind', (log) => log, (at) => at - 400],
  ])('does not occur on an honest device %s', async (_, change, arrivesAt) => {
    const session = await claim();
    const log = change(session.log);
    passUntil(session, arrivesAt(log[0]![2]));
    await session.device.report(session.id, 0, log.slice(0, 1));
    passUntil(session, arrivesAt(log.at(-1)![2]));
    await session.device.answer(session.id, await sealFor(session, { log }));
    expect(await riskOf(session)).toMatchObject(ALLOWED);
  });

  it('does not occur after 20 seconds without network', async () => {
    const session = await claim();
    passUntil(session, session.log[0]![2]);
    await session.device.report(session.id, 0, session.log.slice(0, 1));
    passUntil(session, session.log.at(-1)![2] + 20_000);
    // The delayed entries arrive at once, immediately followed by the answer.
    await session.device.report(session.id, 1, session.log.slice(1, -1));
    await session.device.answer(session.id, await sealFor(session, { log: session.log }));
    expect(await riskOf(session)).toMatchObject(ALLOWED);
  });

  it('does not occur after a page reload', async () => {
    const session = await claim();
    const begun = session.log.slice(0, 4);
    passUntil(session, begun.at(-1)![2]);
    await session.device.report(session.id, 0, begun);
    room.clock.advance(8_000);
    // The page's clock continues from the last entry, eight seconds late.
    const { log } = (await session.device.claim(session.id)).body;
    const from = log.at(-1)![2] + 500;
    const again = asNextAttempt(session.log.slice(1), from).map(
      ([event, index, at]): LogEntry => [event, event === 'lit' ? index - 12 : index, at],
    );
    const whole: LogEntry[] = [...log, ['retried', 0, from], ...again];
    await session.device.report(session.id, log.length, whole.slice(log.length, log.length + 1));
    room.clock.advance(whole.at(-1)![2] - log.at(-1)![2]);
    await session.device.answer(session.id, await sealFor(session, { log: whole }));
    expect(await riskOf(session)).toMatchObject(ALLOWED);
  });

  it('does not occur with two devices and the document on the second', async () => {
    const session = await claim({ requirements: ['face', 'identity_document'] });
    const face = session.log.filter(([event, index]) => event !== 'started' || index === 0).slice(0, -1);
    passUntil(session, face.at(-1)![2]);
    await session.device.report(session.id, 0, face);
    const found = { face: { spoof: false, thresholdResult: 'AGE_ABOVE_THRESHOLD', light: 'lit' } } as const;
    const box = await sealBox(session, [0], found);
    const offer = (await session.device.handoff(session.id, box.carried)).body;
    room.clock.advance(4_000);
    const phone = await newDevice(room.app.http);
    const { planText, plan, log } = readPlan((await phone.claim(session.id, offer)).body.plan);
    room.clock.advance(log.at(-1)![2]);
    await phone.report(session.id, 0, log.slice(0, 2));
    const verifiedAt = `${new Date(room.clock.now()).toISOString().slice(0, 19)}Z`;
    const kind = { thresholdResult: 'AGE_ABOVE_THRESHOLD', type: 'passport', country: 'NLD', signs: [] };
    const document = { ...kind, matchScore: 0.8, verifiedAt };
    expect(
      (await phone.answer(session.id, await sealFor({ planText, plan }, { ...found, document, log }))).status,
    ).toBe(200);
    expect(await riskOf(session)).toMatchObject({ advice: 'ALLOW', flags: ['CROSS_DEVICE'] });
  });

  it('does not occur in a step-up with a document', async () => {
    const session = await claim({ stepUpEnabled: true });
    const log = followPlan(session.plan, [0, 1]);
    passUntil(session, log[0]![2]);
    await session.device.report(session.id, 0, log.slice(0, 1));
    passUntil(session, log.at(-1)![2]);
    const verifiedAt = `${new Date(room.clock.now()).toISOString().slice(0, 19)}Z`;
    const kind = { thresholdResult: 'AGE_ABOVE_THRESHOLD', type: 'passport', country: 'NLD', signs: [] };
    const document = { ...kind, matchScore: 0.8, verifiedAt };
    const face = { spoof: false, thresholdResult: 'AGE_BELOW_THRESHOLD' };
    await session.device.answer(session.id, await sealFor(session, { face, document, log }));
    expect(await riskOf(session)).toMatchObject(ALLOWED);
  });
});

describe('a repeated log', () => {
  const copyOf = (log: readonly LogEntry[], laterMs: number): LogEntry[] =>
    withoutLight(log).map(([event, index, at]) => [event, index, at + laterMs]);

  it('is flagged the second time, at any start, but not for another customer', async () => {
    const first = await claim();
    const recorded = copyOf(first.log, 0);
    await finish(first, recorded);
    expect(await riskOf(first)).toMatchObject({ advice: 'ALLOW', flags: [UNLIT] });
    for (const laterMs of [0, 1_237]) {
      const second = await claim();
      await finish(second, underPlan(copyOf(recorded, laterMs), second.plan));
      expect(await riskOf(second)).toMatchObject({ advice: 'REVIEW', flags: ['BEHAVIOR_LOG_REPEATED', UNLIT] });
    }
    const host = await newHost(room.app);
    const elsewhere = await claim({}, host);
    await finish(elsewhere, underPlan(recorded, elsewhere.plan));
    expect(await riskOf(elsewhere, host)).toMatchObject({ advice: 'ALLOW', flags: [UNLIT] });
  });

  it('is not flagged if an answer is repeated after a lost reply', async () => {
    const session = await claim();
    passUntil(session, session.log[0]![2]);
    await session.device.report(session.id, 0, session.log.slice(0, 1));
    passUntil(session, session.log.at(-1)![2]);
    const envelope = await sealFor(session);
    await Promise.all([1, 2].map(() => session.device.answer(session.id, envelope)));
    expect((await session.device.answer(session.id, envelope)).status).toBe(200);
    expect(await riskOf(session)).toMatchObject(ALLOWED);
  });
});

describe('a burst', () => {
  /** Finishes checks of one live key from one address in sequence. */
  async function finishFrom(address: string, times: number, host = room.host) {
    const told = [];
    for (let round = 0; round < times; round += 1) {
      const { id, token } = await openSession({ ...room, host });
      const device = await newDevice(room.app.http, address);
      const plan = readPlan((await device.claim(id)).body.plan);
      const session = { id, token, device, ...plan, servedAt: room.clock.now() };
      await finish(session);
      told.push((await riskOf(session, host)).flags);
    }
    return told;
  }

  it("is flagged above the limit at a client's address", async () => {
    const host = await newHost(room.app, 'live');
    // Each takes about ten seconds, so four fit a minute.
    expect(await finishFrom(PUBLIC_ADDRESS, 4, host)).toEqual([[], [], [], ['ADDRESS_BURST']]);
    room.clock.advance(60_000);
    expect(await finishFrom(PUBLIC_ADDRESS, 1, host)).toEqual([[]]);
  });

  it("is not flagged at a proxy's address, for a test key or for a kiosk", async () => {
    const none = [[], [], [], []];
    expect(await finishFrom('10.0.0.1', 4, await newHost(room.app, 'live'))).toEqual(none);
    expect(await finishFrom(PUBLIC_ADDRESS, 4)).toEqual(none);
    const kiosk = await newHost(room.app, 'live');
    const { id } = (await room.app.apiKeys.list()).find((key) => toOwner(key).customer === kiosk.owner.customer)!;
    await room.app.apiKeys.setTraits(id, { nativeApp: false, kiosk: true });
    expect(await finishFrom(PUBLIC_ADDRESS, 4, kiosk)).toEqual(none);
  });
});
