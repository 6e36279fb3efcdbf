// What operators may do in the console, by role. The one table: the service asks it on every call, and the page is told what it says.
import type { Role } from '../../platform/base/roles.ts';

/** Each with the roles that have it. */
const PERMISSIONS = {
  /** Counts by day and key. */
  'overview.read': ['admin', 'reviewer', 'auditor', 'developer'],
  /** Sessions without anything personal in them. */
  'sessions.read': ['admin', 'reviewer', 'auditor', 'developer'],
  /** What people and hosts put into a session, in either world. */
  'sessions.reveal': ['admin', 'reviewer'],
  /** The same where no real person is behind it. */
  'sessions.reveal.test': ['admin', 'reviewer', 'developer'],
  'sessions.redact': ['admin'],
  /** Cases, without anything personal in them. */
  'review.read': ['admin', 'reviewer', 'auditor'],
  /** Takes, discusses and decides cases, and sees whom they are about. */
  'review.decide': ['admin', 'reviewer'],
  /** Webhooks of every customer, without bodies. */
  'deliveries.read': ['admin', 'reviewer', 'auditor', 'developer'],
  'deliveries.resend': ['admin', 'developer'],
  'keys.read': ['admin', 'auditor', 'developer'],
  /** Makes, labels and revokes test keys. */
  'keys.write.test': ['admin', 'developer'],
  /** The same for live ones. */
  'keys.write.live': ['admin'],
  'audit.read': ['admin', 'auditor'],

  /** Lists, and watched subjects and alerts without who they are. */
  'screening.read': ['admin', 'reviewer', 'auditor', 'developer'],
  /** Screens names and files. */
  'screening.search': ['admin', 'reviewer'],
  /** Who a watched subject is and what was found for it, in either world. */
  'subjects.reveal': ['admin', 'reviewer'],
  /** The same where no real person is behind it. */
  'subjects.reveal.test': ['admin', 'reviewer', 'developer'],
  /** Decides on hits, and takes decisions back. */
  'subjects.decide': ['admin', 'reviewer'],

  /** Sees, invites, signs out and removes operators. */
  'operators.manage': ['admin'],

  /** The doctor's findings, jobs, and the authorities that wallets are trusted for. */
  'system.read': ['admin', 'auditor', 'developer'],
  'jobs.retry': ['admin', 'developer'],

  /** How much is kept about a person and how long, without anything of it. */
  'people.read': ['admin', 'reviewer', 'auditor'],
  'people.export': ['admin'],
  'people.delete': ['admin'],
} as const satisfies Record<string, readonly Role[]>;

export type Permission = keyof typeof PERMISSIONS;

const EVERY_PERMISSION = Object.keys(PERMISSIONS) as Permission[];

export function isAllowed(role: Role, permission: Permission): boolean {
  const roles: readonly Role[] = PERMISSIONS[permission];
  return roles.includes(role);
}

export function permissionsOf(role: Role): Permission[] {
  return EVERY_PERMISSION.filter((permission) => isAllowed(role, permission));
}
