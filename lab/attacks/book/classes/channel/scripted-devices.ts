// Programs that follow the plan in human time but skip everything else.
import type { LogEntry } from '@limen/plan';
import { newDevice, underPlan } from '../../../../../apps/server/testing/device.ts';
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';
import {
  type ClaimedSession,
  claimAgeSession,
  coursePassed,
  humanPause,
  readPlan,
  sealFor,
  tellEnd,
} from '../../course.ts';
import type { Host } from '../../host.ts';
import type { Stage } from '../../stage.ts';
import { expectAllowed } from './answers.ts';

const ALLOWED = '200, ALLOW, AGE_ABOVE_THRESHOLD';
const REVIEWED = ['200, REVIEW, AGE_ABOVE_THRESHOLD', '200, BLOCK, AGE_ABOVE_THRESHOLD'];
const common = { promise: 'docs/reference/risk.md', refusals: REVIEWED } as const;

async function answer(host: Host, mine: ClaimedSession, other: object = {}): Promise<string> {
  return tellEnd(host, mine.token, await mine.device.answer(mine.id, await sealFor(mine, other)));
}

export const browserDataMissing: AttackClass = {
  ...common,
  name: 'browser-data-missing',
  prevents: 'a program that says nothing of its browser and is trusted more than a browser that looks odd',
  needs: 'a test key',
  attempts: 24,
  atOnce: 12,
  isLong: true,
  async begin(stage) {
    await expectAllowed(stage);
    return async () => answer(stage.host, await coursePassed(stage, stage.host), { indicators: null });
  },
};

export const logsToldEarly: AttackClass = {
  ...common,
  name: 'logs-told-early',
  prevents: 'a course that is told before it can have happened, with an answer that waits as long as a person takes',
  promise: 'docs/reference/risk.md#behavior',
  needs: 'a test key',
  attempts: 24,
  atOnce: 12,
  isLong: true,
  async begin(stage) {
    await expectAllowed(stage);
    return async () => {
      const mine = await claimAgeSession(stage, stage.host);
      await mine.device.report(mine.id, 0, mine.log);
      await humanPause(1);
      return answer(stage.host, mine);
    };
  },
};

export const logsResubmitted: AttackClass = {
  ...common,
  name: 'logs-resubmitted',
  prevents: 'one recorded course that is good for any number of checks',
  needs: 'a test key',
  attempts: 36,
  atOnce: 12,
  async begin(stage) {
    const first = await coursePassed(stage, stage.host);
    const told = await answer(stage.host, first);
    expectHonest(told === ALLOWED, `a course for the first time is ${told}`);
    const shift = (log: readonly LogEntry[], laterMs: number): LogEntry[] =>
      log.map(([event, index, at]) => [event, index, at + laterMs]);
    const changes: ((log: LogEntry[]) => LogEntry[])[] = [
      (log) => log,
      (log) => shift(log, 150),
      // With another time for the light, which the service draws per session.
      (log) => log.map(([event, index, at]) => [event, index, event === 'finished' ? at + 150 : at]),
      // After an undone start.
      (log) => [...log.slice(0, 1), ['retried', 0, log[0]![2] + 10], ...shift(log.slice(1), 10)],
    ];
    return async (round) => {
      const mine = await claimAgeSession(stage, stage.host);
      const log = inTurn(changes, round)(underPlan(first.log, mine.plan));
      await mine.device.report(mine.id, 0, log.slice(0, 1));
      await humanPause(1);
      return answer(stage.host, mine, { log });
    };
  },
};

const BURST = 3;
const CLIENT = '198.51.100.7';

/** A check at human pace, from one address behind a proxy. */
async function checkFrom(stage: Stage, host: Host): Promise<string> {
  const { door } = stage.speaker;
  const session = await host.openAgeSession();
  const device = await newDevice({
    inject: (request) => door.inject({ ...request, headers: { ...request.headers, 'x-forwarded-for': CLIENT } }),
  });
  const { body } = await device.claim(session.id);
  const mine = { ...session, device, ...readPlan(body.plan) };
  await device.report(mine.id, 0, mine.log.slice(0, 1));
  await humanPause(1);
  return answer(host, mine);
}

export const burstsFromOneAddress: AttackClass = {
  ...common,
  name: 'bursts-from-one-address',
  prevents: 'more checks from one address in a minute than people there would make',
  needs: 'many keys',
  attempts: 12,
  atOnce: 6,
  isLong: true,
  async begin(stage) {
    const proxied = await stage.another({ TRUST_PROXY: '127.0.0.1', BURST_PER_MINUTE: String(BURST) });
    const host = await proxied.newHost({ kind: 'live' });
    const first = await Promise.all(Array.from({ length: BURST }, () => checkFrom(proxied, host)));
    expectHonest(
      first.every((told) => told === ALLOWED),
      `the first ${BURST} are ${first.join('; ')}`,
    );
    return () => checkFrom(proxied, host);
  },
};
