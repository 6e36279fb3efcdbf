// People in verification sessions: their device, enrollment, and guesses at their face.
import { type Authenticator, createAuthenticator } from '../../../apps/server/testing/authenticator.ts';
import {
  type Capture,
  capture,
  type Face,
  newFace,
  type PersonKey,
  sameFace,
} from '../../../apps/server/testing/verification-device.ts';
import { openChallenge, withIds } from '../forge-call.ts';
import { adviceOf, briskLog, humanPause } from './course.ts';
import type { Host } from './host.ts';
import type { Stage } from './stage.ts';

/** Browser indicators with which a local sign-in is not accepted. */
const DOUBTFUL = { indicators: { headless: ['webdriver'], virtualCamera: [], browserAnomalies: [] } };

/** A new device in a verification session, with a new address. */
export function hold(stage: Stage, id: string, more: Parameters<typeof capture>[2] = {}): Promise<Capture> {
  const room = { app: { http: stage.speaker.door } };
  return capture(room, id, { address: stage.newAddress(), follow: briskLog, ...more });
}

export interface EnrolledPerson {
  sessionId: string;
  face: Face;
  puid: string;
  deviceId: string | undefined;
  advice: string;
}

interface Enrollment {
  face?: Face;
  key?: PersonKey;
}

/** Enrolls a face in human time. */
export function enrollHonestly(stage: Stage, host: Host, enrollment: Enrollment = {}): Promise<EnrolledPerson> {
  return enroll(stage, host, enrollment, (steps) => humanPause(steps));
}

/** Enrolls at program speed, for attacks that do not need ALLOW. The host trusts the device. */
export async function enrollAtOnce(stage: Stage, host: Host, enrollment: Enrollment = {}): Promise<EnrolledPerson> {
  const person = await enroll(stage, host, enrollment, async () => {});
  if (enrollment.key) await host.trustDevice(person.sessionId);
  return person;
}

async function enroll(
  stage: Stage,
  host: Host,
  { face = newFace(), key }: Enrollment,
  pause: (steps: number) => Promise<void>,
): Promise<EnrolledPerson> {
  const session = await hold(stage, await host.startVerification('ENROLL'));
  await pause(session.plan.steps.length);
  await session.reach('token');
  const { body } = await session.show(face, key);
  await session.answer();
  const result = await host.verificationResult(session.id);
  if (result.status !== 'SUCCESS')
    throw new Error(`not enrolled: ${result.status}, ${JSON.stringify(body)}, ${result.message}`);
  return { sessionId: session.id, face, puid: result.puid!, deviceId: body.deviceId, advice: adviceOf(result) };
}

export const WITH_PASSKEY = { requirements: ['face', 'passkey'] };

/** Creates a passkey for this face, in human time or immediately. */
export async function enrollWithPasskey(
  stage: Stage,
  host: Host,
  { face = newFace(), atOnce = false }: { face?: Face; atOnce?: boolean } = {},
) {
  const authenticator = createAuthenticator(stage.pageOrigin);
  const session = await hold(stage, await host.startVerification('ENROLL', WITH_PASSKEY));
  if (!atOnce) await humanPause(session.plan.steps.length);
  await session.reach('token');
  await session.show(face);
  await session.reach('passkey');
  const { body } = await session.passkeyOptions();
  await session.passkey(authenticator.create(body.publicKey as unknown as Parameters<Authenticator['create']>[0]));
  await session.answer();
  const result = await host.verificationResult(session.id);
  if (result.status !== 'SUCCESS') throw new Error(`no passkey was made: ${result.status}`);
  return { face, authenticator, puid: result.puid!, advice: adviceOf(result) };
}

/** Returns the service's reply: `accepted` or `refused`. */
export async function usePasskey(session: Capture, authenticator: Authenticator): Promise<string> {
  await session.reach('passkey');
  const { body } = await session.passkeyOptions();
  const options = body.publicKey as unknown as Parameters<Authenticator['get']>[0];
  return (await session.passkey(authenticator.get(options))).body.outcome;
}

interface Guess {
  type?: 'SIGN-IN' | 'VERIFY' | 'ENROLL';
  userId?: string;
  face?: Face;
  address?: string;
}

/** Compares a face once in a new session. Returns the outcome, or `throttled`. */
export async function guess(
  stage: Stage,
  host: Host,
  { type = 'SIGN-IN', userId, face, address }: Guess,
): Promise<string> {
  const id = await host.startVerification(type, userId === undefined ? {} : { userId });
  const session = await hold(stage, id, { address: address ?? stage.newAddress() });
  await session.reach('token');
  const { body } = await session.challenge();
  if (body.outcome !== 'ready') return body.outcome;
  return (await session.send(await session.encrypt(face ?? newFace(), body))).body.outcome;
}

/** Sends another challenge's probes. Returns how many of them were compared. */
export async function sendNonsense(stage: Stage, host: Host, times: number, probe: Buffer): Promise<number> {
  const session = await hold(stage, await host.startVerification('SIGN-IN'));
  await session.reach('token');
  for (let refused = 0; refused < times; refused += 1) {
    const { body } = await session.challenge();
    if (body.outcome !== 'ready') return refused;
    const reply = await session.send(withIds(probe, { keyId: body.challenge }));
    if (reply.body.outcome !== 'not_recognized') return refused;
  }
  return times;
}

/** A face, encrypted for a challenge that is then abandoned. */
export async function makeProbe(stage: Stage, host: Host): Promise<Buffer> {
  const session = await hold(stage, await host.startVerification('SIGN-IN'));
  await session.reach('token');
  return session.encrypt(newFace(), await openChallenge(session));
}

type KnownGuess = Pick<EnrolledPerson, 'face' | 'deviceId'> & Pick<Guess, 'address' | 'userId'> & { key: PersonKey };

/** Compares on the person's known device after its signature, if the service must. */
export async function guessKnown(
  stage: Stage,
  host: Host,
  { face, key, deviceId, address, userId }: KnownGuess,
): Promise<string> {
  const id = await (userId === undefined
    ? host.startVerification('SIGN-IN')
    : host.startVerification('VERIFY', { userId }));
  const session = await hold(stage, id, { address: address ?? stage.newAddress() });
  await session.reach('token');
  const local = await session.local(deviceId!, key, DOUBTFUL);
  if (local.body.outcome !== 'server_required') return `${local.status} ${local.error ?? local.body.outcome}`;
  const { body } = await session.challenge();
  if (body.outcome !== 'ready') return body.outcome;
  return (await session.send(await session.encrypt(sameFace(face), body))).body.outcome;
}

/** A person in different light. */
export const again = (person: EnrolledPerson): Face => sameFace(person.face);
