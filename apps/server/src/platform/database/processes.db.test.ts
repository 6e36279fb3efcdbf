// Processes that others no longer wait for, and starts whose process row is rejected.
import os from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { PATIENCE } from '@limen/testing/patience.ts';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { addValues, findUnreadable, openRotationProcess, rotate } from '#testing/data-keys.ts';
import { insertPerson } from '#testing/database/person-rows.ts';
import { createTestDatabase, engine } from '#testing/database/test-database.ts';
import { OWNER } from '#testing/edited-rows/places.ts';
import { systemClock } from '../base/clock.ts';
import { StartError } from '../base/errors.ts';
import { createIds, type PersonId } from '../base/ids.ts';
import { createRowSeal } from '../sealing/row-seal.ts';
import { UnknownDataKeyError } from '../sealing/sealer.ts';
import { openStorage, type Storage } from '../storage.ts';
import { type Database, openDatabase } from './database.ts';
import type { Schema } from './schema.ts';

const SUSPENDED_SECONDS = 17 * 60;
const ids = createIds(systemClock);

/** Suspends everything in this process until its lease has expired. */
async function suspend(): Promise<void> {
  const uptime = os.uptime();
  const asleep = vi.spyOn(os, 'uptime').mockImplementation(() => uptime + SUSPENDED_SECONDS);
  onTestFinished(() => asleep.mockRestore());
  // A stopwatch reads the system clock every 20 ms.
  await pause(40);
}

/**
 * Starts two processes and suspends the second while the first rotates the keys and destroys the
 * old ones.
 */
async function suspendOneForRotation() {
  const place = await createTestDatabase();
  onTestFinished(() => place.dispose());
  const [first, second] = [await openRotationProcess(place), await openRotationProcess(place)];
  await first.database.queries.deleteFrom('processes').where('id', '=', second.presence.id).execute();
  expect(await rotate(first)).toMatchObject({ isDestroyed: true });
  await suspend();
  await first.presence.renew();
  return { first, second };
}

const readPerson = ({ queries }: Database, id: PersonId) =>
  queries.selectFrom('people').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

const sealsAgain = ({ sealer }: Storage) =>
  vi.waitFor(() => expect(sealer.seal(Buffer.from('v'), 'place')).toBeDefined(), PATIENCE);

describe('a process that was suspended while the keys were changed', () => {
  it('seals nothing under a destroyed key, and continues with the new one by itself', async () => {
    const { first, second } = await suspendOneForRotation();
    await expect(addValues(second, 1, 'too early')).rejects.toBeInstanceOf(UnknownDataKeyError);
    await sealsAgain(second);
    await addValues(second, 1, 'in time');
    expect(await findUnreadable(first, first.database)).toEqual([]);
  });

  it('accepts rows sealed under the new keys, then reports an edited one', async () => {
    const { first, second } = await suspendOneForRotation();
    const id = await insertPerson({ ...first, ids }, OWNER);
    const person = await readPerson(first.database, id);
    const seal = createRowSeal<Schema['people']>(second.sealer, 'people');
    expect(() => seal.ifWhole(person)).toThrow(UnknownDataKeyError);
    expect(() => seal.sign(person)).toThrow(UnknownDataKeyError);
    await sealsAgain(second);
    expect(seal.ifWhole(person)).toEqual(person);
    expect(seal.ifWhole({ ...person, enroll_level: 9 })).toBeUndefined();
  });
});

describe('a process that was suspended while a newer version took something away', () => {
  async function suspendOneForContract(phase: 'expand' | 'contract') {
    const place = await createTestDatabase();
    onTestFinished(() => place.dispose());
    const onOutgrown = vi.fn();
    const process = await openRotationProcess(place, { onOutgrown });
    const later = { name: '9999-of-the-next-release', applied_at: 0, phase };
    await process.database.queries.insertInto('schema_migrations').values(later).execute();
    await suspend();
    await process.presence.renew();
    return { process, onOutgrown };
  }

  it('reports it, and seals nothing more', async () => {
    const { process, onOutgrown } = await suspendOneForContract('contract');
    expect(onOutgrown.mock.calls).toEqual([[expect.any(StartError)]]);
    expect(onOutgrown.mock.calls[0]![0].message).toContain('9999-of-the-next-release');
    await process.presence.renew();
    await expect(addValues(process, 1, 'too late')).rejects.toBeInstanceOf(UnknownDataKeyError);
  });

  it('continues if something was only added', async () => {
    const { process, onOutgrown } = await suspendOneForContract('expand');
    await addValues(process, 1, 'in time');
    expect(onOutgrown).not.toHaveBeenCalled();
  });
});

describe('a start whose process row is rejected', () => {
  async function refuseRows() {
    const place = await createTestDatabase();
    const database = openDatabase(place);
    onTestFinished(async () => {
      await database.close();
      await place.dispose();
    });
    const run = (text: string) => sql.raw(text).execute(database.queries);
    if (engine === 'sqlite') {
      await run("create trigger refuse before insert on processes begin select raise(abort, 'not now'); end");
    } else {
      await run(`create function refuse() returns trigger language plpgsql as
        $$ begin raise exception 'not now' using errcode = 'cannot_connect_now'; end $$`);
      await run('create trigger refuse before insert on processes for each row execute function refuse()');
    }
    const allow = () => run(`drop trigger refuse${engine === 'sqlite' ? '' : ' on processes'}`);
    return { options: { ...place, masterKey: undefined, clock: systemClock, ids }, database, allow };
  }

  it('is refused', async () => {
    const { options } = await refuseRows();
    await expect(openStorage(options)).rejects.toThrow();
  });

  it.runIf(engine === 'postgres')('waits for a server that is about to accept it', async () => {
    const { options, database, allow } = await refuseRows();
    const opened = await openStorage({ ...options, patience: { forMs: 30_000, onWaiting: () => void allow() } });
    const rows = await database.queries.selectFrom('processes').select('id').execute();
    expect(rows.map(({ id }) => id)).toEqual([opened.presence.id]);
    await opened.database.close();
  });
});
