// Carried findings of a handoff: boxes sealed by another device, or with steps that were never
// finished.

import { randomBytes } from 'node:crypto';
import type { HandoffRequest } from '@limen/contract';
import type { LogEntry } from '@limen/plan';
import { newDevice } from '../../../../../apps/server/testing/device.ts';
import { sealBox } from '../../../../../apps/server/testing/handoff-box.ts';
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';
import { type ClaimedSession, claimAgeSession, courseReported, labelOf, offerHandoff, readPlan } from '../../course.ts';

const common = { promise: 'docs/device-protocol.md#handoff', needs: 'a test key', attempts: 100 } as const;

type Carried = NonNullable<HandoffRequest['carried']>;

export const handoffBoxesForged: AttackClass = {
  ...common,
  name: 'handoff-boxes-forged',
  prevents: 'findings handed over although the first device did not sign them or did not finish their steps',
  refusals: ['400 validation_failed'],
  async begin(stage) {
    const found = { face: { spoof: false, thresholdResult: 'AGE_ABOVE_THRESHOLD' } };
    const finished = () => courseReported(stage, stage.host, { requirements: ['face', 'identity_document'] });
    const honest = await finished();
    const { carried: sound } = await sealBox(honest, [0], found);
    expectHonest((await honest.device.handoff(honest.id, sound)).status === 200, 'a box of one’s own is taken');
    const forgeries: ((mine: ClaimedSession, own: Carried) => Promise<object>)[] = [
      async (_mine, own) => ({ ...own, signature: randomBytes(64).toString('base64url') }),
      async (_mine, own) => ({ ...own, signature: Buffer.alloc(64).toString('base64url') }),
      async (_mine, own) => ({ ...own, box: altered(own.box) }),
      async (_mine, own) => ({ ...own, box: sound.box }),
      async () => sound,
      async (_mine, own) => ({ ...own, steps: [0, 1] }),
      async (mine) => (await sealBox(mine, [1], found)).carried,
      async (mine) => (await sealBox(mine, [0, 1, 2], found)).carried,
      async ({ planText }) => (await sealBox({ planText, device: honest.device }, [0], found)).carried,
      async (mine) => (await sealBox({ ...mine, planText: `${mine.planText} ` }, [0], found)).carried,
      async (_mine, own) => ({ ...own, box: own.box.slice(0, -4) }),
      async (_mine, own) => ({ ...own, steps: [] }),
      async (_mine, own) => ({ ...own, steps: [-1] }),
      async ({ planText, device }) => (await sealBox({ planText, device }, [0, 0], found)).carried,
    ];
    return async (round) => {
      const isUnfinished = round % 15 === 14;
      const mine = isUnfinished ? await claimAgeSession(stage, stage.host) : await finished();
      const { carried } = await sealBox(mine, [0], found);
      const forged = isUnfinished ? carried : await inTurn(forgeries, round)(mine, carried);
      return labelOf(await mine.device.handoff(mine.id, forged as Carried));
    };
  },
};

function altered(box: string): string {
  const bytes = Buffer.from(box, 'base64url');
  bytes[2_000]! ^= 1;
  return bytes.toString('base64url');
}

export const stepsNotCarried: AttackClass = {
  ...common,
  name: 'steps-not-carried',
  prevents: 'a second device that claims steps as done by the first although nothing was handed over',
  refusals: ['422 answer_refused'],
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
