// What goes along with a handoff: boxes that another device sealed, or that claim steps which were never finished.
import { randomBytes } from 'node:crypto';
import type { HandoffRequest, LogEntry } from '@limen/contract';
import { newDevice } from '../../../../../apps/server/testing/device.ts';
import { type AttackClass, inTurn } from '../../attack-class.ts';
import { claimAgeSession, courseReported, labelOf, offerHandoff, readPlan } from '../../course.ts';

const common = { promise: 'docs/device-protocol.md#handoff', needs: 'a test key', attempts: 100 } as const;
const BOX_BYTES = 4_096;

export const handoffBoxesForged: AttackClass = {
  ...common,
  name: 'handoff-boxes-forged',
  prevents:
    'findings that go along with a handoff although the first device did not sign them, or did not finish their steps',
  refusals: [
    '400 validation_failed',
    '400 malformed_request',
    '401 invalid_signature',
    '422 answer_refused',
    '413 payload_too_large',
  ],
  async begin(stage) {
    return async (round) => {
      const session = await (round % 2 === 0 ? courseReported : claimAgeSession)(stage, stage.host);
      const box = randomBytes(BOX_BYTES).toString('base64url');
      const signature = randomBytes(64).toString('base64url');
      const carried = inTurn<object>(
        [
          { box, steps: [0], signature },
          { box, steps: [0], signature: Buffer.alloc(64).toString('base64url') },
          { box: box.slice(0, -4), steps: [0], signature },
          { box, steps: [1], signature },
          { box, steps: [0, 1, 2], signature },
          { box, steps: [], signature },
          { box, steps: [0, 0], signature },
          { box, steps: [-1], signature },
          { box, steps: [0] },
        ],
        round,
      );
      return labelOf(await session.device.handoff(session.id, carried as HandoffRequest['carried']));
    };
  },
};

export const stepsNotCarried: AttackClass = {
  ...common,
  name: 'steps-not-carried',
  prevents: 'a second device that claims steps as done by the first although nothing went along',
  refusals: ['422 answer_refused', '400 validation_failed'],
  async begin(stage) {
    return async (round) => {
      const session = await (round % 2 === 0 ? courseReported : claimAgeSession)(stage, stage.host);
      const second = await newDevice(stage.speaker.door, stage.newAddress());
      const offer = await offerHandoff(session.device, session.id);
      const { log } = readPlan((await second.claim(session.id, offer)).body.plan);
      const logs: LogEntry[][] = [
        [['carried', 0, 10]],
        [['carried', 1, 10]],
        [log[0]!, ['carried', 0, 200]],
        [
          ['carried', 0, 10],
          ['carried', 0, 20],
        ],
      ];
      return labelOf(await second.report(session.id, 0, inTurn(logs, round)));
    };
  },
};
