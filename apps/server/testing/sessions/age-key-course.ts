// Age keys in tests: the check that earns one, its creation, and its use in another session.
import type { MakeAgeKeyReply, PasskeyOptionsReply, UseAgeKeyReply } from '@limen/contract';
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import { expect } from 'vitest';
import { type Authenticator, type AuthenticatorFaults, createAuthenticator } from '#testing/authenticator.ts';
import { CLEAN_BROWSER } from '#testing/device.ts';
import type { Host } from '#testing/session-app.ts';
import { type Claimed, captureSession, claimSession, type DeviceApp, sealFor } from './device-app.ts';

export const ORIGIN = 'https://check.example';
/** A request of a shop that sells wine. */
export const FACE = { acceptedProofs: ['age_key'], ageThreshold: 18 };
export const DOCUMENT = { ...FACE, requirements: ['identity_document'] };
export const BOTH = { ...FACE, requirements: ['face', 'identity_document'] };

export type Options = PublicKeyCredentialCreationOptionsJSON & PublicKeyCredentialRequestOptionsJSON;
export type Session = Pick<Claimed, 'id' | 'device' | 'token'>;

/** Contents of the device's answer in a successful check */
interface CheckAnswer {
  signs?: string[];
  /** Score of the live face against the document's photo */
  matchScore?: number;
  indicators?: object | null;
  light?: string;
}

/** Requires an app with PUBLIC_URL at `ORIGIN`. */
export function useAgeKeyCourse(room: DeviceApp) {
  const of = (host: Host) => ({ ...room, host });

  /** Passes a check on a device that may then create a key. */
  async function passCheck(body: object = DOCUMENT, host = room.host, answer: CheckAnswer = {}): Promise<Claimed> {
    const { signs = [], matchScore = 0.9, indicators = CLEAN_BROWSER, light } = answer;
    const session = await captureSession(of(host), body);
    const verifiedAt = `${new Date(room.clock.now()).toISOString().slice(0, 19)}Z`;
    const found = { thresholdResult: 'AGE_AT_THRESHOLD', type: 'passport', country: 'NLD', verifiedAt, signs };
    const has = (step: string) => session.plan.steps.some((planned) => planned.step === step);
    const face = has('face') && { spoof: false, thresholdResult: 'AGE_ABOVE_THRESHOLD', ...(light && { light }) };
    const document = has('identity_document') && { ...found, matchScore: has('face') ? matchScore : null };
    const said = { indicators, face: face || undefined, ...(document && { document }) };
    await session.device.answer(session.id, await sealFor(session, said));
    return session;
  }

  async function newKey(body: object = DOCUMENT, host = room.host, answer: CheckAnswer = {}): Promise<Authenticator> {
    const authenticator = createAuthenticator(ORIGIN);
    expect((await makeKey(await passCheck(body, host, answer), authenticator)).body).toEqual({ outcome: 'made' });
    return authenticator;
  }

  /** Uses the key in a new session of this host. */
  async function tryKey(
    authenticator: Authenticator,
    body: object = FACE,
    host = room.host,
    wrong: AuthenticatorFaults = {},
  ) {
    const session = await claimSession(of(host), body);
    const { body: reply } = await sendKey(session, authenticator.get(await optionsFor(session, 'age-key'), wrong));
    return { session, reply, result: (await host.result(session.token)).body };
  }

  /** Returns `accepted`, or why the key was refused. */
  async function judgeKey(authenticator: Authenticator, body: object = FACE, host = room.host): Promise<string> {
    const { outcome, reason } = (await tryKey(authenticator, body, host)).reply;
    return reason ?? outcome;
  }

  return { passCheck, newKey, tryKey, judgeKey };
}

export async function optionsFor({ id, device }: Session, operation: 'age-key' | 'age-key/new'): Promise<Options> {
  const { body } = await device.call<PasskeyOptionsReply>('POST', id, `${operation}/options`, { body: {} });
  return body.publicKey as unknown as Options;
}

export async function makeKey(session: Session, authenticator: Authenticator, wrong: AuthenticatorFaults = {}) {
  const response = authenticator.create(await optionsFor(session, 'age-key/new'), wrong);
  return session.device.call<MakeAgeKeyReply>('POST', session.id, 'age-key/new', { body: { response } });
}

export function sendKey({ id, device }: Session, response: object) {
  return device.call<UseAgeKeyReply>('POST', id, 'age-key', { body: { response, indicators: CLEAN_BROWSER } });
}
