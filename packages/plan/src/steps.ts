// The plan: the steps that the service drew for a session, and holds its device to.
import type { AgeBound } from './age-bound.ts';
import type { ContactField } from './contact.ts';
import type { LightPlan } from './light.ts';
import type { Movement } from './movements.ts';

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
