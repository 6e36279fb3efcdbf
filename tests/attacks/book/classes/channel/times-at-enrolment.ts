// The same courses at an enrolment, where what the service saw of them is not told but counts.
import type { DevicePlan, LogEntry } from '@limen/plan';
import { newFace } from '../../../../../apps/server/testing/verification-device.ts';
import { type AttackClass, inTurn } from '../../attack-class.ts';
import { adviceOf, briskLog, labelOf } from '../../course.ts';
import { hold } from '../../people.ts';
import { PACES } from './times.ts';

export const fasterThanPeopleAtEnrolment: AttackClass = {
  name: 'faster-than-people-at-enrolment',
  prevents: 'a program that enrols made-up faces in its own time and is told ALLOW',
  promise: 'docs/risk.md#behaviour',
  needs: 'many keys',
  refusals: ['200, REVIEW', '200, BLOCK'],
  attempts: 30,
  async begin(stage) {
    const host = await stage.newHost();
    return async (round) => {
      const follow = (plan: DevicePlan): LogEntry[] => inTurn(PACES, round)(briskLog(plan));
      const session = await hold(stage, await host.startVerification('ENROLL'), { follow });
      await session.reach('token');
      await session.show(newFace());
      const answered = await session.answer();
      return `${labelOf(answered)}, ${adviceOf(await host.verificationResult(session.id))}`;
    };
  },
};
