// People in blocks: found by every process; a block is deleted with any of its people and rebuilt.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IS_LONG } from '@limen/testing/rounds.ts';
import { type BlindedShape, readToken, writeToken } from '@limen/token/shared';
import { expect, it, vi } from 'vitest';
import { openStoredTokens } from '#testing/database/stored-tokens.ts';
import { engine, type TestDatabase } from '#testing/database/test-database.ts';
import { shapeOf } from '#testing/faces/faces.ts';
import type { LocalKeyHolder } from '#testing/faces/local-key-holder.ts';
import { confirm, type OpenTokens, personOf, useTokenPlace } from '#testing/faces/token-place.ts';
import {
  addPeople,
  addPerson,
  enrollFace,
  prepareAttempt,
  signIn,
  TOKEN_OWNER,
  type TokenProcess,
} from '#testing/processes/token-process.ts';
import { encryptInBothHalves } from '../../../../../../packages/token/testing/forge.ts';
import { randomVector, vectorNear } from '../../../../../../packages/token/testing/vectors.ts';
import type { PersonId } from '../../../platform/base/ids.ts';
import { KeyHolderUnavailableError } from '../../keyholder/link/calls.ts';
import { MAX_RENEWALS } from '../../limits.ts';
import { createTokenSeal } from '../seal.ts';

let place: TestDatabase;
let keyHolder: LocalKeyHolder;
let openAny: OpenTokens;
useTokenPlace((given) => ({ place, keyHolder, open: openAny } = given));

const open = (options: Parameters<OpenTokens>[0] = {}) => openAny({ packFrom: 4, ...options });
const never = new AbortController().signal;

const blocksOf = ({ database }: TokenProcess) =>
  database.queries.selectFrom('token_blocks').selectAll().orderBy('seq').execute();

/** Comparisons sent to a key-holder, single and in blocks. */
function countRows() {
  const counts = { rows: 0, blocks: 0 };
  const { rows, blocks } = keyHolder;
  keyHolder.rows = (challenge, epoch, sent) => {
    counts.rows += sent.count;
    return rows(challenge, epoch, sent);
  };
  keyHolder.blocks = (challenge, epoch, sent) => {
    counts.blocks += sent.count;
    return blocks(challenge, epoch, sent);
  };
  return () => {
    const now = { ...counts };
    Object.assign(counts, { rows: 0, blocks: 0 });
    return now;
  };
}

async function expectFound(process: TokenProcess, people: { face: Float32Array; puid: string }[]) {
  for (const { face, puid } of people)
    expect(await signIn(process, vectorNear(face, 0.8))).toMatchObject({ kind: 'match', puid });
}

it('finds everyone in blocks as before, from memory, by a fresh process, and page by page', async () => {
  const taken = countRows();
  const process = await open({ keyHolder });
  const people = await addPeople(process, 5);
  await expectFound(process, [people[0]!]);
  taken();
  expect(await process.tokens.packAll(never)).toBe(1);
  expect(await process.tokens.packAll(never)).toBe(0);
  for (const reader of [process, await open({ keyHolder }), await open({ keyHolder, memoryMb: 0, pageTokens: 1 })]) {
    await expectFound(reader, [people[1]!, people[4]!]);
    expect(taken()).toEqual({ rows: 2, blocks: 2 });
  }
  expect(await signIn(process, randomVector())).toEqual({ kind: 'no_match' });
  expect(await addPerson(process, people[3]!.face)).toMatchObject({ kind: 'known', puid: people[3]!.puid });
  taken();
  // One person is verified by their token alone.
  expect(await signIn(process, people[2]!.face, people[2]!.personId)).toMatchObject({ kind: 'match' });
  expect(taken()).toEqual({ rows: 1, blocks: 0 });
});

