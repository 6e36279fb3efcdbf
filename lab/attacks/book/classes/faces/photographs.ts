// A photo of an enrolled person on an unknown device: it succeeds, but must never get ALLOW.
import { newFace, newPersonKey, sameFace } from '../../../../../apps/server/testing/verification-device.ts';
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';
import { adviceOf, humanPause } from '../../course.ts';
import type { Host } from '../../host.ts';
import { again, enrollHonestly, enrollWithPasskey, hold, usePasskey, WITH_PASSKEY } from '../../people.ts';
import type { Stage } from '../../stage.ts';

const common = {
  promise: 'docs/sign-in.md#what-a-face-alone-is-worth',
  needs: 'many keys',
  isLong: true,
} as const;

export const photographsOnNewDevices: AttackClass = {
  ...common,
  name: 'photographs-on-new-devices',
  prevents: 'a photo of somebody’s face that gets ALLOW on a device that nobody vouched for',
  refusals: ['SUCCESS, REVIEW'],
  attempts: 24,
  atOnce: 8,
  async begin(stage) {
    const host = await stage.newHost();
    const victim = await enrollHonestly(stage, host);
    expectHonest(victim.advice === 'ALLOW', `enrolling is ${victim.advice}`);
    return async (round) => {
      const type = inTurn(['SIGN-IN', 'VERIFY', 'ENROLL'], round);
      const id = await host.startVerification(type, type === 'VERIFY' ? { userId: victim.puid } : {});
      const session = await hold(stage, id);
      await humanPause(session.plan.steps.length);
      await session.reach('token');
      await session.show(again(victim));
      await session.answer();
      const result = await host.verificationResult(id);
      return `${result.status}, ${adviceOf(result)}`;
    };
  },
};

export const enrollmentsParked: AttackClass = {
  ...common,
  name: 'enrolments-parked',
  prevents: 'an enrollment begun with somebody’s photo and finished after they enrolled, to take over their identity',
  refusals: ['SUCCESS, REVIEW', 'FAILED, BLOCK', 'FAILED, REVIEW', 'FAILED, no end'],
  attempts: 16,
  atOnce: 8,
  async begin(stage) {
    const host = await stage.newHost();
    return async () => {
      const photo = newFace();
      const thief = await hold(stage, await host.startVerification('ENROLL'));
      await humanPause(thief.plan.steps.length);
      await thief.reach('token');
      await thief.show(photo);
      const victim = await enrollHonestly(stage, host, { face: sameFace(photo) });
      await thief.answer();
      const result = await host.verificationResult(thief.id);
      // A new person under another name would not be a takeover.
      const whose = result.puid === undefined || result.puid === victim.puid ? '' : ', of another';
      return `${result.status}, ${adviceOf(result)}${whose}`;
    };
  },
};

/** One more than a person's limit of devices or passkeys. */
const CROWD = 21;

export const ownersPushedOut: AttackClass = {
  ...common,
  name: 'owners-pushed-out',
  prevents: 'photos of somebody, on ever new devices or with ever new passkeys, until their own is forgotten',
  refusals: ['what is the owner’s stays'],
  attempts: 2,
  atOnce: 2,
  async begin(stage) {
    const host = await stage.newHost();
    return (round) => (round % 2 === 0 ? pushOutDevice(stage, host) : pushOutPasskey(stage, host));
  },
};

async function pushOutDevice(stage: Stage, host: Host): Promise<string> {
  const key = await newPersonKey();
  const owner = await enrollHonestly(stage, host, { key });
  const signIn = async () => {
    const session = await hold(stage, await host.startVerification('SIGN-IN'));
    await session.reach('token');
    return session;
  };
  for (let times = 0; times < CROWD; times += 1) {
    const session = await signIn();
    await session.show(again(owner), await newPersonKey());
    await session.answer();
  }
  const { outcome } = (await (await signIn()).local(owner.deviceId!, key)).body;
  return outcome === 'matched' ? 'what is the owner’s stays' : `the owner’s device is ${outcome}`;
}

async function pushOutPasskey(stage: Stage, host: Host): Promise<string> {
  const { face, authenticator } = await enrollWithPasskey(stage, host);
  for (let times = 0; times < CROWD; times += 1) {
    await enrollWithPasskey(stage, host, { face: sameFace(face), atOnce: true });
  }
  const session = await hold(stage, await host.startVerification('SIGN-IN', WITH_PASSKEY));
  const outcome = await usePasskey(session, authenticator);
  return outcome === 'accepted' ? 'what is the owner’s stays' : `the owner’s passkey is ${outcome}`;
}
