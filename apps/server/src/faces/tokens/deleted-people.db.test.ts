// Face tokens of people who are deleted before or during a sign-in.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { engine, type TestDatabase } from '#testing/database/test-database.ts';
import type { LocalKeyHolder } from '#testing/faces/local-key-holder.ts';
import { type OpenTokens, rowsOf, useTokenPlace } from '#testing/faces/token-place.ts';
import { addPerson, enrollFace, prepareAttempt, signIn, TOKEN_OWNER } from '#testing/processes/token-process.ts';
import { randomVector } from '../../../../../packages/token/testing/vectors.ts';
import type { PersonId } from '../../platform/base/ids.ts';

let place: TestDatabase;
let keyHolder: LocalKeyHolder;
let open: OpenTokens;
useTokenPlace((given) => ({ place, keyHolder, open } = given));

describe('a deleted person', () => {
  it('cannot sign in and is in no memory and no database file', async () => {
    const process = await open();
    const faces = [randomVector(), randomVector()];
    const [gone, kept] = [await addPerson(process, faces[0]!), await addPerson(process, faces[1]!)];
    const bodies = await process.database.queries.selectFrom('tokens').select(['person_id', 'sealed']).execute();
    const bodyOf = ({ personId }: { personId: PersonId }) =>
      Buffer.from(bodies.find(({ person_id }) => person_id === personId)!.sealed).subarray(50, 114);
    expect(await signIn(process, faces[0]!)).toMatchObject({ kind: 'match' });
    await process.database.checkpoint();
    if (engine === 'sqlite') expect(isInFiles(bodyOf(gone))).toBe(true);

    expect(await process.people.remove(TOKEN_OWNER, gone.puid)).toBe(true);
    if (engine === 'sqlite') expect([isInFiles(bodyOf(gone)), isInFiles(bodyOf(kept))]).toEqual([false, true]);
    expect(await signIn(process, faces[0]!)).toEqual({ kind: 'no_match' });
    expect(await signIn(process, faces[0]!, gone.personId)).toEqual({ kind: 'no_match' });
    expect(await signIn(process, faces[1]!)).toMatchObject({ kind: 'match', puid: kept.puid });
    expect(await process.database.transact((trx) => process.tokens.hold(trx, gone.personId))).toBe(false);
    expect(await process.tokens.findPerson(TOKEN_OWNER, gone.puid)).toBeUndefined();
    expect((await rowsOf(process)).galleries).toMatchObject([{ people: 1, tokens: 1 }]);
  });

  it('is not signed in if deleted while the key-holder decides', async () => {
    const process = await open();
    const face = randomVector();
    const person = await addPerson(process, face);
    const attempt = await prepareAttempt(process, 'identify', face);
    const finish = keyHolder.finish;
    keyHolder.finish = async (challenge) => {
      const answer = await finish(challenge);
      expect(answer.best).toBe(0);
      await process.people.remove(TOKEN_OWNER, person.puid);
      return answer;
    };
    const { tokens } = await open({ keyHolder: { ...keyHolder } });
    expect(await tokens.identify(attempt)).toEqual({ kind: 'no_match' });
  });

  it('is enrolled again by the next attempt if deleted during an enrollment', async () => {
    const process = await open();
    const face = randomVector();
    const person = await addPerson(process, face);
    let isFirst = true;
    const watched = {
      ...keyHolder,
      async finish(challenge: string) {
        const answer = await keyHolder.finish(challenge);
        if (isFirst) await process.people.remove(TOKEN_OWNER, person.puid);
        isFirst = false;
        return answer;
      },
    };
    const other = await open({ keyHolder: watched });
    await expect(enrollFace(other, face)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await enrollFace(other, face)).toMatchObject({ kind: 'new' });
    expect((await rowsOf(process)).people).toHaveLength(1);
  });

  function isInFiles(bytes: Buffer): boolean {
    const files = readdirSync(place.dataDir).filter((name) => name.startsWith('limen.db'));
    return files.some((name) => readFileSync(join(place.dataDir, name)).includes(bytes));
  }
});
