// Ends a session's row from wherever it stands, for an end that a device brings about and for one that it does not.
import type { Transaction } from '../../platform/database/database.ts';
import type { SessionKind } from './kinds/kinds.ts';
import { END_STATES, OPEN_STATES } from './rules.ts';
import type { Session } from './session.ts';
import type { SessionEnd, Sessions } from './sessions.ts';

interface RowEnd<Kind extends SessionKind> extends Pick<SessionEnd<Kind>, 'outcome' | 'personId'> {
  /** Ends only what nobody has opened. */
  unopened?: boolean;
  /** Ends it from any open state, past the steps that a device would have taken first. */
  asDevice?: boolean;
}

/** Undefined when it had ended already, was deleted or is not `unopened`. */
export async function endRow<Kind extends SessionKind>(
  trx: Transaction,
  sessions: Pick<Sessions, 'end'>,
  session: Session<Kind>,
  { outcome, personId, unopened = false, asDevice = false }: RowEnd<Kind>,
): Promise<{ purgeAt: number } | undefined> {
  const from = unopened ? (['created'] as const) : asDevice ? OPEN_STATES : undefined;
  return sessions.end(trx, session, { state: END_STATES[outcome.flowStatus], outcome, from, personId });
}
