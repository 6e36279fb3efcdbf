// The console's audit log: whole when it is, broken when anything in it was touched, and pruned a day at a time.
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { createManualClock } from '#testing/manual-clock.ts';
import { createIds, named } from '../../platform/ids.ts';
import { openStorage, type Storage } from '../../platform/open-storage.ts';
import type { AuditEntry } from './audit-log.ts';
import { type OpenedAudit, openAudit } from './open-audit.ts';
import { verifyAudit } from './verify-audit.ts';

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

const entry = (act: string, about?: string): AuditEntry => ({
  operator: { id: named('an id'), name: 'Ada', role: 'admin' },
  act,
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

describe('what was written', () => {
  it('is whole, in its order, and says who did what from where', async () => {
    expect(await verify()).toMatchObject({ state: 'whole', days: 0, lines: 0 });
    await writeDays(3, 2);
    expect(await verify()).toMatchObject({ state: 'whole', days: 3, lines: 6, pruned: 0 });
    const [newest, ...others] = await opened.audit.list({ limit: 10 });
    expect(newest).toMatchObject({ ...entry('session.view', '2 1'), seq: 6, time: '2026-01-03T00:00:00.000Z' });
    expect(others).toHaveLength(5);
    expect(await opened.audit.list({ limit: 10, act: 'another' })).toEqual([]);
  });

  it('is whole when many write at once', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, nth) => opened.audit.write(entry('session.view', `${nth}`))));
    expect(await verify()).toMatchObject({ state: 'whole', lines: 20 });
  });

  it('goes on in its day when the clock is set back', async () => {
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

describe('what was touched', () => {
  beforeEach(() => writeDays(3, 3));
  const db = () => storage.database.queries;

  it.each<[string, () => Promise<unknown>, object]>([
    ['a line taken out', () => db().deleteFrom('audit_lines').where('seq', '=', 5).execute(), { line: 5 }],
    ['the last line cut off', () => db().deleteFrom('audit_lines').where('seq', '=', 9).execute(), { line: 9 }],
    [
      'a line edited',
      () => db().updateTable('audit_lines').set({ act: 'x' }).where('seq', '=', 4).execute(),
      { line: 4 },
    ],
    [
      'a checkpoint edited',
      () => db().updateTable('audit_segments').set({ lines: 2 }).where('day', '=', '2026-01-02').execute(),
      { day: '2026-01-02' },
    ],
    [
      'a day taken out',
      async () => {
        await db().deleteFrom('audit_segments').where('day', '=', '2026-01-02').execute();
        await db().deleteFrom('audit_lines').where('seq', 'in', [4, 5, 6]).execute();
      },
      { day: '2026-01-03' },
    ],
    [
      'a day that says its time was over',
      async () => {
        await db().deleteFrom('audit_lines').where('seq', 'in', [4, 5, 6]).execute();
        await db().updateTable('audit_segments').set({ pruned: 1 }).where('day', '=', '2026-01-02').execute();
      },
      { day: '2026-01-02' },
    ],
    ['all checkpoints taken out', () => db().deleteFrom('audit_segments').execute(), { line: 1 }],
  ])('%s is found', async (_what, touch, where) => {
    await touch();
    expect(await verify()).toMatchObject({ state: 'broken', ...where });
  });

  it('nothing more is written on a head that was edited', async () => {
    await db().updateTable('audit_segments').set({ lines: 1 }).where('day', '=', '2026-01-03').execute();
    await expect(opened.audit.write(entry('next'))).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('what is old', () => {
  it('goes a whole day at a time, oldest first, and its checkpoint stays', async () => {
    await writeDays(5, 2);
    await opened.audit.prune(3);
    expect(await verify()).toMatchObject({ state: 'whole', days: 5, lines: 6, pruned: 2 });
    await opened.audit.write(entry('later'));
    expect(await verify()).toMatchObject({ state: 'whole', days: 6, lines: 7, pruned: 2 });
  });

  it('never leaves without the newest day, whatever its age', async () => {
    await writeDays(2, 1);
    clock.advance(1_000 * DAY_MS);
    await opened.audit.prune(1);
    expect(await verify()).toMatchObject({ state: 'whole', days: 2, lines: 1, pruned: 1 });
  });
});
