// The console's audit log: detects every change, and is pruned a day at a time.
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase, SKIPS_ENGINE_BLIND } from '#testing/database/test-database.ts';
import { createManualClock } from '#testing/manual-clock.ts';
import { createIds, named } from '../../platform/base/ids.ts';
import { openStorage, type Storage } from '../../platform/storage.ts';
import type { Act } from './acts.ts';
import type { AuditedAct } from './log.ts';
import { type OpenedAudit, openAudit, registerAuditPruning } from './open.ts';
import { verifyAudit } from './verify.ts';

const DAY_MS = 86_400_000;

let storage: Storage;
let opened: OpenedAudit;
let clock: ReturnType<typeof createManualClock>;

beforeEach(async () => {
  clock = createManualClock();
  const place = await createTestDatabase();
  const { dataDir, url } = place;
  storage = await openStorage({ url, dataDir, masterKey: undefined, clock, ids: createIds(clock) });
  opened = openAudit({ ...storage, clock });
  onTestFinished(async () => {
    await storage.database.close();
    await place.dispose();
  });
});

const entry = (act: string, about?: string): AuditedAct => ({
  operator: { id: named('an id'), name: 'Ada', role: 'admin' },
  act: act as Act,
  from: '192.0.2.7',
  ...(about !== undefined && { about }),
});

async function writeDays(days: number, lines: number): Promise<void> {
  for (let day = 0; day < days; day += 1) {
    for (let line = 0; line < lines; line += 1) await opened.audit.write(entry('session.view', `${day} ${line}`));
    clock.advance(DAY_MS);
  }
}

const verify = () => verifyAudit({ ...opened, sealer: storage.sealer });

describe('an untouched log', () => {
  it('is valid, in order, and records who did what from where', async () => {
    expect(await verify()).toMatchObject({ state: 'whole', days: 0, lines: 0 });
    await writeDays(3, 2);
    expect(await verify()).toMatchObject({ state: 'whole', days: 3, lines: 6, pruned: 0 });
    const [newest, ...others] = await opened.audit.list({ limit: 10 });
    const line = { ...entry('session.view', '2 1'), seq: 6, time: '2026-01-03T00:00:00.000Z' };
    expect(newest).toMatchObject({ seq: 6, line });
    expect(others).toHaveLength(5);
    expect(await opened.audit.list({ limit: 10, act: 'another' })).toEqual([]);
  });

  it('is valid after many concurrent writes', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, nth) => opened.audit.write(entry('session.view', `${nth}`))));
    expect(await verify()).toMatchObject({ state: 'whole', lines: 20 });
  });

  it.each([0, DAY_MS])('is valid if a write happens during a read, %i ms later', async (later) => {
    await writeDays(1, 2);
    const store = {
      ...opened.store,
      async listFrom(seq: number, limit: number) {
        clock.advance(later);
        await opened.audit.write(entry('meanwhile'));
        return opened.store.listFrom(seq, limit);
      },
    };
    expect(await verifyAudit({ ...opened, store, sealer: storage.sealer })).toMatchObject({ state: 'whole', lines: 2 });
    expect(await verify()).toMatchObject({ state: 'whole', lines: 3 });
  });

  it('hides nothing written before a concurrent write', async () => {
    await writeDays(1, 2);
    const { queries } = storage.database;
    const row = await queries.selectFrom('audit_lines').selectAll().where('seq', '=', 1).executeTakeFirstOrThrow();
    await queries
      .insertInto('audit_lines')
      .values({ ...row, seq: 1_000 })
      .execute();
    const store = {
      ...opened.store,
      async listFrom(seq: number, limit: number) {
        await opened.audit.write(entry('meanwhile'));
        return opened.store.listFrom(seq, limit);
      },
    };
    const check = await verifyAudit({ ...opened, store, sealer: storage.sealer });
    expect(check).toMatchObject({ state: 'broken', line: 1_000 });
  });

  it('continues in its day when the clock is set back', async () => {
    await opened.audit.write(entry('one'));
    clock.advance(-DAY_MS);
    await opened.audit.write(entry('two'));
    expect(await verify()).toMatchObject({ state: 'whole', days: 1, lines: 2 });
  });

  it('cannot be read in the database', async () => {
    await opened.audit.write(entry('session.view', 'what it was about'));
    const rows = await storage.database.queries.selectFrom('audit_lines').selectAll().execute();
    const text = rows.map(({ sealed }) => Buffer.from(sealed).toString('latin1')).join('');
    for (const word of ['Ada', '192.0.2.7', 'what it was about']) expect(text).not.toContain(word);
  });
});

