// Impossible times in an enrollment, where the service's observations count without being reported.
import type { DevicePlan, LogEntry } from '@limen/plan';
import { newFace, newPersonKey } from '../../../../../apps/server/testing/verification-device.ts';
import { type AttackClass, inTurn } from '../../attack-class.ts';
import { adviceOf, briskLog, humanPause, labelOf } from '../../course.ts';
import { hold } from '../../people.ts';
import { PACES } from './times.ts';

export const fasterThanPeopleAtEnrollment: AttackClass = {
  name: 'faster-than-people-at-enrolment',
  prevents: 'a program that enrolls made-up faces at machine speed and gets ALLOW',
  promise: 'docs/reference/risk.md#behavior',
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

export const fastEnrollmentsReturn: AttackClass = {
  name: 'fast-enrolments-return',
  prevents: 'a program that enrolls at machine speed, comes back at the pace of a person and then gets ALLOW',
  promise: 'docs/sign-in.md#what-a-face-alone-is-worth',
  needs: 'many keys',
  refusals: ['REVIEW, then REVIEW', 'BLOCK, then refused'],
  attempts: 30,
  atOnce: 8,
  isLong: true,
  async begin(stage) {
    const host = await stage.newHost();
    return async (round) => {
      const key = await newPersonKey();
      const follow = (plan: DevicePlan): LogEntry[] => inTurn(PACES, round)(briskLog(plan));
      const enrollment = await hold(stage, await host.startVerification('ENROLL'), { follow });
      await enrollment.reach('token');
      const { deviceId } = (await enrollment.show(newFace(), key)).body;
      await enrollment.answer();
      const told = adviceOf(await host.verificationResult(enrollment.id));
      const session = await hold(stage, await host.startVerification('SIGN-IN'));
      await humanPause(session.plan.steps.length);
      await session.reach('token');
      const { outcome } = (await session.local(deviceId!, key)).body;
      if (outcome !== 'matched') return `${told}, then ${outcome}`;
      await session.answer();
      return `${told}, then ${adviceOf(await host.verificationResult(session.id))}`;
    };
  },
};
