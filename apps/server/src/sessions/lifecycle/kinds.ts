// Kinds of sessions and their sealed contents. The compiler names every place that a new kind needs.
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

export const SESSION_KINDS = ['age', 'verification'] as const;
export type SessionKind = (typeof SESSION_KINDS)[number];

/** Newer versions may have written rows of unknown kinds. */
export function isKnownKind(kind: string): kind is SessionKind {
  return SESSION_KINDS.some((known) => known === kind);
}

export type AgeStep = 'face' | 'identity_document';
export type AgeReturnFormat = 'threshold' | 'exact' | 'both';

export interface ProvenAge {
  /** Proven threshold in whole years, independent of the age */
  ageOver: number;
  method: AgeMethod;
  month: string;
}

export interface EarnedAge extends ProvenAge {
  requirements: readonly string[];
  light: 'lit' | 'not_asked';
}

export interface ProofSettings {
  /** At least one, in the order of `PROOFS` */
  accepted: readonly Proof[];
  ageKeyMaxDays: number;
  ageKeyStrength: AgeMethod;
  /** `any` accepts keys of other customers */
  ageKeyFrom?: 'any' | undefined;
}

export interface AgeSettings {
  ageThreshold: number;
  documentAgeThreshold: number;
  faceMatchThreshold: number;
  /** Steps with a camera; none if only a wallet is accepted */
  requirements: readonly AgeStep[];
  stepUpEnabled: boolean;
  facialAgeEstimationReturnFormat: AgeReturnFormat;
  documentAgeReturnFormat: AgeReturnFormat;
  light?: LightPolicy | undefined;
  proofs?: ProofSettings | undefined;
}

interface CommonContents {
  locale: string;
  enableDesktop: boolean;
  handoff: HandoffPolicy;
  /** Whether the key is a test or development key: results of live sessions cannot be simulated. */
  simulable: boolean;
  requester: string | null;
}

export interface AgeContents extends CommonContents {
  settings: AgeSettings;
  enableDocumentFile: boolean;
  redirectUrl: string | undefined;
  callback: Callback | undefined;
  metadata: string;
}

export type AgeSessionOutcome = Required<
  Pick<AgeSessionResult, 'sessionStatus' | 'flowStatus' | 'errors' | 'result' | 'riskEvaluation'>
> &
  Pick<AgeSessionResult, 'indicators'> & {
    /** Age key that the finishing device may make; not for the host */
    ageKeyOffer?: AgeKeyOffer;
  };

export interface AgeKeyOffer {
  proven: EarnedAge;
  until: number;
}

export type VerificationStep = 'face' | 'identity_document' | 'passkey';
export type DebugLevel = 0 | 1 | 2 | 3;

export interface VerificationContents extends CommonContents {
  type: Operation;
  requirements: VerificationStep[];
  /** `puid` of the person to compare with; for VERIFY only */
  userId: Puid | undefined;
  redirectUrl: string;
  light?: LightPolicy | undefined;
  callback: Callback;
  sendImages: boolean;
  estimateAge: boolean;
  contact: ContactField[];
  transactionId: string | undefined;
  debugLevel: DebugLevel;
}

/** Images are never part of the outcome. */
export type VerificationOutcome = Omit<VerificationWebhook, 'sessionId' | 'transactionId' | 'images'> & {
  riskEvaluation: RiskEvaluation;
  flowStatus: FlowStatus;
  /** Seconds, if attempts were throttled */
  retryAfter?: number;
  /** Not sent; used when the host trusts devices or passkeys later */
  trustable?: ApiKeyTraits;
};

export interface ApiKeyTraits {
  personId: PersonId;
  devices: string[];
  passkeys: string[];
}
