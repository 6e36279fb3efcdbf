// Data key rotation while processes use the database: everything opens at all times, despite
// interruptions.
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  addValues,
  countHeaders,
  dataKeysOf,
  findUnreadable,
  openRotationProcess,
  rotate,
} from '#testing/data-keys.ts';
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
  const [first, second] = [await openRotationProcess(place), await openRotationProcess(place)];
  return { place, first, second };
}

describe('two processes', () => {
  it("always open each other's values, whichever loads the new key later", async () => {
    const { first, second } = await openTwo();
    await addValues(second, 5, 'before');
    const seen = new Set<string>();
    let number = 0;
    /**
     * Both write and read between any two steps. The second process loads keys only when awaited,
     * once per reason.
     */
    const onStep = ({ step, ...rest }: RotationStep) => {
      const name = 'until' in rest ? rest.until : step;
      const isWaitedFor = 'until' in rest && !seen.has(name);
      seen.add(name);
      number += 1;
      const mine = number;
      running = running.then(async () => {
        await addValues(first, 2, `first-${mine}`);
        await addValues(second, 2, `second-${mine}`);
        for (const process of [first, second]) expect(await findUnreadable(process, first.database)).toEqual([]);
        if (isWaitedFor) await second.presence.renew();
      });
    };
    let running: Promise<void> = Promise.resolve();
    const report = await rotate(first, { onStep, pollMs: 50, quietMs: 20 });
    await running;
    await second.presence.renew();
    expect([...seen]).toEqual(expect.arrayContaining(['made', 'known', 'used', 'resealing', 'quiet']));
    expect(report.isDestroyed).toBe(true);
    for (const process of [first, second]) expect(await findUnreadable(process, first.database)).toEqual([]);
    expect(second.sealer.header()).toEqual(first.sealer.header());
  });

  it('wait for a process that does not load its keys, but not for a killed one', async () => {
    const { first, second } = await openTwo();
    const stop = new AbortController();
    const onStep = ({ step }: RotationStep) => step === 'waiting' && stop.abort();
    await expect(rotate(first, { onStep, signal: stop.signal })).rejects.toThrow();
    await addValues(first, 1, 'meanwhile');
    expect(await findUnreadable(second, first.database)).toEqual([]);
    await first.database.queries
      .updateTable('processes')
      .set({ seen_at: Date.now() - 61_000 })
      .execute();
    const seen: string[] = [];
    expect(await rotate(first, { onStep: ({ step }) => seen.push(step) })).toMatchObject({ isDestroyed: true });
    // It may only be disconnected, and return with a value under its old key.
    expect(seen).toContain('quiet');
  });

  it('report a key that one of them has not loaded yet, and treat nothing as damaged', async () => {
    const { first, second } = await openTwo();
    await first.database.queries.deleteFrom('processes').where('id', '=', second.presence.id).execute();
    await rotate(first);
    const sealed = first.sealer.seal(Buffer.from('v'), 'place');
    expect(() => second.sealer.open(sealed, 'place')).toThrow(UnknownDataKeyError);
    await second.presence.renew();
    expect(second.sealer.open(sealed, 'place').toString()).toBe('v');
  });
});

describe('an interrupted key rotation', () => {
  it('repeats its quiet period, because others may still write back older reads', async () => {
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
    expect(await findUnreadable(first, first.database)).toEqual([]);
  });

  it('of another process destroys no key that is in use or about to be', async () => {
    const place = await createTestDatabase();
    onTestFinished(() => place.dispose());
    const { keyring, keys, database } = await openRotationProcess(place);
    await addDataKeys(keyring);
    await useNextDataKeys(keyring);
    await keys.refresh();
    const { sealsWith } = keys.held();
    await addDataKeys(keyring);
    await destroyEarlierDataKeys(keyring, sealsWith);
    expect(await dataKeysOf(database)).toHaveLength(5); // Two that seal, two that come next, and the lookup key.
    await useNextDataKeys(keyring);
    await expect(destroyEarlierDataKeys(keyring, sealsWith)).rejects.toThrow('Another process');
    expect(await dataKeysOf(database)).toHaveLength(5);
  });

  it('leaves everything readable at any step, and continues when repeated', async () => {
    const place = await createTestDatabase();
    onTestFinished(() => place.dispose());
    const storage = await openRotationProcess(place);
    await addValues(storage, 450, 'v');
    const before = await dataKeysOf(storage.database);
    for (let steps = 1; ; steps += onlyWhenLong(1, 4)) {
      let [left, destroyed] = [steps, false];
      const stop = new AbortController();
      // Runs in a separate process, as far as the database can tell, which then dies.
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
      expect(await findUnreadable(storage, storage.database)).toEqual([]);
      if (destroyed) break;
      expect((await dataKeysOf(storage.database)).length).toBeGreaterThan(before.length);
    }
    expect(await countHeaders(storage.database, storage.sealer.header())).toMatchObject({ other: [] });
  });

  it('keeps the old keys for values that do not open, until told to drop them', async () => {
    const place = await createTestDatabase();
    onTestFinished(() => place.dispose());
    const storage = await openRotationProcess(place);
    await addValues(storage, 3, 'v');
    const damaged = sql`update jobs set id = 'elsewhere' where id = 'v-1'`;
    await damaged.execute(storage.database.queries);
    expect(await rotate(storage)).toEqual({ changed: 2, isDestroyed: false, unreadable: new Map([['jobs', 1]]) });
    // The value is not lost: it opens again in its own place.
    await sql`update jobs set id = 'v-1' where id = 'elsewhere'`.execute(storage.database.queries);
    expect(await findUnreadable(storage, storage.database)).toEqual([]);
    await damaged.execute(storage.database.queries);
    expect(await rotate(storage, { leavesUnreadable: true })).toMatchObject({ isDestroyed: true });
    expect(await findUnreadable(storage, storage.database)).toEqual(['elsewhere']);
  });
});

describe('rows sealed as a whole', () => {
  it('stay valid under new keys, do not become valid by them, and cannot be forged with the old key', async () => {
    const place = await createTestDatabase();
    onTestFinished(() => place.dispose());
    const storage = await openRotationProcess(place);
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

it('ignore destroyed keys that are put back into the table, which do not prevent new ones either', async () => {
  const place = await createTestDatabase();
  onTestFinished(() => place.dispose());
  const storage = await openRotationProcess(place);
  const { database, sealer, keys } = storage;
  await rotate(storage); // From now on there is a key for rows.
  const copied = await database.queries.selectFrom('data_keys').selectAll().where('purpose', '!=', 'lookup').execute();
  const leaked = createSealer(sealer.keysForThread());
  await rotate(storage);
  const header = sealer.header();
  await database.queries.insertInto('data_keys').values(copied).execute();
  await keys.refresh();
  expect(() => sealer.open(leaked.seal(Buffer.from('v'), 'place'), 'place')).toThrow('destroyed data key');
  expect(sealer.isDigestOfRow('people', 'row', leaked.digestRow('people', 'row'))).toBe(false);
  expect(sealer.header()).toEqual(header);
  expect(await rotate(storage)).toMatchObject({ isDestroyed: true });
  expect(sealer.header()).not.toEqual(header);
  expect(await dataKeysOf(database)).toHaveLength(3);
});
