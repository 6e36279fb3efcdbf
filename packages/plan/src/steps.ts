// The plan: the steps that the service drew for a session, and holds its device to.
import type { AgeBound } from './compare-ages.ts';
import type { LightPlan } from './light.ts';

/**
 * A picture never goes along. And a face that is to be recognised is shown to the device that compares it: whoever began
 * the session could seal the face of anybody, and let that person's own device speak for it. Only a passkey that was used
 * on the device that began says who sat there.
 */
export function mayCarry(steps: readonly PlanStep[], carried: readonly number[]): boolean {
  const token = steps.find((step) => step.step === 'token');
  if (!token) return true;
  if (token.sendsSelfie) return false;
  const kinds = carried.map((position) => steps[position]?.step);
  return token.operation === 'ENROLL' || !kinds.includes('face') || kinds.includes('passkey');
}

/** Throws TypeError for a plan of a version that this code does not know. */
export function readPlan(text: string): DevicePlan {
  const plan = JSON.parse(text) as DevicePlan;
  if (plan.version === 1) return plan;
  throw new TypeError('the plan is of a version that this client does not speak; use a newer one');
}

/** What a person may leave of themselves when they enrol, and the form it must have. */
export const CONTACT_FIELDS = ['email', 'phone'] as const;
export type ContactField = (typeof CONTACT_FIELDS)[number];

/**
 * Deliberately loose. Sources of regular expressions with the flag `u`, because schemas want them as text.
 */
export const CONTACT_FORMS: Readonly<Record<ContactField, string>> = {
  email: '^[^\\s@\\p{Cc}]{1,64}@[^\\s@.\\p{Cc}][^\\s@\\p{Cc}]{0,187}$',
  phone: '^\\+?[0-9][0-9 ()./-]{4,30}$',
};

/** The movements that a person may be asked for. The launch page detects and draws each in apps/launch/src/face/movement. */
export const MOVEMENTS = ['turn_left', 'turn_right', 'look_up', 'blink'] as const;
export type Movement = (typeof MOVEMENTS)[number];

/** Each movement has to be done within this time of being shown, unless the service was told otherwise. */
export const MOVEMENT_MS = 15_000;

/** What a verification session is for. */
export const OPERATIONS = ['ENROLL', 'SIGN-IN', 'VERIFY'] as const;
export type Operation = (typeof OPERATIONS)[number];

/**
 * How a step of the plan reports an age: where the host asked for the threshold alone, the age stays on the device; with
 * `none` nothing is said of it at all.
 */
export type AgeReport = 'threshold' | 'age' | 'none';

export interface FacePlanStep {
  step: 'face';
  when: 'always';
  report: AgeReport;
  /** 0 where nothing is compared with it. */
  ageThreshold: number;
  /** Absent where the service leaves it as it is. */
  ageBound?: AgeBound;
  /** In this order; each to be done within `challengeMs` of being shown, else all of them begin again. */
  challenges: Movement[];
  challengeMs: number;
  /** Absent where the service asks for none. */
  light?: LightPlan;
  /**
   * After which movement, by its position, the page asks its camera for another frame rate and back again, and looks
   * whether it answers as a camera does.
   */
  cameraRequest?: { after: number };
}

export interface DocumentPlanStep {
  step: 'identity_document';
  /**
   * A conditional step becomes due when the face alone is not enough: found below the face step's threshold, or without
   * the light that the step requires. Once begun it stays due.
   */
  when: 'always' | 'face_below_threshold';
  report: AgeReport;
  ageThreshold: number;
  /** Whether a picture file will do instead of the camera. */
  fromFile: boolean;
}

export interface TokenPlanStep {
  step: 'token';
  when: 'always';
  operation: Operation;
  /** The `guid` of the gallery: what the device remembers of people is kept by it. */
  gallery: string;
  /** The embedding model that the face must be measured with, base64url. */
  modelId: string;
  /** Whether a picture of the face is sent beside the token, for the host. */
  sendsSelfie: boolean;
}

export interface PasskeyPlanStep {
  step: 'passkey';
  when: 'always';
  operation: 'register' | 'assert';
}

export interface ContactPlanStep {
  step: 'contact';
  when: 'always';
  /** Each may be left out by the person. */
  fields: ContactField[];
}

/** The last three are of verification sessions only, and have no movements. */
export type PlanStep = FacePlanStep | DocumentPlanStep | TokenPlanStep | PasskeyPlanStep | ContactPlanStep;

/** It travels as text, and the hash of that text is bound into the answer. */
export interface DevicePlan {
  version: 1;
  sessionId: string;
  /** Single use: an answer must carry it. */
  nonce: string;
  /** The key that the answer is sealed to: an uncompressed P-256 point, base64url. */
  publicKey: string;
  /** The server's date, YYYY-MM-DD in UTC, against which the age on a document is counted. */
  today: string;
  /** SHA-256 of the model manifest to work by, in hex; null while the service offers no models. */
  modelManifest: string | null;
  steps: PlanStep[];
  /** Positions of the steps that the device before has finished and sealed the findings of; absent without any. */
  carried?: number[];
}

/** What a log is held against. */
export type PlanCourse = Pick<DevicePlan, 'steps' | 'carried'>;
