// Declares the acts of the audit log, and the console page that the id of an act leads to.
import { named, type OperatorId } from '../../platform/base/ids.ts';
import type { Role } from '../../platform/base/roles.ts';

export type Act =
  | 'sign-in'
  | 'sign-out'
  | 'refused'
  | `audit.${'view' | 'export'}`
  | `passkey.${'register' | 'remove'}`
  | `operator.${'invite' | 'reinvite' | 'provided' | 'role' | 'sign-out' | 'remove'}`
  | 'operators.view'
  | `session.${'search' | 'view' | 'reveal' | 'redact'}`
  | 'delivery.resend'
  | `case.${'view' | 'reveal' | 'assign' | 'comment' | 'decide'}`
  | `screening.${'search' | 'file'}`
  | `subject.${'search' | 'view' | 'reveal' | 'import' | 'remove'}`
  | `hit.${'confirmed' | 'not_this_subject' | 'withdraw'}`
  | `dataset.${'add' | 'sync' | 'remove' | 'heal'}`
  | `trust.${'add' | 'remove' | 'add-list' | 'sync' | 'remove-list'}`
  | `person.${'view' | 'export' | 'delete'}`
  | `key.${'create' | 'label' | 'origins' | 'traits' | 'revoke'}`
  | 'age-keys.revoke'
  | `signing-key.${'rotate' | 'remove'}`
  | 'enrol-keys.rotate'
  | 'master-key.rotate'
  | 'data-keys.rotate'
  | 'schema.contract'
  | `keyholder.${'accept' | 'hand-over'}`
  | 'job.retry'
  | 'clock.confirm'
  | `backup.${'take' | 'finish' | 'restore'}`;

/** Console pages that show one thing by its id. */
export type ActSubject = 'session' | 'case' | 'subject';

const PLACES: Readonly<Partial<Record<Act, ActSubject>>> = {
  'session.view': 'session',
  'session.reveal': 'session',
  'case.view': 'case',
  'case.reveal': 'case',
  'case.assign': 'case',
  'case.comment': 'case',
  'case.decide': 'case',
  'subject.view': 'subject',
  'subject.reveal': 'subject',
};

export const isAboutKey = (act: string): boolean => act.startsWith('key.');

/** Returns null for acts without a page, and for acts of other versions. */
export function findActPlace(act: string): ActSubject | null {
  return (Object.hasOwn(PLACES, act) && PLACES[act as Act]) || null;
}

export const COMMAND_LINE_NAME = 'command line';

export interface Operator {
  id: OperatorId;
  name: string;
  role: Role;
}

/** Operator of the command line, who may do everything and has no passkey. */
export const COMMAND_LINE: Operator = { id: named(COMMAND_LINE_NAME), name: COMMAND_LINE_NAME, role: 'admin' };
