// The plan: the steps that the service drew for a session and enforces.
import type { AgeBound } from './compare-ages.ts';
import type { LightPlan } from './light.ts';

/**
 * Returns whether these steps may carry over. Pictures never do, and a face to recognize is
 * captured on the comparing device. Otherwise a sender could seal any face and have the other
 * person's device vouch for it. Only a passkey used on the first device proves who was there.
 */
export function mayCarry(steps: readonly PlanStep[], carried: readonly number[]): boolean {
  const token = steps.find((step) => step.step === 'token');
  if (!token) return true;
  if (token.sendsSelfie) return false;
  const kinds = carried.map((position) => steps[position]?.step);
  return token.operation === 'ENROLL' || !kinds.includes('face') || kinds.includes('passkey');
}

/** Throws TypeError for an unknown version of the plan. */
export function readPlan(text: string): DevicePlan {
  const plan = JSON.parse(text) as DevicePlan;
  if (plan.version === 1) return plan;
  throw new TypeError('the plan has a version that this client does not support; update the client');
}

/** Contact fields of an enrollment, and their formats. */
export const CONTACT_FIELDS = ['email', 'phone'] as const;
export type ContactField = (typeof CONTACT_FIELDS)[number];

/** Lenient on purpose. Sources of expressions with the `u` flag, as schemas need text. */
export const CONTACT_FORMS: Readonly<Record<ContactField, string>> = {
  email: '^[^\\s@\\p{Cc}]{1,64}@[^\\s@.\\p{Cc}][^\\s@\\p{Cc}]{0,187}$',
  phone: '^\\+?[0-9][0-9 ()./-]{4,30}$',
};

/** Movements of the challenges, implemented in apps/launch/src/face/movement. */
export const MOVEMENTS = ['turn_left', 'turn_right', 'look_up', 'blink'] as const;
export type Movement = (typeof MOVEMENTS)[number];

export const MOVEMENT_MS = 15_000;

/** Purposes of a verification session. */
export const OPERATIONS = ['ENROLL', 'SIGN-IN', 'VERIFY'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** `threshold`: only the comparison leaves the device. `none`: nothing does. */
export type AgeReport = 'threshold' | 'age' | 'none';

export interface FacePlanStep {
  step: 'face';
  when: 'always';
  report: AgeReport;
  /** 0 if nothing is compared. */
  ageThreshold: number;
  /** Absent for the default. */
  ageBound?: AgeBound;
  /** Movements in order. If one exceeds `challengeMs`, all restart. */
  challenges: Movement[];
  challengeMs: number;
  /** Absent without a light challenge. */
  light?: LightPlan;
  /** Movement after which the page requests another frame rate, as a test of the camera. */
  cameraRequest?: { after: number };
}

export interface DocumentPlanStep {
  step: 'identity_document';
  /** A conditional step is due if the face does not suffice. Once begun, it stays due. */
  when: 'always' | 'face_below_threshold';
  report: AgeReport;
  ageThreshold: number;
  /** Whether an image file is accepted instead of the camera. */
  fromFile: boolean;
}

export interface TokenPlanStep {
  step: 'token';
  when: 'always';
  operation: Operation;
  /** The gallery's `guid`, under which the device stores people. */
  gallery: string;
  /** Required embedding model, base64url. */
  modelId: string;
  /** Whether a selfie for the host is sent with the token. */
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
  /** Fields that the person may leave empty. */
  fields: ContactField[];
}

/** The last three occur in verification sessions only and have no movements. */
export type PlanStep = FacePlanStep | DocumentPlanStep | TokenPlanStep | PasskeyPlanStep | ContactPlanStep;

/** Sent as text, whose hash is bound into the answer. */
export interface DevicePlan {
  version: 1;
  sessionId: string;
  /** Single use: the answer must contain it. */
  nonce: string;
  /** Key to which the answer is sealed: an uncompressed P-256 point, base64url. */
  publicKey: string;
  /** Server date in UTC, YYYY-MM-DD, for the age on a document. */
  today: string;
  /** SHA-256 of the model manifest in hex; null while the service has no models. */
  modelManifest: string | null;
  steps: PlanStep[];
  /** Positions of steps completed on the previous device; absent without any. */
  carried?: number[];
}

/** Part of the plan with which a log is compared. */
export type PlanCourse = Pick<DevicePlan, 'steps' | 'carried'>;