it('deletes the block with a person from memory and files; the others are found and packed again', async () => {
  const taken = countRows();
  const [process, other] = [await open(), await open({ memoryMb: 0 })];
  const people = await addPeople(process, 4);
  await process.tokens.packAll(never);
  await expectFound(process, [people[1]!]);
  const [block] = await blocksOf(process);
  const part = Buffer.from(block!.sealed).subarray(50, 114);
  await process.database.checkpoint();
  if (engine === 'sqlite') expect(isInFiles(part)).toBe(true);

  expect(await process.people.remove(TOKEN_OWNER, people[0]!.puid)).toBe(true);
  expect(await blocksOf(process)).toEqual([]);
  if (engine === 'sqlite') expect(isInFiles(part)).toBe(false);
  taken();
  for (const reader of [process, other]) {
    expect(await signIn(reader, people[0]!.face)).toEqual({ kind: 'no_match' });
    await expectFound(reader, [people[2]!]);
    expect(taken()).toEqual({ rows: 6, blocks: 0 });
  }
  const added = await addPeople(process, 1);
  expect(await process.tokens.packAll(never)).toBe(1);
  const [again] = await blocksOf(process);
  expect(again!.sealed).not.toEqual(block!.sealed);
  expect(await signIn(process, people[0]!.face)).toEqual({ kind: 'no_match' });
  await expectFound(process, [people[1]!, ...added]);
});

it.runIf(IS_LONG)(
  'a renewal leaves no block under the old key, and people are packed anew under the new one',
  async () => {
    const process = await open();
    const people = await addPeople(process, 4);
    await process.tokens.packAll(never);
    await expectFound(process, [people[0]!]);
    const [old] = await blocksOf(process);
    expect(await process.tokens.renewAll({}, () => {}, never)).toMatchObject({ renewed: 4, lost: 0 });
    expect(await blocksOf(process)).toEqual([]);
    await expectFound(process, [people[1]!]);
    expect(await process.tokens.packAll(never)).toBe(1);
    expect((await blocksOf(process))[0]!.epoch).not.toBe(old!.epoch);
    await expectFound(process, [people[2]!]);
  },
);

it.runIf(IS_LONG)('people whose enrollment has not ended are not packed', async () => {
  const process = await open();
  await addPeople(process, 3);
  const face = randomVector();
  await enrollFace(process, face);
  expect(await process.tokens.packAll(never)).toBe(0);
  await addPeople(process, 1);
  expect(await process.tokens.packAll(never)).toBe(1);
  expect(await signIn(process, face)).toEqual({ kind: 'no_match' });
});

it.runIf(IS_LONG)(
  'who is deleted while they are packed stays deleted, and two who pack at once make one block',
  async () => {
    const [process, other] = [await open(), await open()];
    const people = await addPeople(process, 8);
    const { pack } = keyHolder;
    let isFirst = true;
    const slow = await open({
      keyHolder: {
        ...keyHolder,
        async pack(...given) {
          const made = await pack(...given);
          if (isFirst) await process.people.remove(TOKEN_OWNER, people[0]!.puid);
          isFirst = false;
          return made;
        },
      },
    });
    expect(await slow.tokens.packAll(never)).toBe(1);
    await addPeople(process, 1);
    const made = await Promise.all([process.tokens.packAll(never), other.tokens.packAll(never)]);
    expect(made.toSorted()).toEqual([0, 1]);
    const rows = await blocksOf(process);
    const members = rows.flatMap((row) => [row.token_0, row.token_1, row.token_2, row.token_3]);
    expect(new Set(members).size).toBe(8);
  },
);

it('refuses a face that grows in a block; an older one stays out of blocks and matches no stranger', async () => {
  const face = randomVector();
  let honest: BlindedShape | undefined;
  const process = await open({
    keyHolder: { ...keyHolder, begin: (id, about, shape) => keyHolder.begin(id, about, honest ?? shape) },
  });
  const forge = async () => {
    const attempt = await prepareAttempt(process, 'enrol', face);
    const { body, ...header } = readToken(attempt.probe);
    const forged = await encryptInBothHalves(face, attempt.opened.publicKey);
    return { ...attempt, shape: await shapeOf(body), probe: writeToken({ ...header, body: forged }) };
  };
  expect(await process.tokens.enrol(await forge())).toEqual({ kind: 'malformed' });

  const planted = await forge();
  honest = planted.shape;
  const forger = personOf(await process.tokens.enrol(planted));
  honest = undefined;
  await confirm(process, planted.session, forger.personId);
  const people = await addPeople(process, 4);
  const pack = vi.spyOn(keyHolder, 'pack');
  const packer = await open();
  expect(await packer.tokens.packAll(never)).toBe(1);
  expect(packer.logged()).toContain('it stays out of blocks');
  expect(await blocksOf(process)).toMatchObject([placesOf(people.map(({ personId }) => personId))]);
  await packer.tokens.packAll(never);
  expect(pack).toHaveBeenCalledTimes(2);
  expect(await signIn(process, vectorNear(face, 0.4))).toEqual({ kind: 'no_match' });
  expect(await signIn(process, face)).toMatchObject({ kind: 'match', personId: forger.personId });
});

