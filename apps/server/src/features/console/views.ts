// What the console's page and its part of the service say to each other. Types alone: the page shares them.
import type { WebhookDelivery } from '@limen/contract';
import type { Act, ActPlace } from '../../core/audit/acts.ts';
import type { CaseState, Verdict } from '../../core/review/case.ts';
import type { TimelineEntry } from '../../core/review/session-timeline.ts';
import type { FlagExplanation } from '../../core/risk/explain-flags.ts';
import type { Permission, Role } from '../../platform/roles.ts';
import type { World } from '../../platform/world.ts';

export type * from './overview-views.ts';
export type * from './review-views.ts';
export type { Act, ActPlace, FlagExplanation, Permission, Role, TimelineEntry, World };

export type SessionKind = 'age' | 'verification';
export type SessionState = 'created' | 'opened' | 'capturing' | 'completed' | 'cancelled' | 'expired';
export type Recommendation = 'ALLOW' | 'REVIEW' | 'BLOCK';

/** A question to the browser's authenticator, and what goes back with its answer. */
export interface QuestionView {
  ticket: string;
  options: object;
}

export interface AnswerView {
  ticket: string;
  response: object;
}

export interface InviteView extends QuestionView {
  name: string;
  role: Role;
}

/** How one can sign in here. */
export interface WaysInView {
  /** The host of the identity provider, if there is one. */
  provider: string | null;
}

/** Where to go to be signed in there. */
export interface AwayView {
  url: string;
}

/** Why somebody who comes back from the identity provider is not let in. */
export type ProviderRefusal = 'denied' | 'late' | 'unproven' | 'no-role' | 'name-taken';

export interface SignedInView {
  id: string;
  createdAt: number;
  seenAt: number;
  address: string;
  agent: string;
  isThis: boolean;
}

export interface MeView {
  name: string;
  role: Role;
  permissions: Permission[];
  /** Where the operator is signed in. */
  sessions: SignedInView[];
  idleMinutes: number;
  /** Whether this service screens names, so that there is a room for it. */
  hasScreening: boolean;
}

export interface PasskeyView {
  id: string;
  createdAt: number;
  /** Null until it was used again after it was made. */
  usedAt: number | null;
}

export interface MyPasskeysView {
  passkeys: PasskeyView[];
  /** Who made a link for another passkey of theirs, and when; the newest first. */
  links: { at: number; by: string }[];
}

/** Acts that want the passkey again. */
export type ConfirmableAct =
  | 'session.redact'
  | 'key.create'
  | 'key.revoke'
  | 'key.origins'
  | 'operator.invite'
  | 'operator.remove'
  | 'passkey.remove'
  | 'person.delete';

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
  /** As the host is told it; null until the end. */
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
  /** What may take the place of the camera. */
  acceptedProofs: string[];
  /** What the decision rests on, such as `wallet`; null where the session takes no proofs or has not ended. */
  source: string | null;
  errors: { code: number; message: string }[];
  explanations: FlagExplanation[];
  timeline: TimelineEntry[];
  deliveries: DeliveryView[];
  /** Where it was left to a reviewer. */
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

export interface KeyView {
  id: string;
  kind: 'live' | 'test' | 'development';
  world: World;
  label: string | null;
  customer: string | null;
  isActive: boolean;
  hasClientCredentials: boolean;
  createdAt: number;
  /** To the hour; null before the first use. */
  lastUsedAt: number | null;
  /** The only sites that may embed its pages; none for no limit. */
  embedOrigins: string[];
  /** Its sessions run in an app, which has no browser data. */
  nativeApp: boolean;
  /** Bursts of checks at one address are normal for it. */
  kiosk: boolean;
}

export interface NewKeyView {
  kind: 'live' | 'test';
  label: string;
  customer?: string;
  clientCredentials: boolean;
  nativeApp?: boolean;
  kiosk?: boolean;
}

/** The one time at which the secrets are seen. */
export interface CreatedKeyView {
  key: KeyView;
  apiKey: string;
  clientId: string | null;
  clientSecret: string | null;
}

/** Of a line that was edited in the database, nothing can be said. */
export type AuditLineView =
  | { seq: number; isUnreadable: true }
  | {
      seq: number;
      isUnreadable: false;
      time: string;
      operator: string;
      /** What their lines are found by. */
      operatorId: string;
      /** Null for somebody who is no operator. */
      role: Role | null;
      act: string;
      about: string | null;
      /** Of the API key that it is about, as it is called now. */
      label: string | null;
      /** Where the ids that it is about are shown; null where no room shows them. */
      place: ActPlace | null;
      from: string;
    };

/** Whose lines can be asked for: operators as they are now, and those who are none. Lines of others are found from a line. */
export interface AuditWho {
  id: string;
  name: string;
}

export interface AuditPageView {
  lines: AuditLineView[];
  /** For the page after it, where there is one. */
  next?: number;
}

export interface OperatorView {
  id: string;
  name: string;
  role: Role;
  createdAt: number;
  passkeys: PasskeyView[];
  /** By an identity provider. */
  isProvided: boolean;
  /** When they last did anything, as far as the audit log goes back. */
  seenAt: number | null;
  /** Where they are signed in now. */
  sessions: SignedInView[];
  isYou: boolean;
}

/** The one time at which the link is seen. */
export interface InvitedView {
  name: string;
  role: Role;
  link: string;
  expiresAt: number;
}

export type * from './views/people.ts';
export type * from './views/screening.ts';
export type * from './views/system.ts';
export type * from './views/webhooks.ts';
