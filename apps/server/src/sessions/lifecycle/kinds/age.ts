// What an age session seals in its row: what it was asked for, and how it ended.
import type { AgeSessionResult, HandoffPolicy, LightPolicy } from '@limen/contract';
import type { AgeMethod, Proof } from '@limen/plan';
import type { Callback } from '../../../webhooks/callback.ts';

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

export interface AgeSettings {
  /** The steps with a camera; none where only a wallet will do. */
  requirements: readonly AgeStep[];
  ageThreshold: number;
  documentAgeThreshold: number;
  faceMatchThreshold: number;
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
