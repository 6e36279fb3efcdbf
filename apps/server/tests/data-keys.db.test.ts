// New data keys while processes work on the database: everything opens before, meanwhile and afterwards, whatever is interrupted.
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { addValues, countHeaders, dataKeysOf, openProcess, rotate, unreadableIn } from '#testing/data-keys.ts';
import { insertPerson } from '#testing/database/person-rows.ts';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { OWNER } from '#testing/edited-rows/places.ts';
import type { RotationStep } from '../src/operations/data-keys/rotate.ts';
import { findEditedRows } from '../src/operations/data-keys/row-seals.ts';
import { systemClock } from '../src/platform/base/clock.ts';
import { createIds } from '../src/platform/base/ids.ts';
import { addDataKeys, destroyEarlierDataKeys, useNextDataKeys } from '../src/platform/sealing/keyring.ts';
import { createRowSeal } from '../src/platform/sealing/row-seal.ts';
import { createSealer, UnknownDataKeyError } from '../src/platform/sealing/sealer.ts';
import { openStorage } from '../src/platform/storage.ts';

async function openTwo() {
  const place = await createTestDatabase();
  onTestFinished(() => place.dispose());
  const [first, second] = [await openProcess(place), await openProcess(place)];
  return { place, first, second };
}

describe('two processes', () => {
  it('always open what the other has sealed, whichever of them hears of it later', async () => {
    const { first, second } = await openTwo();
    await addValues(second, 5, 'before');
    const seen = new Set<string>();
    let number = 0;
    /** Between any two steps both write and both read; the second one looks for keys once it is waited for, and once for each reason. */
    const onStep = ({ step, ...rest }: RotationStep) => {
      const name = 'until' in rest ? rest.until : step;
      const isWaitedFor = 'until' in rest && !seen.has(name);
      seen.add(name);
      number += 1;
      const mine = number;
      running = running.then(async () => {
        await addValues(first, 2, `first-${mine}`);
        await addValues(second, 2, `second-${mine}`);
        for (const process of [first, second]) expect(await unreadableIn(process, first.database)).toEqual([]);
        if (isWaitedFor) await second.presence.renew();
      });
    };
    let running: Promise<void> = Promise.resolve();
    const report = await rotate(first, { onStep, pollMs: 50, quietMs: 20 });
    await running;
    await second.presence.renew();
    expect([...seen]).toEqual(expect.arrayContaining(['made', 'known', 'used', 'resealing', 'quiet']));
    expect(report.isDestroyed).toBe(true);
    for (const process of [first, second]) expect(await unreadableIn(process, first.database)).toEqual([]);
    expect(second.sealer.header()).toEqual(first.sealer.header());
  });

  it('wait for one that does not look, and for none that was killed', async () => {
    const { first, second } = await openTwo();
    const stop = new AbortController();
    const onStep = ({ step }: RotationStep) => step === 'waiting' && stop.abort();
    await expect(rotate(first, { onStep, signal: stop.signal })).rejects.toThrow();
    await addValues(first, 1, 'meanwhile');
    expect(await unreadableIn(second, first.database)).toEqual([]);
    await first.database.queries
      .updateTable('processes')
      .set({ seen_at: Date.now() - 61_000 })
      .execute();
    const seen: string[] = [];
    expect(await rotate(first, { onStep: ({ step }) => seen.push(step) })).toMatchObject({ isDestroyed: true });
    // It may only have been cut off, and come back with a value under the key that it had.
    expect(seen).toContain('quiet');
  });

  it('of which one has not learnt a key yet says so, and takes nothing for damaged', async () => {
    const { first, second } = await openTwo();
    await first.database.queries.deleteFrom('processes').where('id', '=', second.presence.id).execute();
    await rotate(first);
    const sealed = first.sealer.seal(Buffer.from('v'), 'place');
    expect(() => second.sealer.open(sealed, 'place')).toThrow(UnknownDataKeyError);
    await second.presence.renew();
    expect(second.sealer.open(sealed, 'place').toString()).toBe('v');
  });
});

