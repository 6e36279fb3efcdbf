// The token step: recognises the face on this device if it can, else has the service compare what it cannot read.
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

/** Each call asks until it is answered. */
export type TokenService = Pick<DeviceClient, 'tokenChallenge' | 'sendToken' | 'signInLocally' | 'sendSelfie'>;

export interface TokenStepOptions {
  step: TokenPlanStep;
  course: StepCourse;
  session: {
    id: string;
    /** Milliseconds since 1970. */
    now(): number;
  };
  /** The person before the camera. */
  seen: {
    face: Float32Array;
    /** Photo of the person, if the plan wants one. */
    selfie: Uint8Array | null;
    /** Facts about the camera, if the face was captured here. */
    capture?: CaptureFacts | undefined;
  };
  known: {
    people: KnownPeople;
    /** From the manifest: how alike faces are that this device takes for one person's. */
    threshold: number;
  };
  service: TokenService;
  encryptor: {
    open(modelId: string): Promise<void>;
    encrypt(wish: EncryptWish): Promise<Uint8Array>;
  };
  screens: {
    show(screen: Screen): void;
    /** Shows why there is no other try yet, and settles when the person wants to show their face again. */
    untilAgain(why: Extract<Screen, { name: 'not_recognized' }> | { name: 'wait'; seconds: number }): Promise<void>;
  };
}

/** What this browser is to remember once the session has ended well. */
export interface Remembrance {
  record: PersonRecord;
  replaces: readonly string[];
}

/** `again`: nobody was found, and the person wants to show their face once more. */
export type TokenOutcome = { remember: Remembrance | null } | 'again';

const MOST_CHALLENGES = 3;
/** Where the service does not say. */
const SHORT_WAIT_SECONDS = 60;

/** It records everything but the step's end. */
export async function runTokenStep(options: TokenStepOptions): Promise<TokenOutcome> {
  const { step, seen, service, screens } = options;
  recordStart(options.course);
  const outcome = await recognise(options);
  if (outcome !== 'again' && step.sendsSelfie && seen.selfie) {
    screens.show(working('sending'));
    await service.sendSelfie(seen.selfie);
  }
  return outcome;
}

async function recognise(options: TokenStepOptions): Promise<TokenOutcome> {
  const { step } = options;
  options.screens.show(working(step.operation === 'ENROLL' ? 'encrypting' : 'matching'));
  const seen = await lookHere(options);
  // Whoever enrols is made known anew, in place of what was kept of them.
  if (!seen.person || step.operation === 'ENROLL') return askService(options, { ...seen, person: null });
  const { deviceId, pair } = seen.person;
  const { outcome } = await options.service.signInLocally({ deviceId, privateKey: pair.privateKey });
  if (outcome === 'matched') return { remember: null };
  if (outcome === 'server_required') return askService(options, seen);
  // The service does not know the device any more, or not as the person's who is asked for.
  if (step.operation === 'SIGN-IN') await options.known.people.forget([deviceId]).catch(() => undefined);
  return askService(options, { ...seen, person: null });
}

/** Nobody where the browser keeps nothing. */
async function lookHere({ step, seen, known: { people, threshold } }: TokenStepOptions): Promise<PersonMatch> {
  const kept = await people.listComparable(step.gallery, step.modelId).catch(() => []);
  return findPerson(seen.face, kept, threshold);
}

async function askService(options: TokenStepOptions, { person, similarIds }: PersonMatch): Promise<TokenOutcome> {
  const { step, encryptor } = options;
  const { untilAgain, show } = options.screens;
  show(working('encrypting'));
  // First, because a challenge is good for a minute and this comes over the network.
  await encryptor.open(step.modelId);
  // Without another key for a person whose device the service knows.
  const pair = person ? null : await generateDeviceKeyPair();
  const reply = await showToken(options, pair);
  if (reply.outcome === 'throttled') {
    await untilAgain({ name: 'wait', seconds: reply.retryAfter ?? SHORT_WAIT_SECONDS });
    return 'again';
  }
  if (reply.outcome === 'not_recognized') {
    if (reply.triesLeft === 0) throw giveUp(step);
    await untilAgain({ name: 'not_recognized', triesLeft: reply.triesLeft, isEnrolment: step.operation === 'ENROLL' });
    return 'again';
  }
  return { remember: pair && (await remember(options, reply, pair, similarIds)) };
}

type TokenReception = Pick<TokenReply, 'deviceId' | 'retryAfter'> &
  ({ outcome: 'throttled' } | Omit<TokenReply, 'retryAfter'>);

/** A challenge that came too late is no try: the next one gets another. */
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
      if (!isLate || asked >= MOST_CHALLENGES) throw error;
    }
  }
}

async function remember(
  { step: { gallery, modelId }, seen, session }: TokenStepOptions,
  { deviceId }: Pick<TokenReply, 'deviceId'>,
  pair: PersonRecord['pair'],
  replaces: readonly string[],
): Promise<Remembrance | null> {
  if (deviceId === undefined) return null;
  const record = await sealPerson(seen.face, { deviceId, gallery, modelId, pair, savedAt: session.now() });
  return { record, replaces };
}

/** With `waitMs`: not for want of likeness, but because a further try is so far off. */
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
