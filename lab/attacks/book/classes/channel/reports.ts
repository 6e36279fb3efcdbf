// Reports that contradict earlier ones.
import type { LogEntry } from '@limen/plan';
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';
import { courseReported, labelOf } from '../../course.ts';

export const reportsRewritten: AttackClass = {
  name: 'reports-rewritten',
  prevents: 'a log that is rewritten once it is clear that the first version would not pass',
  promise: 'docs/device-protocol.md#log',
  needs: 'a test key',
  refusals: ['409 log_conflict', '400 validation_failed'],
  attempts: 100,
  async begin(stage) {
    const mine = await courseReported(stage, stage.host);
    const told = await mine.device.report(mine.id, 0, mine.log);
    expectHonest(told.status === 200, 'the same report again is taken');
    const half: LogEntry[] = mine.log.map(([event, index, at]) => [event, index, Math.round(at / 2)]);
    const tries: [from: number, entries: unknown[]][] = [
      [0, half],
      [1, half.slice(1)],
      [2, [['done', 0, 1]]],
      [0, [['started', 0, 1]]],
      [-1, mine.log],
      [0, [['started', 0]]],
      [0, [['started', '0', 1]]],
      [0, Array(161).fill(['started', 0, 1])],
    ];
    return async (round) =>
      labelOf(await mine.device.report(mine.id, ...(inTurn(tries, round) as [number, LogEntry[]])));
  },
};
