// A face carried to a second device on which it must be recognized: the first device could seal
// anyone's.
import { randomUUID } from 'node:crypto';
import { sealBox } from '../../../../../apps/server/testing/handoff-box.ts';
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';
import { labelOf } from '../../course.ts';
import { hold } from '../../people.ts';

const FACE = { face: { spoof: false } };

interface Case {
  type: string;
  more?: object;
  /** Reported up to here, so that earlier steps are finished. */
  upTo: 'passkey' | 'token';
}

const CASES: readonly Case[] = [
  { type: 'SIGN-IN', upTo: 'token' },
  { type: 'VERIFY', more: { userId: randomUUID() }, upTo: 'token' },
  // A requested but unused passkey proves nothing yet.
  { type: 'SIGN-IN', more: { requirements: ['face', 'passkey'] }, upTo: 'passkey' },
  { type: 'VERIFY', more: { requirements: ['face', 'passkey'], userId: randomUUID() }, upTo: 'passkey' },
  { type: 'SIGN-IN', more: { handoff: 'allow' }, upTo: 'token' },
  // Pictures are never carried.
  { type: 'ENROLL', more: { sendImages: true }, upTo: 'token' },
];

export const facesCarried: AttackClass = {
  name: 'faces-carried',
  prevents: 'a face of the attacker’s choice handed over to the victim’s own device, which then vouches for it',
  promise: 'docs/device-protocol.md#handoff',
  needs: 'a test key',
  refusals: ['400 validation_failed'],
  attempts: 60,
  async begin(stage) {
    const offer = async ({ type, more = {}, upTo }: Case) => {
      const session = await hold(stage, await stage.host.startVerification(type, more));
      await session.reach(upTo);
      const { carried } = await sealBox(session, [0], FACE);
      return session.device.handoff(session.id, carried);
    };
    const enrollment = await offer({ type: 'ENROLL', upTo: 'token' });
    expectHonest(enrollment.status === 200, 'the face of an enrollment goes along');
    return async (round) => labelOf(await offer(inTurn(CASES, round)));
  },
};
