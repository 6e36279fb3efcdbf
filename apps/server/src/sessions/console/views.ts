// Views of sessions, their webhooks and people. Types only: the console's page imports them.
import type { WebhookDelivery } from '@limen/contract';
import type { World } from '../../platform/base/world.ts';
import type { ActPlace } from '../../records/audit/acts.ts';
import type { CaseState, FlagExplanation, TimelineEntry, Verdict } from '../../review/case.ts';
import type { SessionKind } from '../lifecycle/kinds.ts';
import type { SessionState } from '../lifecycle/rules.ts';
import type { Recommendation } from '../risk/evaluate.ts';
import type { DeliveryCounts, DeliveryStage } from './browse-deliveries.ts';

export type { Recommendation, SessionKind, SessionState, TimelineEntry };

export interface SessionFilters {
  kind?: SessionKind;
  state?: SessionState;
  world?: World;
  outcome?: string;
  recommendation?: Recommendation;
  flag?: string;
  key?: string;
  /** How it begins. */
  id?: string;
  /** Milliseconds since 1970. */
  from?: number;
  until?: number;
  /** The host's own: sent in a body, and never part of an address. */
  transactionId?: string;
}

export interface SessionRowView {
  id: string;
  kind: SessionKind;
  world: World;
  customer: string;
  key: { id: string; label: string | null };
  state: SessionState;
  createdAt: number;
  endedAt: number | null;
  /** ENROLL, SIGN-IN or VERIFY; of an age session, nothing. */
  operation: string | null;
  /** Outcome as the host receives it; null until the session ends. */
  outcome: string | null;
  risk: { score: number; level: string; recommendation: Recommendation; flags: string[] } | null;
  /** The row was edited in the database, and does not open. */
  isUnreadable: boolean;
}

export interface SessionPageView {
  /** Changes whenever something in the list does. */
  version: string;
  /** Left out where the version is the one that was asked with. */
  sessions?: SessionRowView[];
  /** For the page after it, where there is one. */
  next?: string;
}

export interface FilterChoices {
  outcomes: readonly string[];
  flags: readonly string[];
  keys: { id: string; label: string | null; world: World }[];
}

/** A delivery as its owner sees it, with each of its tries. */
export interface DeliveryView extends WebhookDelivery {
  /** Oldest first. */
  tries: { at: number; outcome: number | string }[];
}

export interface SessionView extends SessionRowView {
  expiresAt: number;
  /** When the session is deleted; null until it has ended. */
  purgeAt: number | null;
  requirements: string[];
  /** Proofs that may replace the camera. */
  acceptedProofs: string[];
  /** Basis of the decision, such as `wallet`; null if the session takes no proofs or has not ended. */
  source: string | null;
  errors: { code: number; message: string }[];
  explanations: FlagExplanation[];
  timeline: TimelineEntry[];
  deliveries: DeliveryView[];
  /** The case of the session, if it was left to a reviewer. */
  review: { caseId: string; state: CaseState; verdict: Verdict | null } | null;
}

/** Shown when it is asked for, and then the asking is on record. */
export interface RevealedView {
  metadata: string | null;
  transactionId: string | null;
  /** `puid` of the person that it was to be compared with. */
  userId: string | null;
  redirectUrl: string | null;
  locale: string;
  /** The outcome as the host gets it, without the risk that is shown already. */
  result: object | null;
}

export type { DeliveryStage };

/** Hours up to now, or whole days (UTC) up to and including today, as in the overview. */
export type WebhookSpan = '1h' | '24h' | '7d' | '30d' | '90d' | '365d';

export interface WebhookFilters {
  /** Without it: deliveries that are retried and deliveries that were given up. */
  stage?: DeliveryStage;
  world?: World;
  key?: string;
  since?: WebhookSpan;
}

export interface WebhookRowView extends WebhookDelivery {
  stage: DeliveryStage;
  world: World;
  customer: string;
  key: { id: string; label: string | null };
  /** The place that still shows its session or watched subject; null if both are gone. */
  about: { place: ActPlace; id: string } | null;
}

export interface WebhookCountsView extends DeliveryCounts {
  /** End of the counting: a count above it stands for any number above it. */
  upTo: number;
}

export interface WebhookPageView {
  /** Counts of all stages, under the other filters. */
  counts: WebhookCountsView;
  webhooks: WebhookRowView[];
  next?: string;
}

export interface ResentView {
  /** Ids of deliveries that are sent again. */
  resent: string[];
  /** Ids of deliveries that no longer have a body, or no longer exist. */
  gone: string[];
}

export interface PersonView {
  puid: string;
  customer: string;
  world: World;
  createdAt: number;
  /** Version of the face model that the person is enrolled with. */
  modelVersion: string;
  /** Their enrolment has not ended yet. */
  isProvisional: boolean;
  /** Whether the customer's own name for them is kept, as a digest. */
  hasIdentifier: boolean;
  embeddings: number;
  tokens: number;
  passkeys: number;
  devices: number;
  sessions: number;
  /** When a passkey or a device of theirs was last used. */
  lastUsedAt: number | null;
}

export interface DeletedPersonView {
  /** A JWT that says so. */
  receipt: string;
}

export interface RetentionView {
  /** Name of the setting. */
  name: string;
  value: number;
  unit: 'hours' | 'days';
  isDefault: boolean;
  description: string;
}
