// Permissions of operators by role. The service checks them on every call, and the page reads them.
import type { Role } from '../../platform/base/roles.ts';
import type { Act } from '../../records/audit/acts.ts';

const PERMISSIONS = {
  'overview.read': ['admin', 'reviewer', 'auditor', 'developer'],
  'sessions.read': ['admin', 'reviewer', 'auditor', 'developer'],
  /** Personal values of sessions, live and test */
  'sessions.reveal': ['admin', 'reviewer'],
  'sessions.reveal.test': ['admin', 'reviewer', 'developer'],
  'sessions.redact': ['admin'],
  'review.read': ['admin', 'reviewer', 'auditor'],
  /** Takes, discusses and decides cases, and sees their personal values */
  'review.decide': ['admin', 'reviewer'],
  'deliveries.read': ['admin', 'reviewer', 'auditor', 'developer'],
  'deliveries.resend': ['admin', 'developer'],
  'keys.read': ['admin', 'auditor', 'developer'],
  'keys.write.test': ['admin', 'developer'],
  'keys.write.live': ['admin'],
  'audit.read': ['admin', 'auditor'],

  /** Lists, watched subjects and alerts without personal values */
  'screening.read': ['admin', 'reviewer', 'auditor', 'developer'],
  'screening.search': ['admin', 'reviewer'],
  /** Watched subjects and their hits, live and test */
  'subjects.reveal': ['admin', 'reviewer'],
  'subjects.reveal.test': ['admin', 'reviewer', 'developer'],
  'subjects.decide': ['admin', 'reviewer'],

  'operators.manage': ['admin'],

  /** Findings of the doctor, jobs, and trusted authorities of wallets */
  'system.read': ['admin', 'auditor', 'developer'],
  'jobs.retry': ['admin', 'developer'],

  /** How much is kept about a person and how long, without values */
  'people.read': ['admin', 'reviewer', 'auditor'],
  'people.export': ['admin'],
  'people.delete': ['admin'],
} as const satisfies Record<string, readonly Role[]>;

export type Permission = keyof typeof PERMISSIONS;

export function isAllowed(role: Role, permission: Permission): boolean {
  return (PERMISSIONS[permission] as readonly Role[]).includes(role);
}

export function listPermissions(role: Role): Permission[] {
  return (Object.keys(PERMISSIONS) as Permission[]).filter((permission) => isAllowed(role, permission));
}

/** Acts that need the operator's passkey again. */
export const CONFIRMABLE_ACTS = [
  'session.redact',
  'key.create',
  'key.revoke',
  'key.origins',
  'operator.invite',
  'operator.remove',
  'passkey.remove',
  'person.delete',
] as const satisfies readonly Act[];

export type ConfirmableAct = (typeof CONFIRMABLE_ACTS)[number];
