// Enrollment of face tokens with a real key-holder and real encryption.
import { readToken, unpackBody } from '@limen/token/shared';
import { describe, expect, it } from 'vitest';
import { openStoredTokens } from '#testing/database/stored-tokens.ts';
import { SKIPS_ENGINE_BLIND } from '#testing/database/test-database.ts';
import type { LocalKeyHolder } from '#testing/faces/local-key-holder.ts';
import { discard, type OpenTokens, personOf, rowsOf, useTokenPlace } from '#testing/faces/token-place.ts';
import { liveOwner, testOwner } from '#testing/owners.ts';
import { addPerson, enrollFace, prepareAttempt, signIn, TOKEN_OWNER } from '#testing/processes/token-process.ts';
import { randomVector, vectorNear } from '../../../../../packages/token/testing/vectors.ts';

let keyHolder: LocalKeyHolder;
let open: OpenTokens;
useTokenPlace((given) => ({ keyHolder, open } = given));

describe('enrolment', () => {
  it('makes one person per face', async () => {
    const process = await open();
    const face = randomVector();
    const first = await addPerson(process, face);
    expect(first.kind).toBe('new');
    const again = await addPerson(process, vectorNear(face, 0.9));
    expect(again).toMatchObject({ kind: 'known', puid: first.puid, guid: first.guid });
    const other = await addPerson(process, randomVector());
    expect(other.puid).not.toBe(first.puid);
    expect((await rowsOf(process)).galleries).toMatchObject([{ people: 2, tokens: 2 }]);
    expect(await process.tokens.galleryGuid(TOKEN_OWNER)).toBe(first.guid);
  });

  it('separates the faces of customers and of the two worlds', async () => {
    const process = await open();
    const face = randomVector();
    const mine = await addPerson(process, face);
    for (const other of [liveOwner('another'), testOwner(TOKEN_OWNER.customer)]) {
      const theirs = await addPerson(process, face, other);
      expect(theirs.kind).toBe('new');
      expect(theirs.guid).not.toBe(mine.guid);
      expect(await process.tokens.findPerson(other, mine.puid)).toBeUndefined();
      expect(await signIn(process, face, mine.personId, other)).toEqual({ kind: 'no_match' });
    }
  });

  it('makes one person of concurrent enrollments through two processes', async () => {
    const processes = [await open(), await open()];
    const face = randomVector();
    const attempts = [0, 1, 0, 1, 0, 1].map((nth) => enrollFace(processes[nth]!, vectorNear(face, 0.98)));
    const strangers = [0, 1].map((nth) => enrollFace(processes[nth]!, randomVector()));
    const puids = (await Promise.all(attempts)).map((outcome) => personOf(outcome).puid);
    expect(new Set(puids).size).toBe(1);
    await Promise.all(strangers);
    expect((await rowsOf(processes[0]!)).people).toHaveLength(3);
  });

  it('lets a process with an older memory find everyone else', async () => {
    const [one, other] = [await open(), await open()];
    const faces = [randomVector(), randomVector(), randomVector()];
    await addPerson(one, faces[0]!);
    expect(await signIn(other, faces[0]!)).toMatchObject({ kind: 'match' });
    const second = await addPerson(one, faces[1]!);
    expect(await signIn(other, faces[1]!)).toMatchObject({ kind: 'match', puid: second.puid });
    await one.people.remove(TOKEN_OWNER, second.puid);
    expect(await signIn(other, faces[1]!)).toEqual({ kind: 'no_match' });
    expect(await signIn(other, faces[2]!)).toEqual({ kind: 'no_match' });
  });
});