describe('a change of the keys that is interrupted', () => {
  it('in its quiet time waits for one anew, because others may still write back what they had read before', async () => {
    const { first, second } = await openTwo();
    await addValues(second, 1, 'v');
    const jobs = first.database.queries;
    const { payload } = await jobs.selectFrom('jobs').select('payload').executeTakeFirstOrThrow();
    const stop = new AbortController();
    let running: Promise<unknown> = Promise.resolve();
    const onStep = ({ step }: RotationStep) => {
      if (step === 'waiting') running = second.presence.renew();
      if (step === 'quiet') stop.abort();
    };
    await expect(rotate(first, { onStep, signal: stop.signal, quietMs: 60_000, pollMs: 50 })).rejects.toThrow();
    await running;
    let hasWritten = false;
    const writeBack = ({ step }: RotationStep) => {
      if (step !== 'quiet' || hasWritten) return;
      hasWritten = true;
      running = jobs.updateTable('jobs').set({ payload }).where('id', '=', 'v-0').execute();
    };
    expect(await rotate(first, { onStep: writeBack, quietMs: 200 })).toMatchObject({ isDestroyed: true });
    await running;
    expect(hasWritten).toBe(true);
    expect(await unreadableIn(first, first.database)).toEqual([]);
  });

  it('by somebody else’s change destroys no key that is in use or about to be', async () => {
    const place = await createTestDatabase();
    onTestFinished(() => place.dispose());
    const { keyring, keys, database } = await openProcess(place);
    await addDataKeys(keyring);
    await useNextDataKeys(keyring);
    await keys.refresh();
    const { sealsWith } = keys.held();
    await addDataKeys(keyring);
    await destroyEarlierDataKeys(keyring, sealsWith);
    expect(await dataKeysOf(database)).toHaveLength(5); // two that seal, two that come next, and the one for look-ups
    await useNextDataKeys(keyring);
    await expect(destroyEarlierDataKeys(keyring, sealsWith)).rejects.toThrow('Another process');
    expect(await dataKeysOf(database)).toHaveLength(5);
  });

  it('at any step leaves everything readable, and goes on when it is called again', async () => {
    const place = await createTestDatabase();
    onTestFinished(() => place.dispose());
    const storage = await openProcess(place);
    await addValues(storage, 450, 'v');
    const before = await dataKeysOf(storage.database);
    for (let steps = 1; ; steps += onlyWhenLong(1, 4)) {
      let [left, destroyed] = [steps, false];
      const stop = new AbortController();
      // In a process of its own, as far as the database can tell, which is then gone.
      const own = await openStorage({
        ...place,
        masterKey: undefined,
        clock: systemClock,
        ids: createIds(systemClock),
      });
      const onStep = () => {
        left -= 1;
        if (left === 0) stop.abort();
      };
      await storage.database.queries.deleteFrom('processes').where('id', '!=', own.presence.id).execute();
      const report = await rotate(own, { onStep, signal: stop.signal }).catch((error: Error) => error);
      destroyed = !(report instanceof Error) && report.isDestroyed;
      await own.database.close();
      await storage.presence.renew();
      expect(await unreadableIn(storage, storage.database)).toEqual([]);
      if (destroyed) break;
      expect((await dataKeysOf(storage.database)).length).toBeGreaterThan(before.length);
    }
    expect(await countHeaders(storage.database, storage.sealer.header())).toMatchObject({ other: [] });
  });

  it('keeps the old keys for what does not open, until somebody says that it may be lost', async () => {
    const place = await createTestDatabase();
    onTestFinished(() => place.dispose());
    const storage = await openProcess(place);
    await addValues(storage, 3, 'v');
    const damaged = sql`update jobs set id = 'elsewhere' where id = 'v-1'`;
    await damaged.execute(storage.database.queries);
    expect(await rotate(storage)).toEqual({ changed: 2, isDestroyed: false, unreadable: new Map([['jobs', 1]]) });
    // It has not been lost: put back to where it was, it opens.
    await sql`update jobs set id = 'v-1' where id = 'elsewhere'`.execute(storage.database.queries);
    expect(await unreadableIn(storage, storage.database)).toEqual([]);
    await damaged.execute(storage.database.queries);
    expect(await rotate(storage, { leavesUnreadable: true })).toMatchObject({ isDestroyed: true });
    expect(await unreadableIn(storage, storage.database)).toEqual(['elsewhere']);
  });
});

describe('rows that are sealed as a whole', () => {
  it('hold under new keys, are not made whole by them, and cannot be forged with the first key any more', async () => {
    const place = await createTestDatabase();
    onTestFinished(() => place.dispose());
    const storage = await openProcess(place);
    const { database, sealer } = storage;
    const ids = createIds(systemClock);
    const [honest, edited] = [
      await insertPerson({ database, sealer, ids }, OWNER),
      await insertPerson({ database, sealer, ids }, OWNER),
    ];
    const editedRows = async () => (await findEditedRows(database.queries, sealer)).edited.map(({ id }) => id);
    await database.queries.updateTable('people').set({ enroll_level: 9 }).where('id', '=', edited).execute();
    const asBefore = sealer.keysForThread();
    expect(await rotate(storage)).toMatchObject({ isDestroyed: false, unreadable: new Map([['people', 1]]) });
    for (const _ of ['first', 'second']) {
      expect(await rotate(storage, { leavesUnreadable: true })).toMatchObject({ isDestroyed: true });
      expect(await editedRows()).toEqual([edited]);
    }
    const row = await database.queries
      .selectFrom('people')
      .selectAll()
      .where('id', '=', honest)
      .executeTakeFirstOrThrow();
    const { mac } = createRowSeal<typeof row>(createSealer(asBefore), 'people').sign(row);
    await database.queries.updateTable('people').set({ mac }).where('id', '=', honest).execute();
    expect((await editedRows()).sort()).toEqual([honest, edited].sort());
  });
});

it('destroyed keys that somebody puts back into the table open nothing and seal nothing, nor do they keep others from coming', async () => {
  const place = await createTestDatabase();
  onTestFinished(() => place.dispose());
  const storage = await openProcess(place);
  const { database, sealer, keys } = storage;
  await rotate(storage); // from now on there is a key for rows
  const copied = await database.queries.selectFrom('data_keys').selectAll().where('purpose', '!=', 'lookup').execute();
  const leaked = createSealer(sealer.keysForThread());
  await rotate(storage);
  const header = sealer.header();
  await database.queries.insertInto('data_keys').values(copied).execute();
  await keys.refresh();
  expect(() => sealer.open(leaked.seal(Buffer.from('v'), 'place'), 'place')).toThrow('not there any more');
  expect(sealer.isDigestOfRow('people', 'row', leaked.digestRow('people', 'row'))).toBe(false);
  expect(sealer.header()).toEqual(header);
  expect(await rotate(storage)).toMatchObject({ isDestroyed: true });
  expect(sealer.header()).not.toEqual(header);
  expect(await dataKeysOf(database)).toHaveLength(3);
});
