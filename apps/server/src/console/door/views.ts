// Views of sign-in, operators, API keys and the audit log. The page of the console imports these types.

import type { Role } from '../../platform/base/roles.ts';
import type { World } from '../../platform/base/world.ts';
import type { Act, ActPlace } from '../../records/audit/acts.ts';
import type { ConfirmableAct, Permission } from '../operators/permissions.ts';

export type { Act, ActPlace, ConfirmableAct, Permission, Role, World };

/** Question to the browser's authenticator. The ticket goes back with its answer. */
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

export interface WaysInView {
  /** Host of the identity provider, if there is one */
  provider: string | null;
}

/** Address of the identity provider's sign-in */
export interface AwayView {
  url: string;
}

/** Why a sign-in with the identity provider is refused */
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
  sessions: SignedInView[];
  idleMinutes: number;
  /** Whether this service screens names */
  hasScreening: boolean;
}

export interface PasskeyView {
  id: string;
  createdAt: number;
  /** Null until its first use after registration */
  usedAt: number | null;
}

export interface MyPasskeysView {
  passkeys: PasskeyView[];
  /** Links that others made for further passkeys of the operator, newest first */
  links: { at: number; by: string }[];
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
  /** To the hour; null before the first use */
  lastUsedAt: number | null;
  /** Only sites that may embed its pages; empty for no limit */
  embedOrigins: string[];
  /** Its sessions run in an app, without browser data */
  nativeApp: boolean;
  /** Bursts of checks at one address are normal */
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

/** The secrets are shown only this once. */
export interface CreatedKeyView {
  key: KeyView;
  apiKey: string;
  clientId: string | null;
  clientSecret: string | null;
}

/** A line that was edited in the database is unreadable. */
export type AuditLineView =
  | { seq: number; isUnreadable: true }
  | {
      seq: number;
      isUnreadable: false;
      time: string;
      operator: string;
      /** Id by which lines of the operator are found */
      operatorId: string;
      /** Null for strangers and the command line */
      role: Role | null;
      act: string;
      about: string | null;
      /** Current label of the API key in `about` */
      label: string | null;
      /** Place that shows `about`; null if none does */
      place: ActPlace | null;
      from: string;
    };

/** Current operators, the command line and strangers, as filters of the audit log */
export interface AuditWho {
  id: string;
  name: string;
}

export interface AuditPageView {
  lines: AuditLineView[];
  next?: number;
}

export interface OperatorView {
  id: string;
  name: string;
  role: Role;
  createdAt: number;
  passkeys: PasskeyView[];
  /** Whether an identity provider signs them in */
  isProvided: boolean;
  /** Time of their last act, as far as the audit log goes back */
  seenAt: number | null;
  sessions: SignedInView[];
  isYou: boolean;
}

/** The link is shown only this once. */
export interface InvitedView {
  name: string;
  role: Role;
  link: string;
  expiresAt: number;
}
