// Face tokens from enrolment to deletion, with a real key-holder and real encryption.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readToken, unpackBody, writeToken } from '@limen/token/shared';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { openStoredTokens } from '#testing/database/stored-tokens.ts';
import { createTestDatabase, engine, SKIPS_ENGINE_BLIND, type TestDatabase } from '#testing/database/test-database.ts';
import { createManualClock } from '#testing/manual-clock.ts';
import { liveOwner, testOwner } from '#testing/owners.ts';
import {
  addPerson,
  enrolFace,
  openTokenProcess,
  prepareAttempt,
  signIn,
  TOKEN_OWNER,
  type TokenProcess,
} from '#testing/processes/token-process.ts';
import { randomVector, vectorNear } from '../../../../../packages/token/testing/vectors.ts';
import { auditFile } from '../../keyholder/audit/audit-chain.ts';
import { rawBytes } from '../../keyholder/testing/folder.ts';
import { type LocalKeyHolder, openLocalKeyHolder } from '../../keyholder/testing/local-key-holder.ts';
import { auditName } from '../../keyholder/throttle/attempt-subjects.ts';
import { columnsOf } from '../../platform/api-keys/owner.ts';
import { named, type PersonId, type Puid, type SessionId } from '../../platform/ids.ts';
import { KeyHolderUnavailable } from '../keyholder/keyholder.ts';
import { createPersonHandles } from '../people/person-handles.ts';
import { createPeopleCensus } from '../people/store/people-census.ts';

let place: TestDatabase;
let keyHolder: LocalKeyHolder;

beforeEach(async () => {
  place = await createTestDatabase();
  keyHolder = await openLocalKeyHolder({ clock: createManualClock() });
  return async () => {
    await keyHolder.close();
    await place.dispose();
  };
});

const open = (options: Partial<Parameters<typeof openTokenProcess>[1]> = {}) =>
  openTokenProcess(place, { keyHolder, ...options });

const discard = ({ database, tokens }: TokenProcess, session: SessionId) =>
  database.transact((trx) => tokens.discard(trx, session));
const confirm = ({ database, tokens }: TokenProcess, session: SessionId, personId: PersonId) =>
  database.transact((trx) => tokens.confirm(trx, session, personId));
const rowsOf = async ({ database }: TokenProcess) => ({
  people: await database.queries.selectFrom('people').select(['id', 'provisional_session']).execute(),
  tokens: await database.queries.selectFrom('tokens').select(['seq', 'person_id', 'epoch']).orderBy('seq').execute(),
  galleries: await database.queries.selectFrom('galleries').select(['people', 'tokens', 'version']).execute(),
});
const personOf = (outcome: { kind: string }) => outcome as { kind: string; personId: PersonId; puid: Puid };

