// The hijack: someone starts a sign-in at the host and makes the victim finish it by a link on the
// victim's device.
import { randomInt } from 'node:crypto';
import type { Authenticator } from '../../../../../apps/server/testing/authenticator.ts';
import { newDevice, type TestDevice } from '../../../../../apps/server/testing/device.ts';
import { sealBox } from '../../../../../apps/server/testing/handoff-box.ts';
import { type Capture, newPersonKey, type PersonKey } from '../../../../../apps/server/testing/verification-device.ts';
import { type AttackClass, expectHonest } from '../../attack-class.ts';
import { adviceOf, humanPause, labelOf, offerHandoff } from '../../course.ts';
import type { Host } from '../../host.ts';
import {
  again,
  type EnrolledPerson,
  enrollHonestly,
  enrollWithPasskey,
  hold,
  usePasskey,
  WITH_PASSKEY,
} from '../../people.ts';
import type { Stage } from '../../stage.ts';

const common = {
  promise: 'docs/sign-in.md#binding-a-session-to-the-browser-that-began-it',
  needs: 'many keys',
  attempts: 24,
  atOnce: 8,
  isLong: true,
} as const;

interface Victim extends EnrolledPerson {
  key: PersonKey;
}

async function newVictim(stage: Stage, host: Host): Promise<Victim> {
  const key = await newPersonKey();
  const victim = { ...(await enrollHonestly(stage, host, { key })), key };
  const own = await hold(stage, await host.startVerification('SIGN-IN'));
  await signIn(own, victim);
  const result = await host.verificationResult(own.id);
  expectHonest(
    `${result.status} ${adviceOf(result)}` === 'SUCCESS ALLOW',
    `signing in by oneself is ${adviceOf(result)}`,
  );
  return victim;
}

/** On the victim's known device. The service occasionally compares the face itself. */
async function signIn(session: Capture, { deviceId, key, ...victim }: Victim): Promise<void> {
  await humanPause(session.plan.steps.length);
  await session.reach('token');
  const { body } = await session.local(deviceId!, key);
  if (body.outcome !== 'matched') await session.show(again({ deviceId, ...victim }), key);
  // Skips the light on either device.
  await session.answer({ face: { spoof: false, light: 'declined' } });
}

async function hijack(
  stage: Stage,
  host: Host,
  victim: Victim,
): Promise<{ id: string; thief: TestDevice; phone: Capture }> {
  const id = await host.startVerification('SIGN-IN');
  const thief = await newDevice(stage.speaker.door, stage.newAddress());
  await thief.claim(id);
  // The link comes with the number, which a deceived victim picks.
  const offer = await offerHandoff(thief, id);
  const phone = await hold(stage, id, { offer });
  await signIn(phone, victim);
  return { id, thief, phone };
}

export const handoffHijack: AttackClass = {
  ...common,
  name: 'handoff-hijack',
  prevents: 'a sign-in that the victim finishes and the attacker’s browser takes home with ALLOW',
  refusals: ['REVIEW, no redirect'],
  async begin(stage) {
    const host = await stage.newHost();
    const victim = await newVictim(stage, host);
    return async () => {
      const { id, thief } = await hijack(stage, host, victim);
      const { end } = (await thief.view(id)).body;
      const result = await host.verificationResult(id);
      return `${adviceOf(result)}, ${end?.redirectUrl === undefined ? 'no redirect' : 'the redirect'}`;
    };
  },
};

export const passkeysOfPhotosHandedOn: AttackClass = {
  ...common,
  name: 'passkeys-of-photos-handed-on',
  prevents:
    'a passkey bound with a photo that lets a hijacked sign-in pass, or becomes trusted because the victim finishes it',
  refusals: ['REVIEW, and REVIEW alone afterwards'],
  attempts: 4,
  atOnce: 4,
  async begin(stage) {
    const host = await stage.newHost();
    return async () => {
      const victim = await newVictim(stage, host);
      const { authenticator } = await enrollWithPasskey(stage, host, { face: again(victim), atOnce: true });
      const thief = await beginWithPasskey(stage, host, authenticator);
      const { carried } = await sealBox(thief, [0, 1], { face: { spoof: false } });
      const { body: offer } = await thief.device.handoff(thief.id, carried);
      await signIn(await hold(stage, thief.id, { offer }), victim);
      const alone = await beginWithPasskey(stage, host, authenticator);
      await alone.show(again(victim));
      await alone.answer();
      const [hijacked, after] = [await host.verificationResult(thief.id), await host.verificationResult(alone.id)];
      expectHonest(hijacked.status === 'SUCCESS', `the victim’s sign-in is ${hijacked.status}`);
      return `${adviceOf(hijacked)}, and ${adviceOf(after)} alone afterwards`;
    };
  },
};

async function beginWithPasskey(stage: Stage, host: Host, authenticator: Authenticator): Promise<Capture> {
  const session = await hold(stage, await host.startVerification('SIGN-IN', WITH_PASSKEY));
  await humanPause(session.plan.steps.length);
  expectHonest((await usePasskey(session, authenticator)) === 'accepted', 'the passkey is known');
  await session.reach('token');
  return session;
}

export const returnCodesGuessed: AttackClass = {
  ...common,
  name: 'return-codes-guessed',
  prevents: 'getting the host’s redirect by guessing the six digits on the other device',
  refusals: ['refused three times, then for good'],
  async begin(stage) {
    const host = await stage.newHost();
    const victim = await newVictim(stage, host);
    return async () => {
      const { id, thief, phone } = await hijack(stage, host, victim);
      const right = (await phone.device.view(id)).body.end?.returnCode ?? '';
      expectHonest(/^\d{6}$/.test(right), 'the other device shows a code');
      const replies: string[] = [];
      for (let tries = 0; tries < 3; tries += 1) {
        const wrong = String((Number(right) + randomInt(1, 1_000_000)) % 1_000_000).padStart(6, '0');
        replies.push(labelOf(await thief.giveBack(id, wrong)));
      }
      const late = labelOf(await thief.giveBack(id, right));
      const { end } = (await thief.view(id)).body;
      const held = [...replies, late].every((label) => label === '403 return_code_refused') && !end?.redirectUrl;
      return held ? 'refused three times, then for good' : `${replies.join(', ')}, then ${late}`;
    };
  },
};