it('counts renewals; a token renewed too often for blocks is reported and compared alone', async () => {
  const process = await open({ packFrom: 1 });
  const people = await addPeople(process, 5);
  const [worn] = people;
  const [token] = (await openStoredTokens(process.database, process.sealer)).filter(
    ({ personId }) => personId === worn!.personId,
  );
  const often = createTokenSeal(process.sealer).seal(token!.id, token!.personId, {
    body: token!.body,
    renewals: MAX_RENEWALS,
  });
  await process.database.queries.updateTable('tokens').set({ sealed: often }).where('id', '=', token!.id).execute();
  expect(await process.tokens.renewAll({}, () => {}, never)).toMatchObject({ renewed: 5, worn: 1 });
  const counts = (await openStoredTokens(process.database, process.sealer)).map(({ renewals }) => renewals);
  expect(counts).toEqual([MAX_RENEWALS + 1, 1, 1, 1, 1]);
  expect(await process.tokens.packAll(never)).toBe(1);
  expect(await blocksOf(process)).toMatchObject([placesOf(people.slice(1).map(({ personId }) => personId))]);
  await expectFound(process, [worn!, people[1]!]);
  // The gallery is not read again because of it.
  const select = vi.spyOn(process.database.queries, 'selectFrom');
  expect(await process.tokens.packAll(never)).toBe(0);
  expect(select.mock.calls.map(([table]) => table as unknown)).not.toContain('tokens');
});

it('leaves out a block that does not open and compares its people one by one', async () => {
  const process = await open();
  const people = await addPeople(process, 4);
  await process.tokens.packAll(never);
  const [stranger] = await addPeople(process, 1);
  const [block] = await blocksOf(process);
  const { person_0, person_1, token_0 } = block!;
  const { seq } = await process.database.queries
    .selectFrom('tokens')
    .select('seq')
    .where('person_id', '=', stranger!.personId)
    .executeTakeFirstOrThrow();
  const edit = (columns: Partial<NonNullable<typeof block>>) =>
    process.database.queries.updateTable('token_blocks').set(columns).execute();
  const expectLeftOut = async (reader: TokenProcess) => {
    await expectFound(reader, [people[0]!]);
    expect(reader.logged()).toContain('a block of face tokens cannot be read');
  };
  // Two of its people are swapped, so that one would sign in as the other.
  await edit({ person_0: person_1, person_1: person_0 });
  await expectLeftOut(await open());
  await expectLeftOut(await open({ memoryMb: 0 }));
  // Names another key, under which all would score randomly.
  await edit({ person_0, person_1, epoch: 'another' });
  await expectLeftOut(await open());
  // Names another token, so that the block outlives its first person's deletion.
  await edit({ epoch: block!.epoch, token_0: seq });
  for (const reader of [await open(), await open({ memoryMb: 0 })]) {
    await expectLeftOut(reader);
    await expectFound(reader, [stranger!]);
  }
  await edit({ token_0 });
  const reader = await open();
  await expectFound(reader, [people[0]!]);
  expect(reader.logged()).not.toContain('cannot be read');
});

it.runIf(IS_LONG)('without the key-holder nobody is packed, and nothing fails', async () => {
  const process = await open();
  await addPeople(process, 4);
  const away = await open({
    keyHolder: { ...keyHolder, pack: () => Promise.reject(new KeyHolderUnavailableError('away')) },
  });
  expect(await away.tokens.packAll(never)).toBe(0);
});

function placesOf([person_0, person_1, person_2, person_3]: PersonId[]) {
  return { person_0, person_1, person_2, person_3 };
}

function isInFiles(part: Buffer): boolean {
  const files = readdirSync(place.dataDir).filter((name) => name.startsWith('limen.db'));
  return files.some((name) => readFileSync(join(place.dataDir, name)).includes(part));
}