describe('enrolment', () => {
  it('gives one face one person, and another face another', async () => {
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

  it('keeps the faces of customers and of the two worlds apart', async () => {
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

  it('of one face at the same moment through two processes makes one person', async () => {
    const processes = [await open(), await open()];
    const face = randomVector();
    const attempts = [0, 1, 0, 1, 0, 1].map((nth) => enrolFace(processes[nth]!, vectorNear(face, 0.98)));
    const strangers = [0, 1].map((nth) => enrolFace(processes[nth]!, randomVector()));
    const puids = (await Promise.all(attempts)).map((outcome) => personOf(outcome).puid);
    expect(new Set(puids).size).toBe(1);
    await Promise.all(strangers);
    expect((await rowsOf(processes[0]!)).people).toHaveLength(3);
  });

  it('has everybody else found by a process whose memory was read before', async () => {
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

describe('somebody whose enrolment has not ended', () => {
  it('is known to other enrolments and to nobody else', async () => {
    const process = await open();
    const face = randomVector();
    const session = process.newSession();
    const made = personOf(await enrolFace(process, face, { session }));
    expect(await signIn(process, face)).toEqual({ kind: 'no_match' });
    expect(await signIn(process, face, made.personId)).toEqual({ kind: 'no_match' });
    expect(await process.tokens.findPerson(TOKEN_OWNER, made.puid)).toBeUndefined();
    expect(await process.people.remove(TOKEN_OWNER, made.puid)).toBe(false);
    const census = createPeopleCensus(process.database);
    expect(await census.listPeople({ limit: 9 })).toEqual([]);
    expect(await census.countByLevel()).toEqual([]);
    expect(await census.findOwner(made.puid)).toEqual(TOKEN_OWNER); // as the row says, edited or not
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
    const made = personOf(await enrolFace(process, face, { session }));
    await discard(process, named('another session'));
    expect((await rowsOf(process)).people).toHaveLength(1);
    await discard(process, session);
    expect(await rowsOf(process)).toMatchObject({ people: [], tokens: [], galleries: [{ people: 0, tokens: 0 }] });
    expect(await confirm(process, session, made.personId)).toBeUndefined();
    expect((await addPerson(process, face)).puid).not.toBe(made.puid);
  });

  it('stays when a second try of the same session finds them, as after a lost reply', async () => {
    const process = await open();
    const face = randomVector();
    const session = process.newSession();
    const first = personOf(await enrolFace(process, face, { session }));
    const second = personOf(await enrolFace(process, face, { session }));
    expect(second).toMatchObject({ kind: 'new', puid: first.puid });
    await discard(process, session);
    expect((await rowsOf(process)).people).toEqual([]);
  });

  it.each([0, 1])('stays with the session that is left of two when number %d goes', async (gone) => {
    const process = await open();
    const [face, sessions] = [randomVector(), [process.newSession(), process.newSession()]];
    const made = personOf(await enrolFace(process, face, { session: sessions[0] }));
    const joined = await enrolFace(process, face, { session: sessions[1] });
    expect(joined).toMatchObject({ kind: 'known', puid: made.puid });
    const left = sessions[1 - gone]!;
    await discard(process, sessions[gone]!);
    expect((await rowsOf(process)).people).toEqual([{ id: made.personId, provisional_session: left }]);
    expect(await confirm(process, sessions[gone]!, made.personId)).toBeUndefined();
    // Nobody else has made them now.
    expect(await confirm(process, left, made.personId)).toBe('made');
    await discard(process, left);
    expect((await rowsOf(process)).people).toEqual([{ id: made.personId, provisional_session: null }]);
    const third = process.newSession();
    expect(await enrolFace(process, face, { session: third })).toMatchObject({ kind: 'known', puid: made.puid });
    await discard(process, third);
    expect((await rowsOf(process)).people).toHaveLength(1);
    expect(await process.database.queries.selectFrom('enrolling_sessions').selectAll().execute()).toEqual([]);
  });

  it.each([
    { order: [0, 1, 2], words: ['made', 'known', 'known'] },
    { order: [1, 0, 2], words: ['known', 'known', 'known'] },
    { order: [2, 1, 0], words: ['known', 'known', 'known'] },
    { order: [0, 2, 1], words: ['made', 'known', 'known'] },
  ])('is never taken over by a session that made them and waited, in the order $order', async ({ order, words }) => {
    const process = await open();
    const face = randomVector();
    const sessions = order.map(() => process.newSession());
    const { personId } = personOf(await enrolFace(process, face, { session: sessions[0] }));
    for (const session of sessions.slice(1)) await enrolFace(process, face, { session });
    const said = new Map<number, unknown>();
    for (const nth of order) said.set(nth, await confirm(process, sessions[nth]!, personId));
    expect([0, 1, 2].map((nth) => said.get(nth))).toEqual(words);
    expect((await rowsOf(process)).galleries).toMatchObject([{ people: 1, tokens: 1 }]);
  });

  it('is not taken over by a session whose row was edited to be the one that made them', async () => {
    for (const edit of ['alone', 'with the maker’s row deleted'] as const) {
      const process = await open();
      const face = randomVector();
      const [maker, joined, third] = [process.newSession(), process.newSession(), process.newSession()];
      const { personId } = personOf(await enrolFace(process, face, { session: maker }));
      for (const session of [joined, third]) await enrolFace(process, face, { session });
      const { queries } = process.database;
      const rows = queries.updateTable('enrolling_sessions').set({ made: 1, joined_at: 0 });
      await rows.where('session_id', '=', joined).execute();
      if (edit === 'with the maker’s row deleted') {
        await queries.deleteFrom('enrolling_sessions').where('session_id', '=', maker).execute();
        await discard(process, third);
      }
      expect(await confirm(process, joined, personId), edit).toBe('known');
    }
  });

  it('has at most one maker when three sessions confirm at once', async () => {
    const process = await open();
    const face = randomVector();
    const sessions = [process.newSession(), process.newSession(), process.newSession()];
    const { personId } = personOf(await enrolFace(process, face, { session: sessions[0] }));
    for (const session of sessions.slice(1)) await enrolFace(process, face, { session });
    const said = await Promise.all(sessions.toReversed().map((session) => confirm(process, session, personId)));
    expect(said.filter((word) => word === 'made').length).toBeLessThanOrEqual(1);
    expect(said.filter((word) => word === 'known').length).toBeGreaterThanOrEqual(2);
    expect((await rowsOf(process)).galleries).toMatchObject([{ people: 1, tokens: 1 }]);
  });

  it('is there or gone, never both, when two sessions end at once', async () => {
    const process = await open();
    const [face, sessions] = [randomVector(), [process.newSession(), process.newSession()]];
    const made = personOf(await enrolFace(process, face, { session: sessions[0] }));
    await enrolFace(process, face, { session: sessions[1] });
    const [confirmed] = await Promise.all([
      confirm(process, sessions[0]!, made.personId),
      discard(process, sessions[1]!),
    ]);
    const { people, galleries } = await rowsOf(process);
    expect(confirmed).toBe('made');
    expect(people).toEqual([{ id: made.personId, provisional_session: null }]);
    expect(galleries).toMatchObject([{ people: 1, tokens: 1 }]);
  });

  it('ends with a deletion at the same moment without either waiting for ever', async () => {
    const process = await open();
    const [mine, other, session] = [randomVector(), randomVector(), process.newSession()];
    const person = await addPerson(process, mine);
    // Somebody else was shown first: at the end the gallery is needed for them.
    await enrolFace(process, other, { session });
    await enrolFace(process, mine, { session });
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

describe('what is stored', () => {
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

  /** Somebody enrols at another process between the answer that nobody was found and the end. */
  async function enrolBetween(face: Float32Array, other: Float32Array) {
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

  it('is adopted once, also when somebody else comes meanwhile', async () => {
    const face = randomVector();
    const { process, outcome, between, adoptions, tokens } = await enrolBetween(face, randomVector());
    expect([outcome.kind, adoptions, tokens.length]).toEqual(['new', 1, 3]);
    expect(outcome.puid).not.toBe(between.puid);
    expect(await enrolFace(process, face)).toMatchObject({ puid: outcome.puid });
  });

  it('is nothing when the same face came meanwhile: what was adopted is dropped', async () => {
    const face = randomVector();
    const { outcome, between, adoptions, tokens } = await enrolBetween(face, vectorNear(face, 0.9));
    expect([outcome.kind, outcome.puid, adoptions, tokens.length]).toEqual(['known', between.puid, 1, 2]);
  });

  it.skipIf(SKIPS_ENGINE_BLIND)('is nothing for somebody who is known', async () => {
    const process = await open();
    const face = randomVector();
    const person = await addPerson(process, face);
    expect(await enrolFace(process, face)).toMatchObject({ kind: 'known', puid: person.puid });
    expect((await rowsOf(process)).galleries).toMatchObject([{ people: 1, tokens: 1 }]);
  });

  it('is not kept when whoever was found at first is not found among those who came meanwhile', async () => {
    const process = await open();
    const face = randomVector();
    await addPerson(process, face);
    let answers = 0;
    const strict = await open({
      keyHolder: {
        ...keyHolder,
        // As the threshold does, which grows with the rows.
        finish: async (challenge) => ({
          best: (await keyHolder.finish(challenge)).best === 0 && answers++ === 0 ? 0 : null,
        }),
        async adopt(...given) {
          const adopted = await keyHolder.adopt(...given);
          await enrolFace(process, randomVector());
          return adopted;
        },
      },
    });
    await expect(enrolFace(strict, face)).rejects.toMatchObject({ code: 'unavailable' });
    expect((await rowsOf(process)).galleries).toMatchObject([{ people: 1, tokens: 2 }]);
  });
});

describe.skipIf(SKIPS_ENGINE_BLIND)('an attempt that no honest device makes is refused, and the log says why', () => {
  it.each([
    ['key', (probe: Uint8Array) => probe.fill(7, 8, 24)],
    ['model', (probe: Uint8Array) => probe.fill(7, 24, 40)],
    ['kind', (probe: Uint8Array) => probe.fill(2, 4, 5)],
    ['magic', (probe: Uint8Array) => probe.fill(0, 0, 1)],
    ['parameters', (probe: Uint8Array) => probe.fill(9, 5, 6)],
    ['range', (probe: Uint8Array) => probe.fill(0xff, 40, 80)],
    ['length', (probe: Uint8Array) => probe.subarray(1)],
  ])('a probe with a wrong %s', async (reason, spoil) => {
    const process = await open();
    const attempt = await prepareAttempt(process, 'identify', randomVector());
    expect(await process.tokens.identify({ ...attempt, probe: spoil(attempt.probe) })).toEqual({ kind: 'malformed' });
    expect(process.logged()).toContain(`"reason":"${reason}"`);
  });

  it('a stored token in place of a probe', async () => {
    const process = await open();
    await addPerson(process, randomVector());
    const [stored] = await openStoredTokens(process.database, process.sealer);
    for (const purpose of ['enrol', 'identify'] as const) {
      const attempt = await prepareAttempt(process, purpose, randomVector());
      const { challenge: keyId, opened } = attempt;
      const probe = writeToken({ keyId, modelId: opened.modelId, body: stored!.body });
      const { tokens } = process;
      const outcome =
        purpose === 'enrol' ? tokens.enrol({ ...attempt, probe }) : tokens.identify({ ...attempt, probe });
      expect(await outcome).toEqual({ kind: 'malformed' });
    }
    const reasons = [...process.logged().matchAll(/"reason":"(\w+)"/g)].map(([, reason]) => reason);
    expect(reasons).toEqual(['shape', 'shape']);
    expect((await rowsOf(process)).people).toHaveLength(1);
  });

  it('a challenge that was used, or is of another time, is refused by the key-holder', async () => {
    const process = await open();
    const attempt = await prepareAttempt(process, 'identify', randomVector());
    await process.tokens.identify(attempt);
    await expect(process.tokens.identify(attempt)).rejects.toMatchObject({ name: 'ChallengeRefused' });
    const late = await prepareAttempt(process, 'identify', randomVector());
    keyHolder.clock.advance(61_000);
    await expect(process.tokens.identify(late)).rejects.toMatchObject({ name: 'ChallengeRefused' });
  });
});

describe.skipIf(SKIPS_ENGINE_BLIND)('when the key-holder', () => {
  const away = async () => {
    throw new KeyHolderUnavailable();
  };

  it('is away, nothing is stored, and the same device succeeds once it is back', async () => {
    const process = await open();
    const face = randomVector();
    const person = await addPerson(process, face);
    for (const missing of ['openChallenge', 'begin', 'rows', 'finish'] as const) {
      const other = await open({ keyHolder: { ...keyHolder, [missing]: away } });
      await expect(enrolFace(other, randomVector())).rejects.toBeInstanceOf(KeyHolderUnavailable);
      await expect(signIn(other, face)).rejects.toBeInstanceOf(KeyHolderUnavailable);
    }
    expect((await rowsOf(process)).people).toHaveLength(1);
    expect(await signIn(process, face)).toMatchObject({ kind: 'match', puid: person.puid });
  });

  it('goes away after somebody was stored, the next try of the session finds them', async () => {
    const process = await open();
    const [face, session] = [randomVector(), process.newSession()];
    const other = await open({ keyHolder: { ...keyHolder, settle: away } });
    await expect(enrolFace(other, face, { session })).rejects.toBeInstanceOf(KeyHolderUnavailable);
    expect((await rowsOf(process)).people).toMatchObject([{ provisional_session: session }]);
    expect(await enrolFace(process, face, { session })).toMatchObject({ kind: 'new' });
    expect((await rowsOf(process)).people).toHaveLength(1);
  });

  it('throttles an address, the device hears for how long', async () => {
    const process = await open();
    const session = process.newSession();
    const attempt = () => prepareAttempt(process, 'identify', randomVector(), { session });
    for (let nth = 1; nth <= 20; nth++) {
      expect(await process.tokens.identify(await attempt())).toEqual({ kind: 'no_match' });
    }
    await expect(attempt()).rejects.toMatchObject({ name: 'Throttled', retryAfter: 60 });
  });
});

describe('a device of somebody who enrolled within the last day', () => {
  it('is named as new to the key-holder, so that made-up people count with strangers', async () => {
    const asked: unknown[] = [];
    const openChallenge: LocalKeyHolder['openChallenge'] = (ask) => {
      asked.push(ask.vouched?.isNew);
      return keyHolder.openChallenge(ask);
    };
    const process = await open({ keyHolder: { ...keyHolder, openChallenge } });
    const face = randomVector();
    const { personId } = personOf(await addPerson(process, face));
    const vouchedBy = { personId, deviceId: 'a device' };
    asked.length = 0;
    for (const laterMs of [0, 24 * 3_600_000 - 1, 1]) {
      process.clock.advance(laterMs);
      await prepareAttempt(process, 'identify', face, { vouchedBy });
    }
    expect(asked).toEqual([true, true, false]);
  });
});

describe('a gallery', () => {
  it('takes so many people and no more, whether their enrolment has ended or not, and tells nobody who is in it', async () => {
    const process = await open({ maxPeople: 2 });
    const face = randomVector();
    await addPerson(process, face);
    const [last, session] = [randomVector(), process.newSession()];
    await enrolFace(process, last, { session });
    // A full one would otherwise tell whether a face is enrolled.
    for (const shown of [randomVector(), face]) {
      const refused = await enrolFace(process, shown).catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: 'store_full', message: expect.stringContaining('raise MAX_PEOPLE') });
    }
    expect((await rowsOf(process)).galleries).toMatchObject([{ people: 1, tokens: 2 }]);
    expect(await enrolFace(process, last, { session })).toMatchObject({ kind: 'new' });
    await discard(process, session);
    expect(await enrolFace(process, randomVector())).toMatchObject({ kind: 'new' });
  });

  it('takes no more than that from two processes at once', async () => {
    const processes = [await open({ maxPeople: 3 }), await open({ maxPeople: 3 })];
    const all = [0, 1, 0, 1, 0, 1].map((nth) => enrolFace(processes[nth]!, randomVector()));
    const made = (await Promise.allSettled(all)).filter(({ status }) => status === 'fulfilled');
    expect(made).toHaveLength(3);
    expect((await rowsOf(processes[0]!)).people).toHaveLength(3);
  });
});

describe('a person who is locked', () => {
  it('looks like a stranger in everything that a sign-in asks of key-holder and database', async () => {
    const calls: string[] = [];
    const watched = new Proxy(keyHolder, {
      get(target, name: keyof LocalKeyHolder) {
        const value = target[name];
        if (typeof value !== 'function') return value;
        return (...given: unknown[]) => {
          calls.push(name);
          return (value as (...given: unknown[]) => unknown).apply(target, given);
        };
      },
    });
    const process = await open({ keyHolder: watched });
    const face = randomVector();
    const { personId } = personOf(await addPerson(process, face));
    for (let nth = 0; nth < 10; nth++) await signIn(process, randomVector(), personId);
    const seen: unknown[] = [];
    for (const vector of [face, randomVector()]) {
      calls.length = 0;
      const outcome = await signIn(process, vector);
      seen.push([outcome, ...calls]);
      calls.length = 0;
      const refusal = await signIn(process, vector, personId).catch((error: unknown) => error);
      seen.push([refusal, ...calls]);
    }
    expect(seen[0]).toEqual([{ kind: 'no_match' }, 'openChallenge', 'begin', 'rows', 'finish', 'settle']);
    expect(seen[2]).toEqual(seen[0]);
    expect(seen[1]).toEqual([
      expect.objectContaining({ name: 'PersonLocked', retryAfter: 60 }),
      ...['openChallenge', 'begin', 'rows', 'finish', 'settle'],
    ]);
    expect(seen[3]).toEqual(seen[1]);
    // An enrolment asks as much for whoever is there, locked or not, as for somebody new.
    for (const [vector, kind] of [
      [face, 'known'],
      [randomVector(), 'new'],
    ] as const) {
      calls.length = 0;
      expect(await enrolFace(process, vector)).toMatchObject({ kind });
      expect(calls).toEqual(['openChallenge', 'begin', 'rows', 'finish', 'adopt', 'settle']);
    }
    keyHolder.clock.advance(60_000);
    expect(await signIn(process, face)).toMatchObject({ kind: 'match', personId });
  });
});

describe('a deleted person', () => {
  it('cannot sign in, is in no memory and in no file of the database', async () => {
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

  it('is not signed in when they are deleted while the key-holder decides', async () => {
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

  it('is enrolled anew by the next try when they are deleted during an enrolment', async () => {
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
    await expect(enrolFace(other, face)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await enrolFace(other, face)).toMatchObject({ kind: 'new' });
    expect((await rowsOf(process)).people).toHaveLength(1);
  });

  function isInFiles(bytes: Buffer): boolean {
    const files = readdirSync(place.dataDir).filter((name) => name.startsWith('limen.db'));
    return files.some((name) => readFileSync(join(place.dataDir, name)).includes(bytes));
  }
});

describe.skipIf(SKIPS_ENGINE_BLIND)('lines of the audit', () => {
  interface Line {
    challenge: string;
    person?: string;
    device?: string;
  }
  const namedLines = () =>
    readFileSync(auditFile(keyHolder.folder), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line)
      .filter(({ person, device }) => person !== undefined || device !== undefined);

  it('name a person by a key that goes with them: then no two lines can be told to be theirs', async () => {
    const process = await open();
    const face = randomVector();
    const { personId, puid } = personOf(await addPerson(process, face));
    const handles = createPersonHandles(process.database, process.sealer);
    await signIn(process, face);
    await signIn(process, randomVector(), personId);
    const vouchedBy = { personId, deviceId: 'a device' };
    await process.tokens.identify(await prepareAttempt(process, 'identify', face, { vouchedBy }));

    const handle = (await handles.ofPerson(personId))!;
    const device = (await handles.ofDevice(personId, 'a device'))!;
    const lines = namedLines();
    expect(lines.length).toBeGreaterThan(3);
    for (const line of lines) {
      if (line.person) expect(line.person).toBe(auditName(handle, line.challenge));
      if (line.device) expect(line.device).toBe(auditName(device, line.challenge));
    }
    expect(lines.some((line) => line.device)).toBe(true);
    const named = new Set(lines.map(({ challenge, person }) => person && `${challenge} ${person}`));
    expect(new Set([...named].map((pair) => pair?.split(' ')[1])).size).toBe(named.size);

    await process.people.remove(TOKEN_OWNER, puid);
    expect(await handles.ofPerson(personId)).toBeUndefined();
    expect(await process.database.queries.selectFrom('person_keys').selectAll().execute()).toEqual([]);
    const written = rawBytes(keyHolder.folder).toString('latin1');
    for (const name of [personId, puid, handle, device]) expect(written).not.toContain(name);
  });

  it('of somebody whose enrolment was given up are nobody’s too', async () => {
    const process = await open();
    const session = process.newSession();
    const { personId } = personOf(await enrolFace(process, randomVector(), { session }));
    const handles = createPersonHandles(process.database, process.sealer);
    expect(namedLines().at(-1)!.person).toBe(
      auditName((await handles.ofPerson(personId))!, namedLines().at(-1)!.challenge),
    );
    await discard(process, session);
    expect(await handles.ofPerson(personId)).toBeUndefined();
    expect(await process.database.queries.selectFrom('person_keys').selectAll().execute()).toEqual([]);
  });
});

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

  it('has no token of somebody else: one that was moved in the database opens for nobody', async () => {
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
    expect(fresh.logged()).toContain('a face token does not open and is left out');
    expect(await fresh.tokens.renewAll(columnsOf(TOKEN_OWNER), () => {}, AbortSignal.timeout(60_000))).toMatchObject({
      renewed: 0,
      lost: 1,
    });
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
