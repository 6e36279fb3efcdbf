// What a verification session seals in its row: what it was asked for, and how it ended.
import type { HandoffPolicy, LightPolicy, RiskEvaluation, VerificationWebhook } from '@limen/contract';
import type { ContactField, Operation } from '@limen/plan';
import type { PersonId, Puid } from '../../../platform/base/ids.ts';
import type { Callback } from '../../../webhooks/callback.ts';
import type { FlowStatus } from '../rules.ts';

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
