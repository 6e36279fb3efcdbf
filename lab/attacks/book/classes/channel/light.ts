// Evasion of the light and the camera request that the service drew.
import type { LogEntry } from '@limen/plan';
import { withoutLight, withSecondRound } from '../../../../../apps/server/testing/device.ts';
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';
import { type ClaimedSession, claimAgeSession, humanPause, litLog, sealFor, tellEnd } from '../../course.ts';
import type { Stage } from '../../stage.ts';

const common = { promise: 'docs/device-protocol.md#log', needs: 'a test key', attempts: 100, atOnce: 4 } as const;
const GROWN = { spoof: false, thresholdResult: 'AGE_ABOVE_THRESHOLD' };

type ChangeLog = (log: LogEntry[]) => LogEntry[];
type Tried = [change: ChangeLog, light: string | undefined];

const same: ChangeLog = (log) => log;
const isLit = ([event]: LogEntry) => event === 'lit';
const changeLit = (change: (entry: LogEntry, first: LogEntry) => LogEntry): ChangeLog => {
  return (log) => log.map((entry) => (isLit(entry) ? change(entry, log.find(isLit)!) : entry));
};

/** Reports `light` for a face with the modified log of a person who was lit as drawn. */
async function answer(stage: Stage, mine: ClaimedSession, [change, light]: Tried): Promise<string> {
  const log = change(litLog(mine.plan));
  await mine.device.report(mine.id, 0, log.slice(0, 1));
  const envelope = await sealFor(mine, { face: { ...GROWN, light }, log });
  return tellEnd(stage.host, mine.token, await mine.device.answer(mine.id, envelope));
}

const allowed = new WeakMap<Stage, Promise<void>>();

/** An adult who is lit as drawn, in human time. Shared by all classes. */
function expectLitAllowed(stage: Stage): Promise<void> {
  const shown = allowed.get(stage) ?? showLitAllowed(stage);
  allowed.set(stage, shown);
  return shown;
}

async function showLitAllowed(stage: Stage): Promise<void> {
  const session = await claimAgeSession(stage, stage.host, { light: 'required' });
  const log = litLog(session.plan);
  await session.device.report(session.id, 0, log.slice(0, 1));
  // Movements take as long as a step does; light and everything after it as long as the log states.
  const [, , movedAt] = log.findLast(([event]) => event === 'done')!;
  await humanPause(1, log.at(-1)![2] - movedAt);
  const answered = await session.device.answer(session.id, await sealFor(session, { log }));
  const told = await tellEnd(stage.host, session.token, answered);
  expectHonest(told === '200, ALLOW, AGE_ABOVE_THRESHOLD', `somebody who is lit as drawn is ${told}`);
}

/** Repeats everything from the first color, with the second attempt's numbering. */
const again = (number: (index: number) => number): ChangeLog => {
  return (log) => {
    const seen = log.slice(0, log.findIndex(isLit) + 1);
    const from = seen.at(-1)![2] + 100;
    const second = changeLit(([event, index, at]) => [event, number(index), at])(log.slice(1));
    return [...seen, ['retried', 0, from], ...second.map(([event, index, at]): LogEntry => [event, index, from + at])];
  };
};

/** The person declines after the third color. */
const stopped: ChangeLog = (log) => {
  const seen = log.slice(0, log.findIndex(isLit) + 3);
  const at = seen.at(-1)![2];
  return [...seen, ['stopped', 2, at + 50], ['finished', 0, at + 100]];
};

