// Puts a stored token into an arena. One damaged row must not take the whole gallery away: the operator hears which one.
import { TokenError } from '@limen/token/shared';
import type { Logger } from 'pino';
import type { PersonId } from '../../../platform/ids.ts';
import type { StoredToken } from '../store.ts';

export interface HeldToken {
  slot: number;
  personId: PersonId;
  epoch: string;
}

/** Undefined for a row that cannot be read. */
export function placeToken(
  arena: { add(body: Uint8Array): number },
  { id, personId, epoch, body }: StoredToken,
  log: Logger,
): HeldToken | undefined {
  const leaveOut = (reason: string): undefined => {
    log.error({ reason, token: id }, 'a face token cannot be read and is left out');
  };
  if (!body) return leaveOut('sealed');
  try {
    return { slot: arena.add(body), personId, epoch };
  } catch (error) {
    if (!(error instanceof TokenError)) throw error;
    return leaveOut(error.code);
  }
}
