// People whose enrollment has not ended: confirmed if their session succeeds, deleted if it does not.
//
// Two sessions may show one face at the same time. The first one created the person and the others joined, but joining
// proves no more than a photograph could. The person is deleted when the last of these sessions ends without success.
//
// Locks are taken in one order, to avoid deadlocks: the gallery, then the person, then the session.

import { shareRuns } from '../../../platform/async/share-runs.ts';
import type { PersonId, SessionId } from '../../../platform/base/ids.ts';
import type { Core } from '../../../platform/core.ts';
import { afterCommit, type Transaction } from '../../../platform/database/database.ts';
import { deletePerson } from '../delete-person.ts';
import type { PeopleStore } from './people.ts';

/** `made`: the session that created the person was also the first to confirm them. */
export type ConfirmationResult = 'made' | 'known';

interface ProvisionalPeopleOptions extends Pick<Core, 'database' | 'clock'> {
  store: PeopleStore;
  settleTokens: (galleryId: string) => Promise<void>;
}

export function createProvisionalPeople({ database, store, clock, settleTokens }: ProvisionalPeopleOptions) {
  const eraseFreed = shareRuns(() => database.checkpoint());

  return {
    /** Takes the locks of `discard`. Call it first in a transaction that ends or deletes a session. */
    async lockFor(trx: Transaction, session: SessionId): Promise<void> {
      const galleries = new Set((await listBegun(trx, [session])).map(({ gallery_id }) => gallery_id));
      for (const galleryId of galleries) await store.lockGallery(trx, galleryId);
    },

    /** Keeps a person. Returns undefined if the person is gone or this session was discarded. */
    async confirm(trx: Transaction, session: SessionId, personId: PersonId): Promise<ConfirmationResult | undefined> {
      const seen = await store.findPerson(trx, personId);
      if (!seen) return undefined;
      const gallery = await store.lockGallery(trx, seen.gallery_id);
      // Another session may have confirmed or deleted them while this one waited.
      const person = gallery && (await store.findPerson(trx, personId));
      if (!person) return undefined;
      const isPart = await leave(trx, session, personId);
      // The first session to confirm them counts as the first visit, even if this session created the person. Otherwise
      // a photograph shown before the person came would be worth more than one shown afterwards.
      if (person.provisional_session === null) return 'known';
      // This session was discarded, and others enroll the person now.
      if (!isPart) return undefined;
      await store.setProvisional(trx, person, null);
      await store.updateGallery(trx, { ...gallery, people: gallery.people + 1 });
      // The person's row is sealed, unlike the rows of the sessions.
      return person.provisional_session === session ? 'made' : 'known';
    },

    /** Locks a confirmed person against deletion. Call it before `sessions.end` names the person. */
    hold: async (trx: Transaction, personId: PersonId) =>
      (await store.findPerson(trx, personId, 'held'))?.provisional_session === null,

    /** Deletes the unconfirmed people that no session but these enrolls. */
    async discard(trx: Transaction, ...sessions: SessionId[]): Promise<void> {
      for (const { session_id: session, person_id, gallery_id } of await listBegun(trx, sessions)) {
        await store.lockAnyGallery(trx, gallery_id);
        // From here on, no other session can join or confirm them.
        await leave(trx, session, person_id);
        const person = await store.findPerson(trx, person_id);
        // People who may have been confirmed stay, even if a row was edited.
        if (!(await isBegun(trx, person_id))) continue;
        const heir = await findHeir(trx, person_id);
        // A person with an edited row cannot be handed on, but no session can confirm them either.
        if (heir !== undefined && person?.provisional_session === session)
          await store.setProvisional(trx, person, heir);
        if (heir !== undefined) continue;
        await deletePerson(trx, store, person_id, clock.now(), { counts: false });
        // The person is deleted even if these steps fail, and failed steps are retried automatically.
        afterCommit(trx, () => void Promise.allSettled([settleTokens(gallery_id), eraseFreed()]));
      }
    },
  };
}

/** Reads a column that may have been edited. */
async function isBegun(trx: Transaction, personId: PersonId): Promise<boolean> {
  const row = await trx
    .selectFrom('people')
    .select('id')
    .where('id', '=', personId)
    .where('provisional_session', 'is not', null)
    .executeTakeFirst();
  return row !== undefined;
}

function listBegun(trx: Transaction, sessions: readonly SessionId[]) {
  return trx
    .selectFrom('enrolling_sessions')
    .innerJoin('people', 'people.id', 'enrolling_sessions.person_id')
    .select(['enrolling_sessions.session_id', 'enrolling_sessions.person_id', 'people.gallery_id'])
    .where('enrolling_sessions.session_id', 'in', sessions)
    .orderBy('people.gallery_id')
    .execute();
}

/** Returns false if the session does not enroll the person. */
async function leave(trx: Transaction, session: SessionId, personId: PersonId): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('enrolling_sessions')
    .where('person_id', '=', personId)
    .where('session_id', '=', session)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

async function findHeir(trx: Transaction, personId: PersonId): Promise<SessionId | undefined> {
  const next = await trx
    .selectFrom('enrolling_sessions')
    .select('session_id')
    .where('person_id', '=', personId)
    .orderBy('joined_at')
    .orderBy('session_id')
    .limit(1)
    .executeTakeFirst();
  return next?.session_id;
}
