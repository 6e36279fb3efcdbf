// People with an unfinished enrollment: visible to other enrollments, deleted with their sessions.
import { sql } from 'kysely';
import { describe, expect, it, vi } from 'vitest';
import { engine } from '#testing/database/test-database.ts';
import { confirm, discard, type OpenTokens, personOf, rowsOf, useTokenPlace } from '#testing/faces/token-place.ts';
import { addPerson, enrollFace, signIn, TOKEN_OWNER, type TokenProcess } from '#testing/processes/token-process.ts';
import { randomVector } from '../../../../../packages/token/testing/vectors.ts';
import { named } from '../../platform/base/ids.ts';
import { createPeopleCensus } from '../galleries/store/people-census.ts';

let open: OpenTokens;
useTokenPlace((given) => ({ open } = given));

describe('a provisional person', () => {
  it('is visible only to other enrollments', async () => {
    const process = await open();
    const face = randomVector();
    const session = process.newSession();
    const made = personOf(await enrollFace(process, face, { session }));
    expect(await signIn(process, face)).toEqual({ kind: 'no_match' });
    expect(await signIn(process, face, made.personId)).toEqual({ kind: 'no_match' });
    expect(await process.tokens.findPerson(TOKEN_OWNER, made.puid)).toBeUndefined();
    expect(await process.people.remove(TOKEN_OWNER, made.puid)).toBe(false);
    const census = createPeopleCensus(process.database);
    expect(await census.listPeople({ limit: 9 })).toEqual([]);
    expect(await census.countByLevel()).toEqual([]);
    expect(await census.findOwner(made.puid)).toEqual(TOKEN_OWNER); // from the row, edited or not
    expect((await rowsOf(process)).galleries).toMatchObject([{ people: 0, tokens: 1 }]);
    expect(await process.database.transact((trx) => process.tokens.hold(trx, made.personId))).toBe(false);

    expect(await confirm(process, session, made.personId)).toBe('made');
    expect(await signIn(process, face)).toMatchObject({ kind: 'match', puid: made.puid });
    expect(await signIn(process, face, made.personId)).toMatchObject({ kind: 'match', puid: made.puid });
    expect(await census.listPeople({ limit: 9 })).toMatchObject([{ puid: made.puid, tokens: 1 }]);
    expect((await rowsOf(process)).galleries).toMatchObject([{ people: 1, tokens: 1 }]);
    expect(await confirm(process, session, made.personId)).toBe('known');
    expect((await rowsOf(process)).galleries).toMatchObject([{ people: 1, tokens: 1 }]);
  });

  it('is deleted with the session, and the face can be enrolled again', async () => {
    const process = await open();
    const face = randomVector();
    const session = process.newSession();
    const made = personOf(await enrollFace(process, face, { session }));
    await discard(process, named('another session'));
    expect((await rowsOf(process)).people).toHaveLength(1);
    await discard(process, session);
    expect(await rowsOf(process)).toMatchObject({ people: [], tokens: [], galleries: [{ people: 0, tokens: 0 }] });
    expect(await confirm(process, session, made.personId)).toBeUndefined();
    expect((await addPerson(process, face)).puid).not.toBe(made.puid);
  });

  it('stays if a second attempt of the same session finds them, as after a lost reply', async () => {
    const process = await open();
    const face = randomVector();
    const session = process.newSession();
    const first = personOf(await enrollFace(process, face, { session }));
    const second = personOf(await enrollFace(process, face, { session }));
    expect(second).toMatchObject({ kind: 'new', puid: first.puid });
    await discard(process, session);
    expect((await rowsOf(process)).people).toEqual([]);
  });

  it.each([0, 1])('stays with the remaining session when number %d of two is deleted', async (gone) => {
    const process = await open();
    const [face, sessions] = [randomVector(), [process.newSession(), process.newSession()]];
    const made = personOf(await enrollFace(process, face, { session: sessions[0] }));
    const joined = await enrollFace(process, face, { session: sessions[1] });
    expect(joined).toMatchObject({ kind: 'known', puid: made.puid });
    const left = sessions[1 - gone]!;
    await discard(process, sessions[gone]!);
    expect((await rowsOf(process)).people).toEqual([{ id: made.personId, provisional_session: left }]);
    expect(await confirm(process, sessions[gone]!, made.personId)).toBeUndefined();
    // The maker is gone, so the person has none.
    expect(await confirm(process, left, made.personId)).toBe('made');
    await discard(process, left);
    expect((await rowsOf(process)).people).toEqual([{ id: made.personId, provisional_session: null }]);
    const third = process.newSession();
    expect(await enrollFace(process, face, { session: third })).toMatchObject({ kind: 'known', puid: made.puid });
    await discard(process, third);
    expect((await rowsOf(process)).people).toHaveLength(1);
    expect(await process.database.queries.selectFrom('enrolling_sessions').selectAll().execute()).toEqual([]);
  });

  it.each([
    { order: [0, 1, 2], words: ['made', 'known', 'known'] },
    { order: [1, 0, 2], words: ['known', 'known', 'known'] },
    { order: [2, 1, 0], words: ['known', 'known', 'known'] },
    { order: [0, 2, 1], words: ['made', 'known', 'known'] },
  ])('is never taken over by a maker session that waited, in the order $order', async ({ order, words }) => {
    const process = await open();
    const face = randomVector();
    const sessions = order.map(() => process.newSession());
    const { personId } = personOf(await enrollFace(process, face, { session: sessions[0] }));
    for (const session of sessions.slice(1)) await enrollFace(process, face, { session });
    const said = new Map<number, unknown>();
    for (const nth of order) said.set(nth, await confirm(process, sessions[nth]!, personId));
    expect([0, 1, 2].map((nth) => said.get(nth))).toEqual(words);
    expect((await rowsOf(process)).galleries).toMatchObject([{ people: 1, tokens: 1 }]);
  });

  it('is not taken over by a session whose row was edited to be the maker', async () => {
    for (const edit of ['alone', 'with the maker’s row deleted'] as const) {
      const process = await open();
      const face = randomVector();
      const [maker, joined, third] = [process.newSession(), process.newSession(), process.newSession()];
      const { personId } = personOf(await enrollFace(process, face, { session: maker }));
      for (const session of [joined, third]) await enrollFace(process, face, { session });
      const { queries } = process.database;
      const rows = queries.updateTable('enrolling_sessions').set({ joined_at: 0 });
      await rows.where('session_id', '=', joined).execute();
      if (edit === 'with the maker’s row deleted') {
        await queries.deleteFrom('enrolling_sessions').where('session_id', '=', maker).execute();
        await discard(process, third);
      }
      expect(await confirm(process, joined, personId), edit).toBe('known');
    }
  });

  it('has at most one maker when three sessions confirm concurrently', async () => {
    const process = await open();
    const face = randomVector();
    const sessions = [process.newSession(), process.newSession(), process.newSession()];
    const { personId } = personOf(await enrollFace(process, face, { session: sessions[0] }));
    for (const session of sessions.slice(1)) await enrollFace(process, face, { session });
    const said = await Promise.all(sessions.toReversed().map((session) => confirm(process, session, personId)));
    expect(said.filter((word) => word === 'made').length).toBeLessThanOrEqual(1);
    expect(said.filter((word) => word === 'known').length).toBeGreaterThanOrEqual(2);
    expect((await rowsOf(process)).galleries).toMatchObject([{ people: 1, tokens: 1 }]);
  });

  it('exists or is deleted, never both, when two sessions end concurrently', async () => {
    const process = await open();
    const [face, sessions] = [randomVector(), [process.newSession(), process.newSession()]];
    const made = personOf(await enrollFace(process, face, { session: sessions[0] }));
    await enrollFace(process, face, { session: sessions[1] });
    const [confirmed] = await Promise.all([
      confirm(process, sessions[0]!, made.personId),
      discard(process, sessions[1]!),
    ]);
    const { people, galleries } = await rowsOf(process);
    expect(confirmed).toBe('made');
    expect(people).toEqual([{ id: made.personId, provisional_session: null }]);
    expect(galleries).toMatchObject([{ people: 1, tokens: 1 }]);
  });

  it('ends with a concurrent deletion without a deadlock', async () => {
    const process = await open();
    const [mine, other, session] = [randomVector(), randomVector(), process.newSession()];
    const person = await addPerson(process, mine);
    // Another person was shown first, so the end needs the gallery.
    await enrollFace(process, other, { session });
    await enrollFace(process, mine, { session });
    const { database, tokens, people } = process;
    let removed: Promise<boolean> | undefined;
    const confirmed = await database.transact(async (trx) => {
      const word = await tokens.confirm(trx, session, person.personId);
      removed = people.remove(TOKEN_OWNER, person.puid);
      if (engine === 'postgres') await untilSomebodyWaits(process);
      await tokens.discard(trx, session);
      return word;
    });
    expect([confirmed, await removed]).toEqual(['known', true]);
    expect((await rowsOf(process)).people).toEqual([]);
  });

  async function untilSomebodyWaits({ database }: TokenProcess): Promise<void> {
    const waiting = sql<{ count: string }>`select count(*) as count from pg_locks where not granted`;
    await vi.waitUntil(async () => Number((await waiting.execute(database.queries)).rows[0]?.count) > 0);
  }
});
