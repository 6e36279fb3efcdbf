// Sessions that were open during an upgrade: their plans were drawn by an earlier version, and they end as they would have then.

import { type DevicePlan, type FacePlanStep, LIGHT_ATTEMPTS, type LightPlan, type LogEntry } from '@limen/plan';
import { describe, expect, it } from 'vitest';
import { newDevice } from '#testing/device.ts';
import { createChannelStore } from '../../core/device-channel/store.ts';
import { createIds, type SessionId } from '../../platform/ids.ts';
import { openStorage } from '../../platform/open-storage.ts';
import { type Claimed, claimSession, sealFor, useDeviceApp } from './testing/device-app.ts';

const room = useDeviceApp();
const GROWN = { spoof: false, thresholdResult: 'AGE_ABOVE_THRESHOLD', light: 'lit' };

/** Rewrites the plan that is stored for a session to what was drawn before every attempt had colours of its own. */
async function storeEarlierPlan({ id, planText }: Claimed, hasSecondRound: boolean): Promise<string> {
  const { storage, clock } = room;
  const opened = await openStorage({ ...storage, masterKey: undefined, clock, ids: createIds(clock) });
  const plan = JSON.parse(planText) as DevicePlan;
  const steps = plan.steps.map((step) => (step.step === 'face' ? { ...step, light: earlierLight(step.light!) } : step));
  const text = JSON.stringify({ ...plan, steps });
  const store = createChannelStore(opened.database, opened.sealer);
  const record = (await store.find(id as SessionId))!;
  const state = { ...record.state, plan: { ...record.state.plan!, text } };
  await opened.database.transact(store.toUpdate(id as SessionId, record, state));
  await opened.database.close();
  return text;

  function earlierLight({ attempts: [draw], required }: LightPlan) {
    const { colours, again, colourMs } = draw!;
    return { colours, ...(hasSecondRound && { again }), colourMs, required };
  }
}

/** Ends the session by this log, 30 seconds after it was claimed. */
async function answer(session: Claimed, planText: string, log: LogEntry[]) {
  room.clock.advance(30_000);
  await session.device.report(session.id, 0, log.slice(0, 1));
  const envelope = await sealFor({ plan: session.plan, planText }, { face: GROWN, log });
  const { status } = await session.device.answer(session.id, envelope);
  const { body } = await room.host.result(session.token);
  return [status, body.riskEvaluation?.recommendation, body.riskEvaluation?.flags];
}

/** As the earlier version did it: once more from the middle of the light on, in the same colours, which have the same numbers. */
function twice(log: readonly LogEntry[]): LogEntry[] {
  const first = log.slice(0, log.findIndex(([event]) => event === 'lit') + 2);
  const end = first.at(-1)![2];
  const second = log.slice(1).map(([event, index, at]): LogEntry => [event, index, end + at]);
  return [...first, ['retried', 0, end + 500], ...second];
}

describe.each([
  ['with two rounds', true],
  ['with one round', false],
])('a plan whose colours were drawn once, %s', (_, hasSecondRound) => {
  it('is given out as it is, and followed to its end', async () => {
    const session = await claimSession(room);
    const text = await storeEarlierPlan(session, hasSecondRound);
    expect((await session.device.claim(session.id)).body.plan).toBe(text);
    expect(await answer(session, text, session.log)).toEqual([200, 'ALLOW', []]);
  });

  it('has the same colours in a second attempt', async () => {
    const session = await claimSession(room);
    const text = await storeEarlierPlan(session, hasSecondRound);
    expect(await answer(session, text, twice(session.log))).toEqual([200, 'ALLOW', []]);
  });

  it('is held against the log all the same', async () => {
    const session = await claimSession(room);
    const text = await storeEarlierPlan(session, hasSecondRound);
    const log = session.log.filter(([event, index]) => event !== 'lit' || index !== 3);
    expect(await answer(session, text, log)).toEqual([422, 'BLOCK', ['BEHAVIOR_OUT_OF_PLAN']]);
  });
});

it('a session that is handed on gets colours for every attempt', async () => {
  const session = await claimSession(room);
  await storeEarlierPlan(session, true);
  const { body: offer } = await session.device.handoff(session.id);
  const second = await newDevice(room.app.http, '10.0.0.9');
  const { steps } = JSON.parse((await second.claim(session.id, offer)).body.plan) as DevicePlan;
  expect((steps[0] as FacePlanStep).light?.attempts).toHaveLength(LIGHT_ATTEMPTS);
});
