// People whose enrolment has not ended yet: confirmed when their session ends well, deleted when it ends otherwise.
//
// Two sessions may show one face at the same time. The first has made the person, the others have joined: whoever joins
// says nothing for the person that a photograph could not say. The person goes when the last of these sessions does.
//
// Whoever locks takes the gallery before the person, and both before a session: in another order two could wait for each
// other.

import { shareRuns } from '../../../platform/async/share-runs.ts';
import type { PersonId, SessionId } from '../../../platform/base/ids.ts';
import type { Core } from '../../../platform/core.ts';
import { afterCommit, type Transaction } from '../../../platform/database/database.ts';
import { deletePerson } from '../delete-person.ts';
import type { PeopleStore } from './people.ts';

/** What a session was to the person it ends well with: the first to confirm whom it made, or one who came to somebody known. */
export type Confirmed = 'made' | 'known';

interface ProvisionalPeopleOptions extends Pick<Core, 'database' | 'clock'> {
  store: PeopleStore;
  /** Resolves when the memory of this process holds no token that was removed from the gallery. */
  settleTokens: (galleryId: string) => Promise<void>;
}

export function createProvisionalPeople({ database, store, clock, settleTokens }: ProvisionalPeopleOptions) {
  const eraseFreed = shareRuns(() => database.checkpoint());

  return {
    /** Before anything else in a transaction that ends or deletes a session: what `discard` may need. */
    async lockFor(trx: Transaction, session: SessionId): Promise<void> {
      const galleries = new Set((await listBegun(trx, [session])).map(({ gallery_id }) => gallery_id));
      for (const galleryId of galleries) await store.lockGallery(trx, galleryId);
    },

    /**
     * Keeps a person permanently, even if another session enrolled them. Returns undefined if the
     * person is gone or this session was discarded.
     */
    async confirm(trx: Transaction, session: SessionId, personId: PersonId): Promise<Confirmed | undefined> {
      const seen = await store.findPerson(trx, personId);
      if (!seen) return undefined;
      const gallery = await store.lockGallery(trx, seen.gallery_id);
      // Another session may have confirmed them, or deleted them, while this one waited.
      const person = gallery && (await store.findPerson(trx, personId));
      if (!person) return undefined;
      const isPart = await leave(trx, session, personId);
      // Whoever confirmed them was here first, even if this session had made them: a photograph shown before the person
      // came must not be worth more than one shown after.
      if (person.provisional_session === null) return 'known';
      // This session has been discarded: others enrol them now.
      if (!isPart) return undefined;
      await store.setProvisional(trx, person, null);
      await store.updateGallery(trx, { ...gallery, people: gallery.people + 1 });
      // Said by the person's own row, which is sealed, and not by those of the sessions.
      return person.provisional_session === session ? 'made' : 'known';
    },

    /**
     * Keeps a confirmed person from being deleted until the transaction ends; false when there is no such person. Called before
     * `sessions.end` names the person: a deletion then waits for this transaction and finds the session.
     */
    hold: async (trx: Transaction, personId: PersonId) =>
      (await store.findPerson(trx, personId, 'held'))?.provisional_session === null,

    /** Deletes the unconfirmed people that these sessions were the last to enrol. */
    async discard(trx: Transaction, ...sessions: SessionId[]): Promise<void> {
      for (const { session_id: session, person_id, gallery_id } of await listBegun(trx, sessions)) {
        await store.lockAnyGallery(trx, gallery_id);
        // Only now nobody else can join or confirm them.
        await leave(trx, session, person_id);
        const person = await store.findPerson(trx, person_id);
        // Whoever may have been confirmed is not deleted by this, whatever was edited.
        if (!(await isBegun(trx, person_id))) continue;
        const heir = await findHeir(trx, person_id);
        // Whoever joined leaves them to the session that made them. One whose row was edited can be handed on to nobody, and
        // nobody can confirm them.
        if (heir !== undefined && person?.provisional_session === session)
          await store.setProvisional(trx, person, heir);
        if (heir !== undefined) continue;
        await deletePerson(trx, store, person_id, clock.now(), { counts: false });
        // They are deleted whatever becomes of these; both are tried again by themselves.
        afterCommit(trx, () => void Promise.allSettled([settleTokens(gallery_id), eraseFreed()]));
      }
    },
  };
}

/** By the column of a row that somebody may have edited. */
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

/** False if it was not enrolling them, or no longer is. */
async function leave(trx: Transaction, session: SessionId, personId: PersonId): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('enrolling_sessions')
    .where('person_id', '=', personId)
    .where('session_id', '=', session)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** The session that joined first of those that are left. */
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