describe.skipIf(SKIPS_ENGINE_BLIND)('an edited log', () => {
  beforeEach(() => writeDays(3, 3));
  const db = () => storage.database.queries;

  it.each<[string, () => Promise<unknown>, object]>([
    ['a line was removed', () => db().deleteFrom('audit_lines').where('seq', '=', 5).execute(), { line: 5 }],
    ['the last line was cut off', () => db().deleteFrom('audit_lines').where('seq', '=', 9).execute(), { line: 9 }],
    [
      'a line was edited',
      () => db().updateTable('audit_lines').set({ act: 'x' }).where('seq', '=', 4).execute(),
      { line: 4 },
    ],
    [
      'a checkpoint was edited',
      () => db().updateTable('audit_segments').set({ lines: 2 }).where('day', '=', '2026-01-02').execute(),
      { day: '2026-01-02' },
    ],
    [
      'a day was removed',
      async () => {
        await db().deleteFrom('audit_segments').where('day', '=', '2026-01-02').execute();
        await db().deleteFrom('audit_lines').where('seq', 'in', [4, 5, 6]).execute();
      },
      { day: '2026-01-03' },
    ],
    [
      'a day claims that its retention has ended',
      async () => {
        await db().deleteFrom('audit_lines').where('seq', 'in', [4, 5, 6]).execute();
        await db().updateTable('audit_segments').set({ pruned: 1 }).where('day', '=', '2026-01-02').execute();
      },
      { day: '2026-01-02' },
    ],
    ['a line was inserted before the first', () => putLine(0), { line: 0 }],
    ['a line was inserted far before the first', () => putLine(-5), { line: -5 }],
    ['a line was appended', () => putLine(10), { line: 10 }],
    ['all checkpoints were removed', () => db().deleteFrom('audit_segments').execute(), { line: 1 }],
  ])('reveals that %s', async (_what, touch, where) => {
    await touch();
    expect(await verify()).toMatchObject({ state: 'broken', ...where });
  });

  /** Copies a line to another position. */
  async function putLine(seq: number): Promise<void> {
    const row = await db().selectFrom('audit_lines').selectAll().where('seq', '=', 9).executeTakeFirstOrThrow();
    await db()
      .insertInto('audit_lines')
      .values({ ...row, seq })
      .execute();
  }

  it('reveals a line inserted where lines were deleted', async () => {
    await opened.audit.prune(1);
    expect(await verify()).toMatchObject({ state: 'whole', pruned: 2 });
    await putLine(2);
    expect(await verify()).toMatchObject({ state: 'broken', line: 2 });
  });

  it('is still listed if a line cannot be opened', async () => {
    await db().updateTable('audit_lines').set({ act: 'x' }).where('seq', '=', 8).execute();
    const listed = await opened.audit.list({ limit: 3 });
    expect(listed.map(({ seq, line }) => [seq, line?.about])).toEqual([
      [9, '2 2'],
      [8, undefined],
      [7, '2 0'],
    ]);
  });

  it('accepts no more lines if its head was edited', async () => {
    await db().updateTable('audit_segments').set({ lines: 1 }).where('day', '=', '2026-01-03').execute();
    await expect(opened.audit.write(entry('next'))).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe.skipIf(SKIPS_ENGINE_BLIND)('old days', () => {
  it('are removed one whole day at a time, oldest first, and their checkpoint stays', async () => {
    await writeDays(5, 2);
    await opened.audit.prune(3);
    expect(await verify()).toMatchObject({ state: 'whole', days: 5, lines: 6, pruned: 2 });
    await opened.audit.write(entry('later'));
    expect(await verify()).toMatchObject({ state: 'whole', days: 6, lines: 7, pruned: 2 });
  });

  it('are never removed with the newest day, whatever its age', async () => {
    await writeDays(2, 1);
    clock.advance(1_000 * DAY_MS);
    await opened.audit.prune(1);
    expect(await verify()).toMatchObject({ state: 'whole', days: 2, lines: 1, pruned: 1 });
  });

  describe('edited old days', () => {
    const days = () => storage.database.queries.updateTable('audit_segments');
    const nameOf = (nth: number) => `2026-01-0${nth}`;
    beforeEach(() => writeDays(5, 4));

    it('are not signed again if they claim to be older', async () => {
      for (const nth of [1, 2, 3, 4])
        await days()
          .set({ day: `2020-01-0${nth}` })
          .where('day', '=', nameOf(nth))
          .execute();
      expect(await opened.audit.prune(400)).toMatchObject({ day: '2020-01-01' });
      expect(await verify()).toMatchObject({ state: 'broken', day: '2020-01-01' });
      expect(await opened.audit.list({ limit: 100 })).toHaveLength(20);
    });

    it.each<[string, object]>([
      ['lines', { lines: 3 }],
      ['the first line', { first_seq: 1 }],
      ['the hash', { hash: '0'.repeat(64) }],
      ['the pruned flag', { pruned: 1 }],
    ])('are kept from the first day with an invalid checkpoint: %s', async (_what, changes) => {
      await days().set(changes).where('day', '=', nameOf(3)).execute();
      expect(await opened.audit.prune(0)).toMatchObject({ day: nameOf(3) });
      expect((await opened.audit.list({ limit: 100 })).at(-1)).toMatchObject({ seq: 5 });
      expect(await verify()).toMatchObject({ state: 'broken', day: nameOf(3) });
    });

    it('are reported in the log each time', async () => {
      const handlers: (() => Promise<void>)[] = [];
      const jobs = { handle: (_job: unknown, handler: () => Promise<void>) => void handlers.push(handler) };
      const prune = () => Promise.all(handlers.map((handle) => handle()));
      const errors: unknown[] = [];
      const log = { error: (what: unknown) => void errors.push(what) };
      registerAuditPruning({ jobs: jobs as never, log: log as never }, opened.audit, 0);
      await prune();
      expect(errors).toEqual([]);
      await days().set({ lines: 9 }).where('day', '=', nameOf(5)).execute();
      for (let nth = 0; nth < 2; nth += 1) await prune();
      const broken = { day: nameOf(5), problem: 'its checkpoint is not the one that was signed' };
      expect(errors).toEqual([broken, broken]);
    });

    it('are kept if an earlier checkpoint of the same day was restored', async () => {
      const queries = storage.database.queries;
      const newest = () => queries.selectFrom('audit_segments').selectAll().where('day', '=', '2026-01-06');
      await opened.audit.write(entry('one'));
      const { day, ...earlier } = await newest().executeTakeFirstOrThrow();
      await opened.audit.write(entry('two'));
      clock.advance(DAY_MS);
      await opened.audit.write(entry('three'));
      await queries.updateTable('audit_segments').set(earlier).where('day', '=', day).execute();
      expect(await opened.audit.prune(0)).toMatchObject({ day: '2026-01-07' });
      expect((await opened.audit.list({ limit: 100 })).map(({ seq }) => seq)).toEqual([23, 22, 21]);
    });
  });
});
