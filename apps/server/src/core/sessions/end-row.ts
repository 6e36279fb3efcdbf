// Ends a session's row from wherever it stands, for an end that a device brings about and for one that it does not.
import type { Transaction } from '../../platform/database/database.ts';
import type { EndState } from './rules.ts';
import type { Sessions } from './sessions.ts';

interface RowEnd {
  state: EndState;
  outcome: unknown;
  /** Whom the session was about, when it ended well. */
  personId?: string | undefined;
  /** Ends only what nobody has opened. */
  unopened?: boolean;
  /** Moves through the states that a device would have brought about first. */
  asDevice?: boolean;
}

/** Undefined when it had ended already, was deleted or is not `unopened`. */
export async function endRow(
  trx: Transaction,
  sessions: Pick<Sessions, 'move' | 'end'>,
  id: string,
  { state, outcome, personId, unopened = false, asDevice = false }: RowEnd,
): Promise<{ purgeAt: number } | undefined> {
  if (asDevice) {
    const opened = await sessions.move(id, 'opened', trx);
    if (unopened && !opened) return undefined;
    await sessions.move(id, 'capturing', trx);
  }
  const from = unopened && !asDevice ? 'created' : undefined;
  return sessions.end(trx, id, state, outcome, from, personId);
}
