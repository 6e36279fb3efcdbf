// Two machines with one database have the same lists, whichever loads, refreshes or removes them.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ListedEntity } from '@limen/screening';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { createManualClock } from '#testing/manual-clock.ts';
import { createListedEntity, storeList } from '#testing/screening/listed-people.ts';
import { createIds } from '../../../platform/base/ids.ts';
import type { Database } from '../../../platform/database/database.ts';
import { addDataKeys, openKeyring, useNextDataKeys } from '../../../platform/sealing/keyring.ts';
import { openStorage } from '../../../platform/storage.ts';
import { openAudit } from '../../../records/audit/open.ts';
import { tables } from '../../tables.ts';
import { createDatasetFolder } from '../folder/folder.ts';
import { SharedLists } from './lists.ts';

const TORVALD = createListedEntity('inv-1', 'Torvald Eskeland', '1961-04-09');
const QUORVINA = createListedEntity('inv-2', 'Quorvina Belzanfer', '1980-12-01');

const AN_HOUR = 3_600_000;

async function openMachines(count: number) {
  const clock = createManualClock();
  const place = await createTestDatabase();
  const storage = await openStorage({ ...place, masterKey: undefined, clock, ids: createIds(clock) });
  const { database, sealer, keyring } = storage;
  onTestFinished(async () => {
    await database.close();
    await place.dispose();
  });
  const said: string[] = [];
  const { audit } = openAudit({ database, sealer, clock });
  const acts = async () => (await audit.list({ limit: 10 })).map(({ line }) => line && [line.act, line.about]);
  function makeFolder() {
    const dataDir = mkdtempSync(join(tmpdir(), 'limen-machine-'));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    return dataDir;
  }
  function openMachine(dataDir = makeFolder()) {
    const folder = createDatasetFolder(dataDir);
    const log = { info: () => {}, error: (_: object, message: string) => void said.push(message) };
    const lists = new SharedLists({ database, sealer, folder, clock, audit, log });
    return {
      reconcile: () => lists.reconcile(),
      lacking: () => lists.lacking(),
      folder,
      dataDir,
      load(entities: readonly ListedEntity[], version: string, aheadMs = 0) {
        clock.advance(1_000);
        return storeList(dataDir, 'north', entities, version, new Date(clock.now() + aheadMs).toISOString());
      },
      has: async () => (await folder.list()).map(({ name, version }) => `${name} ${version}`),
      names: async () => {
        const index = await folder.openIndex((await folder.find('north'))!);
        return index.entityCount;
      },
    };
  }
  const machines = Array.from({ length: count }, () => openMachine());
  return { openMachine, machines, database, sealer, keyring, said, acts, clock };
}

type Machine = Awaited<ReturnType<typeof openMachines>>['machines'][0];

