// How an act is put on record: by whom, from where, and about what. It is on disk before anything is done or shown, and where it cannot be
// written nothing is.
import { hostname } from 'node:os';
import { COMMAND_LINE } from '../operators/operators.ts';
import type { Act } from './acts.ts';
import type { AuditEntry, AuditLog } from './audit-log.ts';

export type RecordAct = (act: Act, about?: string) => Promise<void>;

/** A page of ids; of what is longer, the beginning says what it was. */
const MAX_ABOUT = 2_500;

export function recordAs(audit: Pick<AuditLog, 'write'>, { operator, from }: Pick<AuditEntry, 'operator' | 'from'>) {
  const record: RecordAct = (act, about) =>
    audit.write({ operator, act, ...(about !== undefined && { about: about.slice(0, MAX_ABOUT) }), from });
  return record;
}

/** As whoever has the machine. */
export function recordAsCommandLine(audit: Pick<AuditLog, 'write'>): RecordAct {
  return recordAs(audit, { operator: COMMAND_LINE, from: hostname() });
}
