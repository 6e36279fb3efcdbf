// How an act is put on record: by whom, from where, and about what. It is on disk before anything is shown, and together with what is done;
// where it cannot be written, nothing is.
import { hostname } from 'node:os';
import type { InTransaction } from '../../platform/database/database.ts';
import { COMMAND_LINE } from './actors.ts';
import type { Act } from './acts.ts';
import type { AuditEntry, AuditLog } from './log.ts';

export type RecordAct = (act: Act, about?: string) => Promise<void>;

/** A page of ids; of what is longer, the beginning says what it was. */
const MAX_ABOUT = 2_500;

type Actor = Pick<AuditEntry, 'operator' | 'from'>;

export function recordAs(audit: Pick<AuditLog, 'write'>, actor: Actor): RecordAct {
  return (act, about) => audit.write(entryOf(actor, act, about));
}

/** For what may still be refused: the line is part of the transaction that does it. */
export function recordWith(audit: Pick<AuditLog, 'writeWith'>, actor: Actor, act: Act, about: string): InTransaction {
  return (trx) => audit.writeWith(trx, entryOf(actor, act, about));
}

function entryOf({ operator, from }: Actor, act: Act, about: string | undefined): AuditEntry {
  return { operator, act, ...(about !== undefined && { about: about.slice(0, MAX_ABOUT) }), from };
}

/** Whoever has the machine, and the service itself. */
export const THIS_MACHINE: Actor = { operator: COMMAND_LINE, from: hostname() };

export function recordAsCommandLine(audit: Pick<AuditLog, 'write'>): RecordAct {
  return recordAs(audit, THIS_MACHINE);
}