describe('a list', () => {
  it('that one machine loads is copied to the others, and so is its next version with the previous one', async () => {
    const { machines, said } = await openMachines(2);
    const [one, other] = machines as [Machine, Machine];
    await one.load([TORVALD], '1');
    await one.reconcile();
    await other.reconcile();
    expect([await other.has(), await other.names()]).toEqual([['north 1'], 1]);
    await other.load([TORVALD, QUORVINA], '2');
    await other.reconcile();
    await one.reconcile();
    expect([await one.has(), await one.names()]).toEqual([['north 2'], 2]);
    const changes = [];
    for await (const change of one.folder.changesOf((await one.folder.find('north'))!)) changes.push(change.change);
    expect(changes).toEqual(['added']);
    for (const machine of machines) await machine.reconcile();
    expect([await one.has(), await other.has(), said]).toEqual([['north 2'], ['north 2'], []]);
  });

  it('whose folder was lost on one machine is copied back from the others', async () => {
    const { machines } = await openMachines(2);
    const [one, other] = machines as [Machine, Machine];
    await one.load([TORVALD], '1');
    for (const machine of [one, other, one]) await machine.reconcile();
    rmSync(join(other.dataDir, 'datasets', 'north'), { recursive: true });
    for (const machine of [other, one]) await machine.reconcile();
    expect([await one.has(), await other.has()]).toEqual([['north 1'], ['north 1']]);
  });

  it('that one machine removes is removed from the others, and can be loaded again', async () => {
    const { machines, clock } = await openMachines(2);
    const [one, other] = machines as [Machine, Machine];
    await one.load([TORVALD], '1');
    for (const machine of [one, other, one]) await machine.reconcile();
    await other.folder.remove('north');
    clock.advance(1_000);
    for (const machine of [other, one]) await machine.reconcile();
    expect([await one.has(), await other.has()]).toEqual([[], []]);
    await one.load([QUORVINA], '2');
    for (const machine of [other, one, other]) await machine.reconcile();
    expect([await one.has(), await other.has()]).toEqual([['north 2'], ['north 2']]);
  });

  it('that was built while a clock was ahead can still be replaced and removed', async () => {
    const { machines } = await openMachines(2);
    const [one, other] = machines as [Machine, Machine];
    const meet = async () => {
      for (const machine of [one, other, one, other]) await machine.reconcile();
      return [await one.has(), await other.has()];
    };
    await one.load([TORVALD], '1', AN_HOUR);
    expect(await meet()).toEqual([['north 1'], ['north 1']]);
    await other.load([TORVALD, QUORVINA], '2');
    expect(await meet()).toEqual([['north 2'], ['north 2']]);
    await one.load([QUORVINA], '3', AN_HOUR);
    expect(await meet()).toEqual([['north 3'], ['north 3']]);
    await one.load([TORVALD], '4');
    expect(await meet()).toEqual([['north 4'], ['north 4']]);
    await one.load([QUORVINA], '5', AN_HOUR);
    await meet();
    await other.folder.remove('north');
    expect(await meet()).toEqual([[], []]);
    await one.load([TORVALD], '6');
    expect(await meet()).toEqual([['north 6'], ['north 6']]);
  });

  it('is neither restored nor removed by a database restored to an earlier moment', async () => {
    const { machines, database } = await openMachines(2);
    const [one, other] = machines as [Machine, Machine];
    const meet = async () => {
      for (const machine of [one, other, one, other]) await machine.reconcile();
      return [await one.has(), await other.has()];
    };
    const moment = async () => {
      const row = await database.queries.selectFrom('shared_lists').selectAll().executeTakeFirstOrThrow();
      return () => database.queries.updateTable('shared_lists').set(row).execute();
    };
    await one.load([TORVALD], '1');
    await meet();
    const goBackToFirst = await moment();
    await other.load([QUORVINA], '2', -AN_HOUR);
    await meet();
    await goBackToFirst();
    expect(await meet()).toEqual([['north 2'], ['north 2']]);
    await one.folder.remove('north');
    await meet();
    const goBackToRemoved = await moment();
    await goBackToFirst();
    expect(await meet()).toEqual([[], []]);
    await other.load([TORVALD], '3', -AN_HOUR);
    await meet();
    await goBackToRemoved();
    expect(await meet()).toEqual([['north 3'], ['north 3']]);
  });

  it('that a machine cannot fetch can be removed there, and one that it removed earlier still arrives', async () => {
    const { machines, database } = await openMachines(2);
    const [one, other] = machines as [Machine, Machine];
    await other.folder.remove('north');
    await one.load([TORVALD], '1');
    await one.reconcile();
    await database.queries.deleteFrom('shared_list_parts').execute();
    for (const machine of [other, other]) await machine.reconcile();
    expect([await one.has(), other.lacking().length, await other.folder.removed()]).toEqual([
      ['north 1'],
      1,
      new Set(),
    ]);
    await other.folder.remove('north');
    for (const machine of [other, one]) await machine.reconcile();
    expect([await one.has(), other.lacking()]).toEqual([[], []]);
  });

  it('that two machines load at once is the last one built', async () => {
    const { machines } = await openMachines(2);
    const [one, other] = machines as [Machine, Machine];
    await one.load([TORVALD], '1');
    for (const machine of [one, other]) await machine.reconcile();
    await other.load([QUORVINA], '2');
    await one.load([TORVALD, QUORVINA], '3');
    for (const machine of [other, one, other]) await machine.reconcile();
    expect([await one.has(), await other.has()]).toEqual([['north 3'], ['north 3']]);
  });

  it('stays complete if two processes fetch it into one folder at once, and keeps the previous version', async () => {
    const { machines, openMachine, said } = await openMachines(2);
    const [one, other] = machines as [Machine, Machine];
    const beside = openMachine(other.dataDir);
    for (const [entities, version] of [
      [[TORVALD], '1'],
      [[TORVALD, QUORVINA], '2'],
    ] as const) {
      await one.load(entities, version);
      await one.reconcile();
      for (let round = 0; round < 2; round += 1) await Promise.all([other.reconcile(), beside.reconcile()]);
      expect([await other.has(), await other.folder.problems(), said]).toEqual([[`north ${version}`], [], []]);
    }
    expect((await other.folder.find('north'))?.previous?.version).toBe('1');
  });

  it('is checked at its publisher by one machine only', async () => {
    const { machines } = await openMachines(2);
    const [one, other] = machines as [Machine, Machine];
    const info = await one.load([TORVALD], '1');
    for (const machine of [one, other]) await machine.reconcile();
    const files = [{ role: 'main' as const, url: 'https://lists.example/north.json' }];
    const sync = { checkedAt: '2026-06-01T10:00:00.000Z', files };
    await one.folder.noteSync(info, sync);
    for (const machine of [one, other]) await machine.reconcile();
    expect((await other.folder.find('north'))?.sync).toEqual(sync);
  });

  it('that is damaged on one machine is copied back from the others', async () => {
    const { machines } = await openMachines(2);
    const [one, other] = machines as [Machine, Machine];
    await one.load([TORVALD], '1');
    for (const machine of [one, other]) await machine.reconcile();
    const folder = join(other.dataDir, 'datasets/north');
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.bin'))) rmSync(join(folder, file));
    await other.reconcile();
    expect([await other.has(), await other.names()]).toEqual([['north 1'], 1]);
  });

  it('that was edited in the database is not fetched, and the existing one stays', async () => {
    const { machines, database, said } = await openMachines(2);
    const [one, other] = machines as [Machine, Machine];
    await one.load([TORVALD], '1');
    await one.reconcile();
    await database.queries
      .updateTable('shared_list_parts')
      .set({ contents: Buffer.from('nobody') })
      .execute();
    await other.reconcile();
    expect([await other.has(), said]).toEqual([[], ['a list could not be shared and will be retried']]);
  });

  it.each([
    ['missing', ({ queries }: Database) => queries.deleteFrom('shared_list_parts')],
    ['edited', ({ queries }: Database) => queries.updateTable('shared_list_parts').set({ contents: Buffer.from('x') })],
  ])('whose pieces are %s is missing elsewhere, and uploaded again by a machine that has it', async (_, spoil) => {
    const { machines, database } = await openMachines(2);
    const [one, other] = machines as [Machine, Machine];
    await one.load([TORVALD], '1');
    for (const machine of [one, one]) await machine.reconcile();
    await spoil(database).execute();
    await other.reconcile();
    const problem = 'north: the other machines have it, but it could not be fetched; the service’s log has the reason.';
    expect([await other.has(), other.lacking(), one.lacking()]).toEqual([[], [{ name: 'north', problem }], []]);
    for (const machine of [one, other]) await machine.reconcile();
    expect([await other.has(), await other.names(), other.lacking()]).toEqual([['north 1'], 1, []]);
    await other.folder.remove('north');
    for (const machine of [other, one]) await machine.reconcile();
    expect([await one.has(), other.lacking(), one.lacking()]).toEqual([[], [], []]);
  });

  it('that cannot be fetched is retried with backoff, its next version at once, with one log line', async () => {
    const { machines, database, clock, said } = await openMachines(2);
    const [one, other] = machines as [Machine, Machine];
    await one.load([TORVALD], '1');
    await one.reconcile();
    const row = database.queries.selectFrom('shared_lists').select('sum');
    /** Removes the checksum, so that an attempt asks for the pieces again. */
    const isTried = async (afterMs: number) => {
      await database.queries.deleteFrom('shared_list_parts').execute();
      await database.queries.updateTable('shared_lists').set({ sum: 'of somebody' }).execute();
      clock.advance(afterMs);
      await other.reconcile();
      return (await row.executeTakeFirstOrThrow()).sum === null;
    };
    const tried = [];
    for (const afterMs of [0, 0, 6_000, 6_000, 6_000, 6_000, 6_000, 12_000]) tried.push(await isTried(afterMs));
    expect(tried).toEqual([true, false, true, false, true, false, false, true]);
    for (let round = 0; round < 6; round += 1) expect(await isTried(6 * 60_000)).toBe(true); // The backoff grows no longer than this.
    expect(await isTried(60_000)).toBe(false);
    expect([other.lacking().length, said]).toEqual([1, ['a list could not be shared and will be retried']]);
    await one.load([QUORVINA], '2');
    for (const machine of [one, other]) await machine.reconcile();
    expect(await other.has()).toEqual(['north 2']);
  });

  it('whose pieces arrive corrupted repeatedly is not requested every few seconds', async () => {
    const { machines, database } = await openMachines(2);
    const [one, other] = machines as [Machine, Machine];
    await one.load([TORVALD], '1');
    await one.reconcile();
    const asked = [];
    for (let round = 0; round < 4; round += 1) {
      await database.queries
        .updateTable('shared_list_parts')
        .set({ contents: Buffer.from('x') })
        .execute();
      await other.reconcile();
      asked.push(
        (await database.queries.selectFrom('shared_lists').select('sum').executeTakeFirstOrThrow()).sum === null,
      );
      await one.reconcile(); // Uploads the pieces where they were requested.
    }
    expect(asked).toEqual([true, true, false, false]);
  });

  it('whose row was edited is rewritten by a machine that has it, which is recorded, and the latest remains', async () => {
    const { machines, database, said, acts } = await openMachines(3);
    const [early, late, without] = machines as [Machine, Machine, Machine];
    for (const machine of [early, late]) await machine.load([TORVALD], '1');
    await late.load([TORVALD, QUORVINA], '2');
    await database.queries
      .insertInto('shared_lists')
      .values({ name: 'north', sum: null, sealed: Buffer.from('edited') })
      .execute();
    await without.reconcile();
    expect([await without.has(), await acts()]).toEqual([[], []]);
    for (const machine of [early, late, early, without]) await machine.reconcile();
    for (const machine of machines) expect([await machine.has(), await machine.names()]).toEqual([['north 2'], 2]);
    expect(await acts()).toEqual([['dataset.heal', 'north']]);
    expect(new Set(said)).toEqual(new Set(['a shared list was edited in the database and is not fetched']));
  });

  it('whose row is under a key that this machine has yet to load counts as not compared, and stays unchanged', async () => {
    const { machines, database, sealer, keyring } = await openMachines(2);
    const [one, other] = machines as [Machine, Machine];
    await one.load([TORVALD], '1');
    expect(await one.reconcile()).toBe(true);
    const row = await database.queries.selectFrom('shared_lists').selectAll().executeTakeFirstOrThrow();
    await addDataKeys(keyring);
    await useNextDataKeys(keyring);
    const newer = (await openKeyring(keyring)).sealer;
    const sealed = newer.seal(
      sealer.open(row.sealed, tables.shared_lists.places.sealed({ name: 'north' })),
      tables.shared_lists.places.sealed({ name: 'north' }),
    );
    await database.queries.updateTable('shared_lists').set({ sealed }).execute();
    expect([await one.reconcile(), await other.reconcile()]).toEqual([false, false]);
    expect([await one.has(), await other.has()]).toEqual([['north 1'], []]);
    await database.queries.updateTable('shared_lists').set(row).execute();
    expect([await other.reconcile(), await other.has()]).toEqual([true, ['north 1']]);
  });

  it('that a later version described differently stays as that version wrote it', async () => {
    const { machines, database, sealer, acts } = await openMachines(1);
    const [one] = machines as [Machine];
    await one.load([TORVALD], '1');
    const row = {
      name: 'north',
      sum: null,
      sealed: sealer.sealJson({ info: 'of another kind' }, tables.shared_lists.places.sealed({ name: 'north' })),
    };
    await database.queries.insertInto('shared_lists').values(row).execute();
    await one.reconcile();
    const { sealed } = await database.queries.selectFrom('shared_lists').selectAll().executeTakeFirstOrThrow();
    expect(row.sealed.equals(sealed)).toBe(true);
    expect(await acts()).toEqual([]);
  });
});
