// The audit chain verifies, exposes cuts and changes, and survives crashes and two writers.
import { appendFileSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestStore, withFile } from '#testing/faces/file-store.ts';
import { makeFolder } from '#testing/faces/folder.ts';
import { createManualClock, type ManualClock } from '#testing/manual-clock.ts';
import { CHAIN_START } from '../../../platform/sealing/hash-chain.ts';
import type { KeyHolderStore } from '../store/store.ts';
import { auditFile, type ChainHead, checkAudit, type Segment, segmentName } from './chain.ts';
import { type Audit, createAudit, createAuditRecord, type DecisionEntry } from './log.ts';
import { createFileShelf } from './shelf.ts';

const opened: KeyHolderStore[] = [];
let folder: string;
let store: KeyHolderStore;
let audit: TestAudit;
let cuts: number;
let newFiles: number;
let held: boolean[];
let clock: ManualClock;

interface TestAudit extends Omit<Audit, 'write'> {
  write(entry: DecisionEntry): Promise<void>;
  head(): Promise<ChainHead | undefined>;
}

afterAll(async () => {
  for (const each of opened) await each.close();
});
beforeEach(async () => {
  folder = makeFolder();
  cuts = 0;
  newFiles = 0;
  held = [];
  clock = createManualClock();
  [store, audit] = await open();
  for (const customer of ['a', 'b', 'c', 'd']) await audit.write({ customer, outcome: 'no_match', rows: 3 });
});

async function open(): Promise<[KeyHolderStore, TestAudit]> {
  const onCut = () => {
    cuts += 1;
  };
  const onNewFile = () => {
    newFiles += 1;
  };
  const made = await openTestStore(folder, { clock });
  opened.push(made);
  const onHeld = (isHeld: boolean) => void held.push(isHeld);
  const plain = createAudit({ store: made, shelf: createFileShelf(folder, { onCut, onNewFile }), days: 3, onHeld });
  const head = () => made.read(createAuditRecord(made.sealer).head);
  return [made, { ...plain, head, write: (entry) => made.transact((rows) => plain.write(rows, entry)) }];
}

const change = (statement: string) => withFile(folder, (db) => db.exec(statement));
const read = () => readFileSync(auditFile(folder), 'utf8');
const lines = () => read().trimEnd().split('\n');
const verify = async () => {
  const { hash: start } = withFile(folder, (db) => db.prepare('select hash from audit_start').get()) as {
    hash: string;
  };
  return checkAudit(folder, { head: await audit.head(), start, segments: segments() });
};
const segments = () =>
  withFile(folder, (db) => db.prepare('select * from audit_segments order by number').all()) as unknown as Segment[];
const whole = (lines: number, isAfterMissing = false, pruned = 0) => ({
  state: 'whole',
  lines,
  pruned,
  isAfterMissing,
});
const rewrite = (change: (lines: string[]) => string[]) =>
  writeFileSync(auditFile(folder), `${change(lines()).join('\n')}\n`);

describe('the audit chain', () => {
  it('verifies, with the hash of the previous line in each line', async () => {
    expect(JSON.parse(lines()[0]!)).toEqual({
      time: '2026-01-01T00:00:00.000Z',
      customer: 'a',
      outcome: 'no_match',
      rows: 3,
      previous: CHAIN_START,
    });
    expect(await verify()).toEqual(whole(4));
  });

  it('continues after a restart', async () => {
    await store.close();
    opened.pop();
    [store, audit] = await open();
    await audit.write({ customer: 'e', outcome: 'match' });
    expect(await verify()).toEqual(whole(5));
  });

  it('continues with two writers', async () => {
    const [, other] = await open();
    for (let time = 0; time < 3; time++)
      for (const each of [audit, other]) await each.write({ customer: 'e', outcome: 'match' });
    expect(await verify()).toEqual(whole(10));
  });

  it('exposes a changed line', async () => {
    rewrite((all) => all.map((line) => line.replace('"b"', '"x"')));
    expect(await verify()).toMatchObject({ state: 'broken', line: 3 });
  });

  it('exposes a changed last line', async () => {
    rewrite((all) => all.map((line) => line.replace('"d"', '"x"')));
    expect(await verify()).toMatchObject({ state: 'broken', line: 4 });
  });

  it('exposes a removed line', async () => {
    rewrite((all) => all.filter((line) => !line.includes('"b"')));
    expect(await verify()).toMatchObject({ state: 'broken', line: 2 });
  });

  it('reports a truncated end once and keeps exposing it after further lines', async () => {
    rewrite((all) => all.slice(0, 2));
    expect(await verify()).toMatchObject({ state: 'broken', line: 3 });
    await audit.write({ customer: 'e', outcome: 'match' });
    await audit.write({ customer: 'f', outcome: 'match' });
    expect(cuts).toBe(1);
    expect(await verify()).toMatchObject({ state: 'broken', line: 3 });
  });

  it('exposes a malformed line', async () => {
    rewrite((all) => all.map((line, at) => (at === 1 ? 'nonsense' : line)));
    expect(await verify()).toMatchObject({ state: 'broken', line: 2 });
  });

  it('drops a torn line whose decision was never sent', async () => {
    appendFileSync(auditFile(folder), '{"time":"2026-');
    expect(await verify()).toEqual(whole(4));
    await audit.write({ customer: 'e', outcome: 'match' });
    expect(lines()).toHaveLength(5);
    expect(await verify()).toEqual(whole(5));
    expect(cuts).toBe(0);
  });

  it('continues in a new file after the old one was archived', async () => {
    const last = (await audit.head())!.hash;
    renameSync(auditFile(folder), `${auditFile(folder)}.1`);
    await audit.write({ customer: 'e', outcome: 'match' });
    expect(JSON.parse(lines()[0]!)).toMatchObject({ previous: last });
    expect(await verify()).toEqual(whole(1));
    expect([cuts, newFiles]).toEqual([0, 1]);
  });

  it('exposes a deleted file before and after the next line, and reports a new chain', async () => {
    rmSync(auditFile(folder));
    expect(await verify()).toMatchObject({ state: 'broken', line: 1 });
    await audit.write({ customer: 'e', outcome: 'match' });
    await audit.write({ customer: 'f', outcome: 'match' });
    expect(newFiles).toBe(1);
    expect(await verify()).toEqual(whole(2, true));
  });

  it('exposes a file that starts in the middle', async () => {
    renameSync(auditFile(folder), `${auditFile(folder)}.1`);
    for (const customer of ['e', 'f', 'g']) await audit.write({ customer, outcome: 'match' });
    rewrite((all) => all.slice(1));
    expect(await verify()).toMatchObject({ state: 'broken', line: 1 });
  });

  it('refuses to write after a changed head', async () => {
    change('update audit_head set lines = 2');
    await expect(audit.write({ customer: 'e', outcome: 'match' })).rejects.toThrow('was changed');
    expect(lines()).toHaveLength(4);
  });
});

