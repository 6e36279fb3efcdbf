// Renewal of keys during enrollments and sign-ins: interrupted, repeated, concurrent, with deletions.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { engine, type TestDatabase } from '#testing/database/test-database.ts';
import type { LocalKeyHolder } from '#testing/faces/local-key-holder.ts';
import { useTokenPlace } from '#testing/faces/token-place.ts';
import {
  addPeople,
  addPerson,
  enrollFace,
  openTokenProcess,
  prepareAttempt,
  signIn,
  TOKEN_OWNER,
  type TokenProcess,
} from '#testing/processes/token-process.ts';
import { randomVector } from '../../../../../packages/token/testing/vectors.ts';
import { createPeopleStore } from '../galleries/store/people.ts';

let place: TestDatabase;
let keyHolder: LocalKeyHolder;
useTokenPlace((given) => ({ place, keyHolder } = given));

const open = (options: Partial<Parameters<typeof openTokenProcess>[1]> = {}) =>
  openTokenProcess(place, { keyHolder, pageTokens: 1, ...options });
const renewAll = ({ tokens }: TokenProcess) => tokens.renewAll({}, () => {}, new AbortController().signal);
const epochsOf = async ({ database }: TokenProcess) =>
  (await database.queries.selectFrom('tokens').select('epoch').orderBy('seq').execute()).map(({ epoch }) => epoch);

it('moves every token to a new key, resumes after a stop, and everyone stays findable', async () => {
  const [process, other, reader] = [await open(), await open(), await open({ memoryMb: 0 })];
  const people = await addPeople(process, 3);
  await signIn(other, people[0]!.face);
  const old = (await epochsOf(process))[0]!;
  const body = await process.database.queries.selectFrom('tokens').select('sealed').executeTakeFirstOrThrow();
  const stopped = new AbortController();
  const seen: unknown[] = [];
  const first = process.tokens.renewAll(
    { customer: TOKEN_OWNER.customer },
    (progress) => {
      seen.push(progress);
      stopped.abort();
    },
    stopped.signal,
  );
  await expect(first).rejects.toThrow();
  expect(seen).toEqual([{ owner: TOKEN_OWNER, renewed: 1, total: 3 }]);
  expect(new Set(await epochsOf(process)).size).toBe(2);
  for (const one of [process, other, reader]) {
    expect(await signIn(one, people[0]!.face)).toMatchObject({ kind: 'match', puid: people[0]!.puid });
    expect(await signIn(one, people[2]!.face)).toMatchObject({ kind: 'match', puid: people[2]!.puid });
  }
  expect(await signIn(process, people[0]!.face, people[0]!.personId)).toMatchObject({ kind: 'match' });
  expect(await addPerson(other, people[1]!.face)).toMatchObject({ kind: 'known', puid: people[1]!.puid });

  expect(await renewAll(process)).toEqual({ customers: 1, renewed: 2, retired: 1, lost: 0, worn: 0 });
  const epochs = new Set(await epochsOf(process));
  expect(epochs.size).toBe(1);
  expect(epochs.has(old)).toBe(false);
  for (const { face, puid } of people) expect(await signIn(other, face)).toMatchObject({ kind: 'match', puid });
  if (engine === 'sqlite') {
    const files = readdirSync(place.dataDir).filter((name) => name.startsWith('limen.db'));
    const old = Buffer.from(body.sealed).subarray(50, 114);
    expect(files.some((name) => readFileSync(join(place.dataDir, name)).includes(old))).toBe(false);
  }
});

it('finishes an enrollment started before it under the new key', async () => {
  const process = await open();
  await addPeople(process, 1);
  const attempt = await prepareAttempt(process, 'enrol', randomVector());
  await renewAll(process);
  expect(await process.tokens.enrol(attempt)).toMatchObject({ kind: 'new' });
  const epochs = await epochsOf(process);
  expect([epochs.length, new Set(epochs).size]).toEqual([2, 1]);
});

async function nameNextEpoch({ database, sealer }: TokenProcess) {
  const store = createPeopleStore(database, sealer, { error() {} });
  for (const { id } of await store.listGalleries()) {
    await database.transact(async (trx) =>
      store.updateGallery(trx, { ...(await store.lockGallery(trx, id))!, token_epoch: 'next' }),
    );
  }
}

it('refuses an enrollment that a renewal overtook before it was stored', async () => {
  const process = await open();
  await addPeople(process, 1);
  let isFirst = true;
  const slow = await open({
    keyHolder: {
      ...keyHolder,
      async adopt(...given) {
        const adopted = await keyHolder.adopt(...given);
        // As another process's renewal does once the challenge has expired.
        if (isFirst) await nameNextEpoch(process);
        isFirst = false;
        return adopted;
      },
    },
  });
  await expect(enrollFace(slow, randomVector())).rejects.toMatchObject({ code: 'unavailable' });
  expect(await epochsOf(process)).toHaveLength(1);
});

it('does not bring back people deleted while the key-holder works', async () => {
  const process = await open();
  const [gone, kept] = await addPeople(process, 2);
  let isFirst = true;
  const slow = await open({
    keyHolder: {
      ...keyHolder,
      async renew(...given) {
        const renewed = await keyHolder.renew(...given);
        if (isFirst) await process.people.remove(TOKEN_OWNER, gone!.puid);
        isFirst = false;
        return renewed;
      },
    },
  });
  expect(await renewAll(slow)).toMatchObject({ renewed: 1, retired: 1 });
  expect(await epochsOf(process)).toHaveLength(1);
  expect(await signIn(process, gone!.face)).toEqual({ kind: 'no_match' });
  expect(await signIn(process, kept!.face)).toMatchObject({ kind: 'match', puid: kept!.puid });
});

it('finds a person whose key is retired during the search', async () => {
  const process = await open();
  const [person] = await addPeople(process, 2);
  for (const among of [undefined, person!.personId]) {
    let isFirst = true;
    const slow = await open({
      keyHolder: {
        ...keyHolder,
        async rows(...given) {
          if (isFirst) {
            isFirst = false;
            await renewAll(process);
          }
          return keyHolder.rows(...given);
        },
      },
    });
    expect(await signIn(slow, person!.face, among)).toMatchObject({ kind: 'match', puid: person!.puid });
  }
});

it('counts tokens with a lost key, which do not block other sign-ins', async () => {
  const process = await open();
  const [lost, kept] = await addPeople(process, 2);
  await process.database.queries
    .updateTable('tokens')
    .set({ epoch: Buffer.alloc(16).toString('base64url') })
    .where('person_id', '=', lost!.personId)
    .execute();
  const fresh = await open();
  expect(await signIn(fresh, lost!.face)).toEqual({ kind: 'no_match' });
  expect(await signIn(fresh, lost!.face, lost!.personId)).toEqual({ kind: 'no_match' });
  expect(fresh.logged()).toContain('face tokens whose key is gone were left out');
  expect(await renewAll(fresh)).toEqual({ customers: 1, renewed: 1, retired: 1, lost: 1, worn: 0 });
  expect(await signIn(fresh, kept!.face)).toMatchObject({ kind: 'match', puid: kept!.puid });
});
