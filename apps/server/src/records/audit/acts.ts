// Every act that is put on record, and what its line leads to in the console: the ids that it is about are addresses there.
import { named, type OperatorId } from '../../platform/base/ids.ts';
import type { Role } from '../../platform/base/roles.ts';

/** Rooms that show one thing by its id. */
export type ActPlace = 'session' | 'case' | 'subject';

const ACTS = {
  'sign-in': null,
  'sign-out': null,
  refused: null,
  'audit.view': null,
  'audit.export': null,
  'passkey.register': null,
  'passkey.remove': null,
  'operator.invite': null,
  'operator.reinvite': null,
  'operator.provided': null,
  'operator.role': null,
  'operator.sign-out': null,
  'operator.remove': null,
  'operators.view': null,
  'session.search': null,
  'session.view': 'session',
  'session.reveal': 'session',
  'session.redact': null,
  'delivery.resend': null,
  'case.view': 'case',
  'case.reveal': 'case',
  'case.assign': 'case',
  'case.comment': 'case',
  'case.decide': 'case',
  'screening.search': null,
  'screening.file': null,
  'subject.search': null,
  'subject.view': 'subject',
  'subject.reveal': 'subject',
  'subject.import': null,
  'subject.remove': null,
  'hit.confirmed': null,
  'hit.not_this_subject': null,
  'hit.withdraw': null,
  'dataset.add': null,
  'dataset.sync': null,
  'dataset.remove': null,
  'dataset.heal': null,
  'trust.add': null,
  'trust.remove': null,
  'trust.add-list': null,
  'trust.sync': null,
  'trust.remove-list': null,
  'person.view': null,
  'person.export': null,
  'person.delete': null,
  'key.create': null,
  'key.label': null,
  'key.origins': null,
  'key.traits': null,
  'key.revoke': null,
  'age-keys.revoke': null,
  'signing-key.rotate': null,
  'signing-key.remove': null,
  'enrol-keys.rotate': null,
  'master-key.rotate': null,
  'data-keys.rotate': null,
  'schema.contract': null,
  'keyholder.accept': null,
  'keyholder.hand-over': null,
  'job.retry': null,
  'clock.confirm': null,
  'backup.take': null,
  'backup.finish': null,
  'backup.restore': null,
} as const satisfies Record<string, ActPlace | null>;

export type Act = keyof typeof ACTS;

/** Acts whose id is that of an API key. */
export const isAboutKey = (act: string): boolean => act.startsWith('key.');

/** Of a line that another version wrote, nothing is known. */
export function placeOf(act: string): ActPlace | null {
  return Object.hasOwn(ACTS, act) ? ACTS[act as Act] : null;
}

export const COMMAND_LINE_NAME = 'command line';

export interface Operator {
  id: OperatorId;
  name: string;
  role: Role;
}

/** Operator of the command line in the audit log: may do everything and has no passkey. */
export const COMMAND_LINE: Operator = { id: named(COMMAND_LINE_NAME), name: COMMAND_LINE_NAME, role: 'admin' };
