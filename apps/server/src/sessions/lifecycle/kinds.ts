// The kinds of sessions, and what is sealed in the rows of each. Another kind is another entry, then what no longer compiles.
import type {
  AgeSessionResult,
  HandoffPolicy,
  LightPolicy,
  RiskEvaluation,
  VerificationWebhook,
} from '@limen/contract';
import type { AgeMethod, ContactField, Operation, Proof } from '@limen/plan';
import type { PersonId, Puid } from '../../platform/base/ids.ts';
import type { Callback } from '../../webhooks/callback.ts';
import type { FlowStatus } from './rules.ts';

export interface SessionKinds {
  age: { contents: AgeContents; outcome: AgeSessionOutcome };
  verification: { contents: VerificationContents; outcome: VerificationOutcome };
}

export type SessionKind = keyof SessionKinds;

const EVERY_KIND: Readonly<Record<SessionKind, true>> = { age: true, verification: true };

export const SESSION_KINDS = Object.keys(EVERY_KIND) as readonly SessionKind[];

/** A newer version may have written rows of a kind that this one does not know. */
export function isKnownKind(kind: string): kind is SessionKind {
  return Object.hasOwn(EVERY_KIND, kind);
}

export type AgeStep = 'face' | 'identity_document';
export type AgeReturnFormat = 'threshold' | 'exact' | 'both';

/** The part of an age key that hosts see. */
export interface ProvenAge {
  /** Whole years: the threshold that was met, whatever the age is. */
  ageOver: number;
  method: AgeMethod;
  /** `YYYY-MM`. */
  month: string;
}

/** The part of a check that its age key keeps. */
export interface EarnedAge extends ProvenAge {
  /** Steps that the session required. */
  requirements: readonly string[];
  light: 'lit' | 'not_asked';
}

/** What the session takes instead of its steps. */
export interface ProofSettings {
  /** At least one, in the order of `PROOFS`. */
  accepted: readonly Proof[];
  ageKeyMaxDays: number;
  ageKeyStrength: AgeMethod;
  /** Undefined where only the customer's own keys count. */
  ageKeyFrom?: 'any' | undefined;
}

interface AgeThresholds {
  ageThreshold: number;
  documentAgeThreshold: number;
  faceMatchThreshold: number;
}

export interface AgeSettings extends AgeThresholds {
  /** Steps with a camera; none if only a wallet will do. */
  requirements: readonly AgeStep[];
  stepUpEnabled: boolean;
  facialAgeEstimationReturnFormat: AgeReturnFormat;
  documentAgeReturnFormat: AgeReturnFormat;
  /** As the host asked for it; undefined leaves it to the service. */
  light?: LightPolicy | undefined;
  /** Undefined where the session takes none. */
  proofs?: ProofSettings | undefined;
}

export interface AgeContents {
  settings: AgeSettings;
  locale: string;
  enableDesktop: boolean;
  /** Whether a document may come as a picture file. */
  enableDocumentFile: boolean;
  redirectUrl: string | undefined;
  handoff: HandoffPolicy;
  callback: Callback | undefined;
  /** JSON text, as it came. */
  metadata: string;
  /** Whether it was made with a test or development key: a live session's result cannot be made up. */
  simulable: boolean;
  /** Who asks, for the person to read. */
  requester: string | null;
}

/** What the end adds. */
export type AgeSessionOutcome = Required<
  Pick<AgeSessionResult, 'sessionStatus' | 'flowStatus' | 'errors' | 'result' | 'riskEvaluation'>
> &
  Pick<AgeSessionResult, 'indicators'> & {
    /** What the device that finished may make an age key of, and how long; not for the host. */
    ageKeyOffer?: AgeKeyOffer;
  };

export interface AgeKeyOffer {
  proven: EarnedAge;
  /** Milliseconds since 1970. */
  until: number;
}

export type VerificationStep = 'face' | 'identity_document' | 'passkey';
export type DebugLevel = 0 | 1 | 2 | 3;

export interface VerificationContents {
  type: Operation;
  requirements: VerificationStep[];
  /** `puid` of the person to compare with; for VERIFY only. */
  userId: Puid | undefined;
  redirectUrl: string;
  handoff: HandoffPolicy;
  /** As the host asked for it; undefined leaves it to the service. */
  light?: LightPolicy | undefined;
  callback: Callback;
  locale: string;
  enableDesktop: boolean;
  sendImages: boolean;
  /** For ENROLL only. */
  estimateAge: boolean;
  contact: ContactField[];
  transactionId: string | undefined;
  debugLevel: DebugLevel;
  /** Whether it was made with a test or development key: a live session's result cannot be made up. */
  simulable: boolean;
  /** Who asks, for the person to read. */
  requester: string | null;
}

/** What the end adds. Images are never in it. */
export type VerificationOutcome = Omit<VerificationWebhook, 'sessionId' | 'transactionId' | 'images'> & {
  riskEvaluation: RiskEvaluation;
  flowStatus: FlowStatus;
  /** Seconds, when attempts were throttled. */
  retryAfter?: number;
  /** Nobody is told; for the host that trusts them later. */
  trustable?: Trustable;
};

/** What a session that ended well bound to its person or used of theirs, for the host to trust. */
export interface Trustable {
  personId: PersonId;
  devices: string[];
  passkeys: string[];
}
