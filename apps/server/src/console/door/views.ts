// Views of sign-in, operators, API keys and the audit log. The page of the console imports these types.
import type { Role } from '../../platform/base/roles.ts';
import type { World } from '../../platform/base/world.ts';
import type { Act, ActSubject } from '../../records/audit/acts.ts';
import type { ListedOperator, Operators } from '../operators/operators.ts';
import type { ConfirmableAct, Permission } from '../operators/permissions.ts';
import type { OperatorSession } from '../operators/sessions.ts';
import type { KeyView } from './key-names.ts';

export type { Act, ActSubject, ConfirmableAct, KeyView, Permission, Role, World };

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

export interface SignInOptionsView {
  provider: string | null;
}

export interface AwayView {
  url: string;
}

export type ProviderRefusal = 'denied' | 'late' | 'unproven' | 'no-role' | 'name-taken';

export type SignedInView = Omit<OperatorSession, 'operator'> & { isThis: boolean };

export interface MeView {
  name: string;
  role: Role;
  permissions: Permission[];
  sessions: SignedInView[];
  idleMinutes: number;
  hasScreening: boolean;
}

export type PasskeyView = Awaited<ReturnType<Operators['passkeysOf']>>[number];

export interface MyPasskeysView {
  passkeys: PasskeyView[];
  /** Links that others made for further passkeys of the operator, newest first */
  links: { at: number; by: string }[];
}

export interface NewKeyView {
  kind: 'live' | 'test';
  label: string;
  customer?: string;
  clientCredentials: boolean;
  nativeApp?: boolean;
  kiosk?: boolean;
}

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
      operatorId: string;
      role: Role | null;
      act: string;
      about: string | null;
      label: string | null;
      place: ActSubject | null;
      from: string;
    };

export interface AuditActorView {
  id: string;
  name: string;
}

export interface AuditPageView {
  lines: AuditLineView[];
  next?: number;
}

export interface OperatorView extends Omit<ListedOperator, 'passkeys' | 'sessions'> {
  passkeys: PasskeyView[];
  sessions: SignedInView[];
  /** Time of their last act, as far as the audit log goes back */
  seenAt: number | null;
  isYou: boolean;
}

export interface InvitedView {
  name: string;
  role: Role;
  link: string;
  expiresAt: number;
}
