// Reading stored face tokens: in pages if memory is short, without moved or damaged ones.
import { describe, expect, it } from 'vitest';
import { SKIPS_ENGINE_BLIND } from '#testing/database/test-database.ts';
import { type OpenTokens, useTokenPlace } from '#testing/faces/token-place.ts';
import { addPerson, signIn, TOKEN_OWNER } from '#testing/processes/token-process.ts';
import { randomVector } from '../../../../../../packages/token/testing/vectors.ts';
import { ownerColumns } from '../../../platform/api-keys/owner.ts';

let open: OpenTokens;
useTokenPlace((given) => ({ open } = given));

describe('memory', () => {
  it.skipIf(SKIPS_ENGINE_BLIND)('is not needed for galleries that are larger: they are read page by page', async () => {
    const process = await open({ memoryMb: 0, pageTokens: 2 });
    const faces = Array.from({ length: 5 }, () => randomVector());
    const people = [];
    for (const face of faces) people.push(await addPerson(process, face));
    for (const [at, face] of faces.entries()) {
      expect(await signIn(process, face)).toMatchObject({ kind: 'match', puid: people[at]!.puid });
    }
    expect(await signIn(process, randomVector())).toEqual({ kind: 'no_match' });
    expect(await addPerson(process, faces[3]!)).toMatchObject({ kind: 'known', puid: people[3]!.puid });
  });

  it('contains no foreign token, because one moved in the database does not open', async () => {
    const process = await open();
    const faces = [randomVector(), randomVector()];
    const [mine, theirs] = [await addPerson(process, faces[0]!), await addPerson(process, faces[1]!)];
    const { queries } = process.database;
    await queries.deleteFrom('tokens').where('person_id', '=', theirs.personId).execute();
    await queries
      .updateTable('tokens')
      .set({ person_id: theirs.personId })
      .where('person_id', '=', mine.personId)
      .execute();
    const fresh = await open();
    expect(await signIn(fresh, faces[0]!)).toEqual({ kind: 'no_match' });
    expect(await signIn(fresh, faces[0]!, theirs.personId)).toEqual({ kind: 'no_match' });
    expect(fresh.logged()).toContain('a face token cannot be decrypted and is skipped');
    expect(await fresh.tokens.renewAll(ownerColumns(TOKEN_OWNER), () => {}, AbortSignal.timeout(60_000))).toMatchObject(
      {
        renewed: 0,
        lost: 1,
      },
    );
  });

  it.skipIf(SKIPS_ENGINE_BLIND)('leaves out a damaged token, says which, and finds everybody else', async () => {
    const process = await open();
    const faces = [randomVector(), randomVector()];
    const [damaged, whole] = [await addPerson(process, faces[0]!), await addPerson(process, faces[1]!)];
    await process.database.queries
      .updateTable('tokens')
      .set({ sealed: Buffer.alloc(13_400, 1) })
      .where('person_id', '=', damaged.personId)
      .execute();
    for (const memoryMb of [16, 0]) {
      const fresh = await open({ memoryMb });
      expect(await signIn(fresh, faces[0]!)).toEqual({ kind: 'no_match' });
      expect(await signIn(fresh, faces[1]!)).toMatchObject({ kind: 'match', puid: whole.puid });
      expect(fresh.logged()).toContain('a face token cannot be read and is left out');
    }
  });
});