describe('daily files', () => {
  const DAY_MS = 86_400_000;
  const files = () => readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  const fileOf = (nth: number) => join(folder, segmentName(segments()[nth]!));

  /** Writes a line on each of the given number of days. */
  async function goOn(days: number): Promise<void> {
    for (let day = 0; day < days; day++) {
      clock.advance(DAY_MS);
      await audit.write({ customer: `day ${day}`, outcome: 'match' });
    }
  }

  it('hold a day each, chained across files', async () => {
    await goOn(2);
    expect(files()).toEqual(['audit-2026-01-01.1.jsonl', 'audit-2026-01-02.2.jsonl', 'audit.jsonl']);
    expect(await verify()).toEqual(whole(6));
    expect([cuts, newFiles]).toEqual([0, 0]);
  });

  it('expire as configured, and the rest still verifies', async () => {
    await goOn(6);
    expect(files()).toEqual([
      'audit-2026-01-04.4.jsonl',
      'audit-2026-01-05.5.jsonl',
      'audit-2026-01-06.6.jsonl',
      'audit.jsonl',
    ]);
    expect(await verify()).toEqual(whole(4, false, 3));
  });

  it('expire even if nothing is written', async () => {
    await goOn(1);
    for (let day = 0; day < 5; day++) {
      clock.advance(DAY_MS);
      await audit.tidy();
    }
    expect(files()).toEqual([]);
    expect(await verify()).toEqual(whole(0, false, 2));
    await audit.write({ customer: 'e', outcome: 'match' });
    expect(await verify()).toEqual(whole(1, false, 2));
  });

  it.each([
    ['ahead', 8],
    ['back', -2],
  ])('stay for a week after the clock went %s, at runtime and at a start, before deletion', async (_, leap) => {
    await goOn(2);
    const before = files();
    for (const isStart of [false, true]) {
      held = [];
      clock.advance(leap * DAY_MS);
      if (isStart) [store, audit] = await open();
      await audit.tidy();
      expect(held).toEqual([true]);
      if (!isStart) clock.advance(-leap * DAY_MS);
    }
    expect(files()).toEqual(expect.arrayContaining(before.slice(0, -1)));
    for (let day = 0; day < 8; day++) {
      clock.advance(DAY_MS);
      await audit.tidy();
    }
    expect(held).toEqual([true, false]);
    expect(files()).not.toContain(before[0]);
  });

  it('expose a file that was changed, cut or deleted early', async () => {
    await goOn(2);
    const before = readFileSync(fileOf(0), 'utf8');
    writeFileSync(fileOf(0), before.replace('"b"', '"x"'));
    expect(await verify()).toMatchObject({ state: 'broken', file: 'audit-2026-01-01.1.jsonl', line: 3 });
    writeFileSync(fileOf(0), before.split('\n').slice(0, 3).join('\n'));
    expect(await verify()).toMatchObject({ state: 'broken', file: 'audit-2026-01-01.1.jsonl', line: 4 });
    rmSync(fileOf(0));
    expect(await verify()).toMatchObject({ state: 'broken', file: 'audit-2026-01-01.1.jsonl', line: 1 });
  });

  it('stay intact after a crash between renaming a file and recording it', async () => {
    clock.advance(DAY_MS);
    renameSync(auditFile(folder), join(folder, 'audit-2026-01-01.1.jsonl'));
    await audit.write({ customer: 'e', outcome: 'match' });
    expect(await verify()).toEqual(whole(5));
    expect([cuts, newFiles]).toEqual([0, 0]);
  });

  it('ignore foreign files, and none starts when the clock goes back', async () => {
    await goOn(1);
    clock.advance(-5 * DAY_MS);
    await audit.write({ customer: 'e', outcome: 'match' });
    expect(files()).toHaveLength(2);
    renameSync(auditFile(folder), join(folder, 'audit-mine.jsonl'));
    clock.advance(40 * DAY_MS);
    await audit.write({ customer: 'f', outcome: 'match' });
    expect(existsSync(join(folder, 'audit-mine.jsonl'))).toBe(true);
    expect(await verify()).toMatchObject({ state: 'whole' });
  });
});