describe('a stored token', () => {
  it.skipIf(SKIPS_ENGINE_BLIND)('is not what the device sent, in neither polynomial', async () => {
    const process = await open();
    const attempt = await prepareAttempt(process, 'enrol', randomVector());
    const probe = Buffer.from(attempt.probe);
    expect(await process.tokens.enrol({ ...attempt, probe })).toMatchObject({ kind: 'new' });
    expect(probe.equals(attempt.probe)).toBe(true);
    const [stored] = await openStoredTokens(process.database, process.sealer);
    const [sent, kept] = [unpackBody(readToken(probe).body), unpackBody(stored!.body)];
    for (const part of ['c0', 'c1'] as const) {
      const alike = sent[part].filter((value, index) => value === kept[part][index]);
      expect(alike.length).toBeLessThan(5);
    }
  });

  /** Enrolls a person at another process between the search and the end. */
  async function enrollBetween(face: Float32Array, other: Float32Array) {
    const process = await open();
    await addPerson(process, randomVector());
    let adoptions = 0;
    let between: unknown;
    const slow = await open({
      keyHolder: {
        ...keyHolder,
        async adopt(...given) {
          adoptions += 1;
          const adopted = await keyHolder.adopt(...given);
          between = await addPerson(process, other);
          return adopted;
        },
      },
    });
    const attempt = await prepareAttempt(slow, 'enrol', face);
    const outcome = await slow.tokens.enrol({ ...attempt, probe: Buffer.from(attempt.probe) });
    const { tokens } = await rowsOf(process);
    return { process, outcome: personOf(outcome), between: personOf(between as { kind: string }), adoptions, tokens };
  }

  it('is adopted once, even if another person is enrolled in the meantime', async () => {
    const face = randomVector();
    const { process, outcome, between, adoptions, tokens } = await enrollBetween(face, randomVector());
    expect([outcome.kind, adoptions, tokens.length]).toEqual(['new', 1, 3]);
    expect(outcome.puid).not.toBe(between.puid);
    expect(await enrollFace(process, face)).toMatchObject({ puid: outcome.puid });
  });

  it('is dropped if the same face was enrolled in the meantime', async () => {
    const face = randomVector();
    const { outcome, between, adoptions, tokens } = await enrollBetween(face, vectorNear(face, 0.9));
    expect([outcome.kind, outcome.puid, adoptions, tokens.length]).toEqual(['known', between.puid, 1, 2]);
  });

  it.skipIf(SKIPS_ENGINE_BLIND)('is nothing for somebody who is known', async () => {
    const process = await open();
    const face = randomVector();
    const person = await addPerson(process, face);
    expect(await enrollFace(process, face)).toMatchObject({ kind: 'known', puid: person.puid });
    expect((await rowsOf(process)).galleries).toMatchObject([{ people: 1, tokens: 1 }]);
  });

  it('is dropped if the first match is missing among the late rows', async () => {
    const process = await open();
    const face = randomVector();
    await addPerson(process, face);
    let answers = 0;
    const strict = await open({
      keyHolder: {
        ...keyHolder,
        // As the threshold, which grows with the rows, may cause.
        finish: async (challenge) => ({
          best: (await keyHolder.finish(challenge)).best === 0 && answers++ === 0 ? 0 : null,
        }),
        async adopt(...given) {
          const adopted = await keyHolder.adopt(...given);
          await enrollFace(process, randomVector());
          return adopted;
        },
      },
    });
    await expect(enrollFace(strict, face)).rejects.toMatchObject({ code: 'unavailable' });
    expect((await rowsOf(process)).galleries).toMatchObject([{ people: 1, tokens: 2 }]);
  });
});

describe('a gallery', () => {
  it('accepts a limited number of people, provisional ones included, and reveals no one', async () => {
    const process = await open({ maxPeople: 2 });
    const face = randomVector();
    await addPerson(process, face);
    const [last, session] = [randomVector(), process.newSession()];
    await enrollFace(process, last, { session });
    // A full gallery would otherwise reveal whether a face is enrolled.
    for (const shown of [randomVector(), face]) {
      const refused = await enrollFace(process, shown).catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: 'store_full', message: expect.stringContaining('raise MAX_PEOPLE') });
    }
    expect((await rowsOf(process)).galleries).toMatchObject([{ people: 1, tokens: 2 }]);
    expect(await enrollFace(process, last, { session })).toMatchObject({ kind: 'new' });
    await discard(process, session);
    expect(await enrollFace(process, randomVector())).toMatchObject({ kind: 'new' });
  });

  it('accepts no more from two concurrent processes', async () => {
    const processes = [await open({ maxPeople: 3 }), await open({ maxPeople: 3 })];
    const all = [0, 1, 0, 1, 0, 1].map((nth) => enrollFace(processes[nth]!, randomVector()));
    const made = (await Promise.allSettled(all)).filter(({ status }) => status === 'fulfilled');
    expect(made).toHaveLength(3);
    expect((await rowsOf(processes[0]!)).people).toHaveLength(3);
  });
});
