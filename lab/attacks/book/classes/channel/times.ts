// Impossible courses: movements of a millisecond, clocks that run backwards or ahead.
import type { LogEntry } from '@limen/plan';
import { type AttackClass, inTurn } from '../../attack-class.ts';
import { claimAgeSession, sealFor, tellEnd } from '../../course.ts';
import { expectAllowed } from './answers.ts';

type Pace = (log: LogEntry[]) => LogEntry[];

/** Claims of a program. */
export const PACES: Pace[] = [
  (log) => log.map(([event, index], at) => [event, index, at]),
  (log) => log.map(([event, index], at) => [event, index, at * 10]),
  (log) => log.map(([event, index]) => [event, index, 0]),
  (log) => log.map(([event, index, at]) => [event, index, 5_000 - at]),
  (log) => log.map(([event, index, at]) => [event, index, at + 3_600_000]),
  (log) => log,
];
/** A program's real time, independent of its log. */
const NOT_ALLOWED = ['200, REVIEW, AGE_ABOVE_THRESHOLD', '200, BLOCK, AGE_ABOVE_THRESHOLD'];

export const fasterThanPeople: AttackClass = {
  name: 'faster-than-people',
  prevents: 'a program that answers an age check at machine speed, with nobody in front of the camera',
  promise: 'docs/reference/risk.md#behavior',
  needs: 'a test key',
  refusals: NOT_ALLOWED,
  attempts: 102,
  async begin(stage) {
    await expectAllowed(stage);
    return async (round) => {
      const mine = await claimAgeSession(stage, stage.host);
      const log = inTurn(PACES, round)(mine.log);
      await mine.device.report(mine.id, 0, log);
      const answered = await mine.device.answer(mine.id, await sealFor(mine, { log }));
      return tellEnd(stage.host, mine.token, answered);
    };
  },
};