export const lightMadeUp: AttackClass = {
  ...common,
  name: 'light-made-up',
  prevents: 'light that was never shown, or not in the order and time that the service drew',
  refusals: ['422 answer_refused, BLOCK'],
  async begin(stage) {
    await expectLitAllowed(stage);
    const tries: Tried[] = [
      [changeLit(([event, index, at]) => [event, 5 - index, at]), 'lit'],
      [(log) => log.filter((entry) => !isLit(entry) || entry[1] !== 2), 'lit'],
      [(log) => log.filter((entry) => !isLit(entry) || entry[1] < 5), 'lit'],
      [changeLit(([event, index], [, , first]) => [event, index, first + index * 10]), 'lit'],
      [changeLit(([event, index], [, , first]) => [event, index, first]), 'lit'],
      [(log) => [log[0]!, ...log.filter(isLit), ...withoutLight(log).slice(1)], 'lit'],
      [withoutLight, 'lit'],
      [withoutLight, 'inconclusive'],
      [same, 'declined'],
      [same, undefined],
      [withoutLight, undefined],
      [stopped, 'lit'],
      [stopped, 'inconclusive'],
      [stopped, 'not_lit'],
      // One round never justifies "not lit".
      [same, 'not_lit'],
      [withSecondRound, 'declined'],
      // Colors of the first attempt, or of a future one.
      [again((index) => index), 'lit'],
      [again((index) => 24 + index), 'lit'],
      [again((index) => (index < 3 ? 12 + index : index)), 'lit'],
    ];
    return async (round) => answer(stage, await claimAgeSession(stage, stage.host), inTurn(tries, round));
  },
};

export const cameraNotAsked: AttackClass = {
  ...common,
  name: 'camera-not-asked',
  prevents: 'a stream that is never asked what only a camera can answer, or at a moment of its own choice',
  refusals: ['422 answer_refused, BLOCK'],
  async begin(stage) {
    await expectLitAllowed(stage);
    const isAsked = ([event]: LogEntry) => event === 'asked';
    const without: ChangeLog = (log) => log.filter((entry) => !isAsked(entry));
    const askedAt = (place: number): ChangeLog => {
      return (log) => without(log).toSpliced(place, 0, log.find(isAsked)!);
    };
    const tries: Tried[] = [
      [without, 'lit'],
      [(log) => withoutLight(without(log)), 'declined'],
      [askedAt(1), 'lit'],
      [(log) => askedAt(without(log).length)(log), 'lit'],
      [(log) => log.flatMap((entry) => (isAsked(entry) ? [entry, entry] : [entry])), 'lit'],
      [(log) => log.map((entry) => (isAsked(entry) ? ['asked', (entry[1] + 1) % 3, entry[2]] : entry)), 'lit'],
    ];
    return async (round) => answer(stage, await claimAgeSession(stage, stage.host), inTurn(tries, round));
  },
};

const REQUIRED = { light: 'required' };
/** With the maximum time per color of a plan. */
const BOTH_ROUNDS_MS = 6_000;

export const lightInNoTime: AttackClass = {
  ...common,
  name: 'light-in-no-time',
  prevents: 'light that is told of before it can have been shown, whatever the times in the log',
  refusals: ['422 answer_refused, BLOCK'],
  async begin(stage) {
    await expectLitAllowed(stage);
    const tries: Tried[] = [
      [same, 'lit'],
      [withSecondRound, 'lit'],
    ];
    return async (round) => answer(stage, await claimAgeSession(stage, stage.host, REQUIRED), inTurn(tries, round));
  },
};

export const lightDodged: AttackClass = {
  ...common,
  atOnce: 25,
  name: 'light-dodged',
  prevents: 'an ALLOW without the light that a session requires',
  promise: 'docs/reference/risk.md',
  refusals: ['200, REVIEW, AGE_ABOVE_THRESHOLD', '200, BLOCK, AGE_ABOVE_THRESHOLD'],
  async begin(stage) {
    await expectLitAllowed(stage);
    const tries: Tried[] = [
      [withoutLight, 'declined'],
      [stopped, 'declined'],
      [same, 'inconclusive'],
      [withSecondRound, 'not_lit'],
    ];
    return async (round) => {
      const mine = await claimAgeSession(stage, stage.host, REQUIRED);
      // Keeps logs behind the service's clock, which would refuse them in any case.
      await humanPause(1, BOTH_ROUNDS_MS);
      return answer(stage, mine, inTurn(tries, round));
    };
  },
};
