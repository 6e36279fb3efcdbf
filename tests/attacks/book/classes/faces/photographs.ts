// A photo of an enrolled person, shown on a device that nobody knows: it succeeds, and must never be told ALLOW.
import { newFace, sameFace } from '../../../../../apps/server/testing/verification-device.ts';
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';
import { adviceOf, humanPause } from '../../course.ts';
import { again, enrolHonestly, hold } from '../../people.ts';

const common = {
  promise: 'docs/verification.md#what-a-face-alone-is-worth',
  needs: 'many keys',
  isLong: true,
} as const;

export const photographsOnNewDevices: AttackClass = {
  ...common,
  name: 'photographs-on-new-devices',
  prevents: 'a photo of somebody’s face that is told ALLOW on a device that nobody vouched for',
  refusals: ['SUCCESS, REVIEW'],
  attempts: 24,
  atOnce: 8,
  async begin(stage) {
    const host = await stage.newHost();
    const victim = await enrolHonestly(stage, host);
    expectHonest(victim.advice === 'ALLOW', `enrolling is ${victim.advice}`);
    return async (round) => {
      const type = inTurn(['SIGN-IN', 'VERIFY', 'ENROLL'], round);
      const id = await host.startVerification(type, type === 'VERIFY' ? { userId: victim.puid } : {});
      const session = await hold(stage, id);
      await session.reach('token');
      await session.show(again(victim));
      await humanPause(session.plan.steps.length);
      await session.answer();
      const result = await host.verificationResult(id);
      return `${result.status}, ${adviceOf(result)}`;
    };
  },
};

export const enrolmentsParked: AttackClass = {
  ...common,
  name: 'enrolments-parked',
  prevents:
    'an enrolment that was begun with somebody’s photo and finished after they enrolled, which would take them over',
  refusals: ['SUCCESS, REVIEW', 'FAILED, BLOCK', 'FAILED, REVIEW', 'FAILED, no end'],
  attempts: 16,
  atOnce: 8,
  async begin(stage) {
    const host = await stage.newHost();
    return async () => {
      const photo = newFace();
      const thief = await hold(stage, await host.startVerification('ENROLL'));
      await thief.reach('token');
      await thief.show(photo);
      await humanPause(thief.plan.steps.length);
      const victim = await enrolHonestly(stage, host, { face: sameFace(photo) });
      await thief.answer();
      const result = await host.verificationResult(thief.id);
      // Somebody new under another name would be no takeover.
      const whose = result.puid === undefined || result.puid === victim.puid ? '' : ', of another';
      return `${result.status}, ${adviceOf(result)}${whose}`;
    };
  },
};
