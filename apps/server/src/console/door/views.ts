// Views of sign-in, operators, API keys and the audit log. Types only: the console's page imports them.

import type { Role } from '../../platform/base/roles.ts';
import type { World } from '../../platform/base/world.ts';
import type { Act, ActPlace } from '../../records/audit/acts.ts';
import type { Permission } from '../operators/permissions.ts';

export type { Act, ActPlace, Permission, Role, World };

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
