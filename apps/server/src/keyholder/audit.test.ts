// The audit chain: it verifies, shows what was cut or changed, and survives crashes and two writers.
import { appendFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createManualClock } from '#testing/manual-clock.ts';
import { type Audit, createAudit } from './audit.ts';
import { auditFile, CHAIN_START, checkAuditFile } from './audit-chain.ts';
import { type KeyHolderStore, openKeyHolderStore } from './store.ts';
import { makeFolder } from './testing/folder.ts';

const masterKey = Buffer.alloc(32, 7);
const opened: KeyHolderStore[] = [];
let folder: string;
let store: KeyHolderStore;
let audit: Audit;
let cuts: number;
let newFiles: number;

afterAll(() => {
  for (const each of opened) each.close();
});
beforeEach(() => {
  folder = makeFolder();
  cuts = 0;
  newFiles = 0;
  [store, audit] = open();
  for (const customer of ['a', 'b', 'c', 'd']) audit.write({ customer, outcome: 'no_match', rows: 3 });
});

function open(): [KeyHolderStore, Audit] {
  const made = openKeyHolderStore(folder, masterKey);
  opened.push(made);
  const onCut = () => {
    cuts += 1;
  };
  const onNewFile = () => {
    newFiles += 1;
  };
  return [made, createAudit({ store: made, clock: createManualClock(), onCut, onNewFile })];
}

const read = () => readFileSync(auditFile(folder), 'utf8');
const lines = () => read().trimEnd().split('\n');
const verify = () => {
  const { hash } = store.db.prepare('select hash from audit_start').get() as { hash: string };
  return checkAuditFile(folder, audit.head(), hash);
};
const whole = (lines: number, isAfterMissing = false) => ({ state: 'whole', lines, isAfterMissing });
const rewrite = (change: (lines: string[]) => string[]) =>
  writeFileSync(auditFile(folder), `${change(lines()).join('\n')}\n`);

describe('the audit chain', () => {
  it('verifies, and each line carries the hash of the one before', async () => {
    expect(JSON.parse(lines()[0]!)).toEqual({
      time: '2026-01-01T00:00:00.000Z',
      customer: 'a',
      outcome: 'no_match',
      rows: 3,
      previous: CHAIN_START,
    });
    expect(await verify()).toEqual(whole(4));
  });

  it('goes on after a restart', async () => {
    store.close();
    opened.pop();
    [store, audit] = open();
    audit.write({ customer: 'e', outcome: 'match' });
    expect(await verify()).toEqual(whole(5));
  });

  it('goes on with two writers', async () => {
    const [, other] = open();
    for (let time = 0; time < 3; time++)
      for (const each of [audit, other]) each.write({ customer: 'e', outcome: 'match' });
    expect(await verify()).toEqual(whole(10));
  });

  it('shows a changed line', async () => {
    rewrite((all) => all.map((line) => line.replace('"b"', '"x"')));
    expect(await verify()).toMatchObject({ state: 'broken', line: 3 });
  });

  it('shows a changed last line', async () => {
    rewrite((all) => all.map((line) => line.replace('"d"', '"x"')));
    expect(await verify()).toMatchObject({ state: 'broken', line: 4 });
  });

  it('shows a line that was taken out', async () => {
    rewrite((all) => all.filter((line) => !line.includes('"b"')));
    expect(await verify()).toMatchObject({ state: 'broken', line: 2 });
  });

  it('shows a cut end, says so once, and keeps showing it when more is written', async () => {
    rewrite((all) => all.slice(0, 2));
    expect(await verify()).toMatchObject({ state: 'broken', line: 3 });
    audit.write({ customer: 'e', outcome: 'match' });
    audit.write({ customer: 'f', outcome: 'match' });
    expect(cuts).toBe(1);
    expect(await verify()).toMatchObject({ state: 'broken', line: 3 });
  });

  it('shows what is no line at all', async () => {
    rewrite((all) => all.map((line, at) => (at === 1 ? 'nonsense' : line)));
    expect(await verify()).toMatchObject({ state: 'broken', line: 2 });
  });

  it('drops the torn rest of a line whose decision was never told', async () => {
    appendFileSync(auditFile(folder), '{"time":"2026-');
    expect(await verify()).toEqual(whole(4));
    audit.write({ customer: 'e', outcome: 'match' });
    expect(lines()).toHaveLength(5);
    expect(await verify()).toEqual(whole(5));
    expect(cuts).toBe(0);
  });

  it('goes on in a new file when the old one was put away', async () => {
    const last = audit.head()!.hash;
    renameSync(auditFile(folder), `${auditFile(folder)}.1`);
    audit.write({ customer: 'e', outcome: 'match' });
    expect(JSON.parse(lines()[0]!)).toMatchObject({ previous: last });
    expect(await verify()).toEqual(whole(1));
    expect([cuts, newFiles]).toEqual([0, 1]);
  });

  it('shows a deleted file, before and after the next line, and says that a new one begins', async () => {
    rmSync(auditFile(folder));
    expect(await verify()).toMatchObject({ state: 'broken', line: 1 });
    audit.write({ customer: 'e', outcome: 'match' });
    audit.write({ customer: 'f', outcome: 'match' });
    expect(newFiles).toBe(1);
    expect(await verify()).toEqual(whole(2, true));
  });

  it('shows a file that begins in the middle', async () => {
    renameSync(auditFile(folder), `${auditFile(folder)}.1`);
    for (const customer of ['e', 'f', 'g']) audit.write({ customer, outcome: 'match' });
    rewrite((all) => all.slice(1));
    expect(await verify()).toMatchObject({ state: 'broken', line: 1 });
  });

  it('writes nothing on a head that somebody changed', () => {
    store.db.exec('update audit_head set lines = 2');
    expect(() => audit.write({ customer: 'e', outcome: 'match' })).toThrow('was changed');
    expect(lines()).toHaveLength(4);
  });
});
