// Evasion of the document that a face below the threshold requires.
import type { LogEntry } from '@limen/plan';
import { type AttackClass, inTurn } from '../../attack-class.ts';
import { briskLog, claimAgeSession, sealFor, tellEnd } from '../../course.ts';

const BELOW = { face: { spoof: false, thresholdResult: 'AGE_BELOW_THRESHOLD' } };
const ABOVE = { face: { spoof: false, thresholdResult: 'AGE_ABOVE_THRESHOLD' } };

export const stepUpDodged: AttackClass = {
  name: 'step-up-dodged',
  prevents: 'showing a face again and again until it is accepted and no document is asked for',
  promise: 'docs/device-protocol.md#log',
  needs: 'a test key',
  refusals: ['422 answer_refused, BLOCK', '409 log_conflict, no end'],
  attempts: 100,
  atOnce: 4,
  async begin(stage) {
    return async (round) => {
      const mine = await claimAgeSession(stage, stage.host, { stepUpEnabled: true });
      const face = briskLog(mine.plan, [0]);
      const end = face.at(-1)![2];
      const begun: LogEntry[] = [...face, ['started', 1, end + 100]];
      const again: LogEntry[] = face.slice(1).map(([event, index, at]) => [event, index, end + 300 + at]);
      const undone: LogEntry[] = [...begun, ['retried', 0, end + 200], ...again];
      const [reported, log, findings] = inTurn<[LogEntry[], LogEntry[], object]>(
        [
          // After the document request, the face is shown again until it passes.
          [begun, undone, ABOVE],
          // Below the threshold, without a document.
          [face.slice(0, 2), face, BELOW],
          // As if the document step had never started.
          [begun, face, ABOVE],
          [begun, begun, ABOVE],
          [begun, [...begun, ['finished', 1, end + 900]], BELOW],
        ],
        round,
      );
      await mine.device.report(mine.id, 0, reported);
      return tellEnd(
        stage.host,
        mine.token,
        await mine.device.answer(mine.id, await sealFor(mine, { ...findings, log })),
      );
    };
  },
};
