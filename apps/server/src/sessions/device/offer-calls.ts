// What the device that finished a session may do once, after the end: begun as often as is fair, taken once.
import type { Clock } from '../../platform/base/clock.ts';
import { AppError, ConflictError } from '../../platform/base/errors.ts';
import type { SessionId } from '../../platform/base/ids.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { isOfKind, type Session } from '../lifecycle/session.ts';
import type { ChannelState, OfferState } from './channel-state.ts';
import type { Found } from './find-channel.ts';
import { noSuchSession } from './refusals.ts';
import type { Signer } from './signature/signature.ts';
import { advanceCounter } from './state.ts';
import type { ChannelStore } from './store.ts';

export interface BegunOffer {
  session: Session<'age'>;
  attempt: number;
}

interface OfferCallsOptions {
  database: Database;
  store: ChannelStore;
  clock: Clock;
  decide<T>(sessionId: SessionId, work: (found: Found) => Promise<T>): Promise<T>;
  requireActive(found: Found, signer: Signer): Promise<void>;
  requireAbove(state: ChannelState, signer: Signer): void;
  onChange(sessionId: SessionId): void;
}

export function createOfferCalls(options: OfferCallsOptions) {
  const { database, store, clock, decide, requireActive, requireAbove, onChange } = options;

  return {
    /** Another attempt, in place of one that was begun before. */
    begin: (sessionId: SessionId, signer: Signer, maxAttempts: number) =>
      change(sessionId, signer, ({ attempts }) => {
        if (attempts >= maxAttempts) throw noOffer();
        return { attempts: attempts + 1, open: attempts + 1, taken: false };
      }).then(({ session, after }) => ({ session, attempt: after.attempts })),

    /** The attempt that is answered: it is used up by that. Null when none is open. */
    answer: (sessionId: SessionId, signer: Signer) =>
      change(sessionId, signer, (offer) => ({ ...offer, open: null })).then(({ session, before }) => ({
        session,
        attempt: before.open,
      })),

    /** Writes what came of it, unless that was done already: then false, and nothing is written. */
    take: (sessionId: SessionId, signer: Signer, write: (trx: Transaction) => Promise<boolean>) =>
      decide(sessionId, async (found) => {
        const { record } = await requireOffered(found, signer);
        const taken = { ...record.state.offer, open: null, taken: true };
        const keep = store.toUpdate(sessionId, record, { ...record.state, offer: taken });
        const written = await database.transact(async (trx) => {
          if (!(await write(trx))) return false;
          await keep(trx);
          return true;
        });
        if (written) onChange(sessionId);
        return written;
      }),
  };

  /** With the call's counter used up. */
  function change(sessionId: SessionId, signer: Signer, next: (offer: OfferState) => OfferState) {
    return decide(sessionId, async (found) => {
      const { session, record } = await requireOffered(found, signer);
      requireAbove(record.state, signer);
      const before = record.state.offer;
      const after = next(before);
      const state = { ...advanceCounter(record.state, signer), offer: after };
      await database.transact(store.toUpdate(sessionId, record, state));
      return { session, before, after };
    });
  }

  async function requireOffered(found: Found, signer: Signer) {
    const { session, flow, record } = found;
    if (!isOfKind(session, 'age')) throw noSuchSession();
    await requireActive(found, signer);
    if (!record) throw new ConflictError(); // deleted between the two reads
    const offer = flow.endOf()?.ageKeyOffer;
    if (!offer || record.state.offer.taken || clock.now() >= offer.until) throw noOffer();
    return { session, record };
  }
}

export type OfferCalls = ReturnType<typeof createOfferCalls>;

function noOffer(): AppError {
  return new AppError('forbidden', 'This session offers nothing more; the view says what comes next.');
}
