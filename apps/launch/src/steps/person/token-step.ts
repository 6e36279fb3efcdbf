// Runs the token step: recognizes the face on this device if possible. Otherwise the service
// compares it encrypted.
import type { CaptureFacts } from '@limen/contract';
import type { TokenPlanStep } from '@limen/plan';
import { type DeviceClient, generateDeviceKeyPair, LimenError, type TokenReply } from '@limen/sdk/device';
import type { Screen, Work } from '../../course/screens.ts';
import type { EncryptWish } from '../../models/face-engine.ts';
import { findPerson, type PersonMatch } from '../../people/find-person.ts';
import type { KnownPeople } from '../../people/people-store.ts';
import { type PersonRecord, sealPerson } from '../../people/person-record.ts';
import { recordStart, type StepCourse } from '../step-course.ts';
import { StepProblem } from '../step-problem.ts';

/** Each call repeats until it is answered. */
export type TokenService = Pick<DeviceClient, 'tokenChallenge' | 'sendToken' | 'signInLocally' | 'sendSelfie'>;

export interface TokenStepOptions {
  step: TokenPlanStep;
  course: StepCourse;
  session: {
    id: string;
    now(): number;
  };
  /** Data of the person in front of the camera. */
  seen: {
    face: Float32Array;
    /** Selfie, if the plan wants one. */
    selfie: Uint8Array | null;
    /** Facts about the camera, if the face was captured here. */
    capture?: CaptureFacts | undefined;
  };
  known: {
    people: KnownPeople;
    /** Similarity from which this device takes two faces for one person, from the manifest. */
    threshold: number;
  };
  service: TokenService;
  encryptor: {
    open(modelId: string): Promise<void>;
    encrypt(wish: EncryptWish): Promise<Uint8Array>;
  };
  screens: {
    show(screen: Screen): void;
    /** Shows why there is no retry yet. Settles when the person wants to show their face. */
    waitForNextTry(why: Extract<Screen, { name: 'not_recognized' }> | { name: 'wait'; seconds: number }): Promise<void>;
  };
}

/** Record to save once the session has ended well. */
export interface PersonToSave {
  record: PersonRecord;
  replaces: readonly string[];
}

/** `again`: no match, and the person wants to show their face again. */
export type TokenOutcome = { remember: PersonToSave | null } | 'again';

const MAX_CHALLENGES = 3;
/** Default if the service names no wait. */
const SHORT_WAIT_SECONDS = 60;

/** Records everything but the step's end. */
export async function runTokenStep(options: TokenStepOptions): Promise<TokenOutcome> {
  const { step, seen, service, screens } = options;
  recordStart(options.course);
  const outcome = await recognize(options);
  if (outcome !== 'again' && step.sendsSelfie && seen.selfie) {
    screens.show(working('sending'));
    await service.sendSelfie(seen.selfie);
  }
  return outcome;
}

async function recognize(options: TokenStepOptions): Promise<TokenOutcome> {
  const { step } = options;
  options.screens.show(working(step.operation === 'ENROLL' ? 'encrypting' : 'matching'));
  const seen = await findLocalPerson(options);
  // An enrollment creates a new record in place of the old ones.
  if (!seen.person || step.operation === 'ENROLL') return askService(options, { ...seen, person: null });
  const { deviceId, pair } = seen.person;
  const { outcome } = await options.service.signInLocally({ deviceId, privateKey: pair.privateKey });
  if (outcome === 'matched') return { remember: null };
  if (outcome === 'server_required') return askService(options, seen);
  // The service no longer knows the device, or knows it for another person.
  if (step.operation === 'SIGN-IN') await options.known.people.forget([deviceId]).catch(() => undefined);
  return askService(options, { ...seen, person: null });
}

/** Returns no person if the browser stores nothing. */
async function findLocalPerson({ step, seen, known: { people, threshold } }: TokenStepOptions): Promise<PersonMatch> {
  const kept = await people.listComparable(step.gallery, step.modelId).catch(() => []);
  return findPerson(seen.face, kept, threshold);
}

async function askService(options: TokenStepOptions, { person, similarIds }: PersonMatch): Promise<TokenOutcome> {
  const { step, encryptor } = options;
  const { waitForNextTry, show } = options.screens;
  show(working('encrypting'));
  // Opened first, because it needs the network and a challenge is valid for a minute.
  await encryptor.open(step.modelId);
  // A person with a known device needs no new key.
  const pair = person ? null : await generateDeviceKeyPair();
  const reply = await showToken(options, pair);
  if (reply.outcome === 'throttled') {
    await waitForNextTry({ name: 'wait', seconds: reply.retryAfter ?? SHORT_WAIT_SECONDS });
    return 'again';
  }
  if (reply.outcome === 'not_recognized') {
    if (reply.triesLeft === 0) throw giveUp(step);
    await waitForNextTry({
      name: 'not_recognized',
      triesLeft: reply.triesLeft,
      isEnrolment: step.operation === 'ENROLL',
    });
    return 'again';
  }
  return { remember: pair && (await remember(options, reply, pair, similarIds)) };
}

type TokenReception = Pick<TokenReply, 'deviceId' | 'retryAfter'> &
  ({ outcome: 'throttled' } | Omit<TokenReply, 'retryAfter'>);

/** An expired challenge is not a try; the next call fetches a new one. */
async function showToken(options: TokenStepOptions, pair: PersonRecord['pair'] | null): Promise<TokenReception> {
  const { step, session, encryptor, service } = options;
  const { face, capture } = options.seen;
  for (let asked = 1; ; asked += 1) {
    const challenge = await service.tokenChallenge();
    if (challenge.outcome === 'throttled') return challenge;
    const key = {
      publicKey: decodeBase64(challenge.publicKey),
      keyId: challenge.challenge,
      purpose: challenge.purpose,
      session: session.id,
      expiresAt: Date.parse(challenge.expiresAt),
      identity: decodeBase64(challenge.identity),
      signature: decodeBase64(challenge.signature),
    };
    const probe = await encryptor.encrypt({ face, key, modelId: step.modelId });
    const pieces = { probe, ...(pair && { deviceKey: pair.publicKey }), ...(capture && { capture }) };
    options.screens.show(working('matching'));
    try {
      return await service.sendToken(pieces);
    } catch (error) {
      const isLate = error instanceof LimenError && error.code === 'challenge_refused';
      if (!isLate || asked >= MAX_CHALLENGES) throw error;
    }
  }
}

async function remember(
  { step: { gallery, modelId }, seen, session }: TokenStepOptions,
  { deviceId }: Pick<TokenReply, 'deviceId'>,
  pair: PersonRecord['pair'],
  replaces: readonly string[],
): Promise<PersonToSave | null> {
  if (deviceId === undefined) return null;
  const record = await sealPerson(seen.face, { deviceId, gallery, modelId, pair, savedAt: session.now() });
  return { record, replaces };
}

/** `waitMs`: set if the next try is too far off, rather than after a failed comparison. */
export function giveUp({ operation }: Pick<TokenPlanStep, 'operation'>, waitMs?: number): StepProblem {
  const problem = operation === 'ENROLL' ? 'enrolment' : 'recognition';
  return new StepProblem(problem, { isFinal: true, ...(waitMs !== undefined && { waitMs }) });
}

function working(doing: Work): Screen {
  return { name: 'working', doing, offline: false };
}

function decodeBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
