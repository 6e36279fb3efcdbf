// The doctor's findings on sanctions lists.
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createListedEntity, storeList } from '#testing/screening/listed-people.ts';
import { loadConfig } from '../../../config.ts';
import type { DatasetInfo } from '../../../screening/lists/folder/folder.ts';
import { checkDatasets, judgeDatasets } from './datasets.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 5, 1);
const iso = (time: number) => new Date(time).toISOString();

function list(name: string, builtAt: number, checkedAt?: number): DatasetInfo {
  const counts = { entityCount: 5, people: 5, sanctions: 5, peps: 0, bytes: 1, problemCount: 0 };
  const about = {
    format: 'ftm-json',
    source: 'x',
    version: '1',
    indexFile: 'index-1.bin',
    indexSum: { bytes: 1, sha256: 'a' },
  } as const;
  const sync = checkedAt === undefined ? {} : { sync: { files: [], checkedAt: iso(checkedAt) } };
  return { name, builtAt: iso(builtAt), ...about, ...counts, ...sync };
}

describe('lists', () => {
  const judge = (infos: DatasetInfo[], syncHours = 0) => judgeDatasets(infos, NOW, syncHours);

  it('recommends a list if only the demo is loaded', () => {
    expect(judge([])).toMatchObject([{ level: 'warning', found: expect.stringContaining('demo') }]);
  });

  it('reports lists with their size', () => {
    expect(judge([list('a', NOW), list('b', NOW)])).toEqual([{ level: 'ok', found: 'a (5), b (5)' }]);
  });

  it('ages a list from a file by the day it was loaded', () => {
    expect(judge([list('a', NOW - 7 * DAY + 1)])).toHaveLength(1);
    expect(judge([list('a', NOW - 7 * DAY)])[1]).toMatchObject({
      level: 'warning',
      found: 'what a was loaded from is 7 days old',
    });
  });

  it('ages a list from an address by its last check, not its last change', () => {
    expect(judge([list('a', NOW - 90 * DAY, NOW - DAY)])).toHaveLength(1);
    const old = [list('a', NOW - 90 * DAY, NOW - 8 * DAY)];
    expect(judge(old)[1]).toMatchObject({ level: 'warning', remedy: expect.stringContaining('DATASET_SYNC_HOURS') });
    expect(judge(old, 12)[1]).toMatchObject({ level: 'warning', remedy: expect.stringContaining('log') });
  });
});

it('fails if the index of a list was overwritten or lost a bit', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'limen-doctor-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const config = loadConfig({ DATA_DIR: dataDir });
  const check = () => checkDatasets({ config, clock: { now: () => NOW }, database: { state: 'absent' } });
  for (const name of ['one', 'two', 'well'])
    await storeList(dataDir, name, [createListedEntity(name, 'Torvald Eskeland')]);
  expect((await check())[0]).toEqual({ level: 'ok', found: 'one (1), two (1), well (1)' });
  const indexOf = (name: string) => {
    const folder = join(dataDir, 'datasets', name);
    return join(folder, readdirSync(folder).find((file) => file.endsWith('.bin'))!);
  };
  writeFileSync(indexOf('one'), randomBytes(readFileSync(indexOf('one')).length));
  const bytes = readFileSync(indexOf('two'));
  bytes[bytes.length - 1]! ^= 0x10;
  writeFileSync(indexOf('two'), bytes);
  expect((await check()).slice(0, 3)).toEqual([
    {
      level: 'failure',
      found: 'one: its index file is damaged',
      remedy: 'load it again (limen datasets add one …) or remove it (limen datasets remove one)',
    },
    { level: 'failure', found: 'two: its index file is damaged', remedy: expect.any(String) },
    { level: 'ok', found: 'well (1)' },
  ]);
});

it('fails on a damaged list, with a separate remedy', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'limen-doctor-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  mkdirSync(join(dataDir, 'datasets', 'one'), { recursive: true });
  writeFileSync(join(dataDir, 'datasets', 'one', 'dataset.json'), '{');
  const config = loadConfig({ DATA_DIR: dataDir });
  const findings = await checkDatasets({ config, clock: { now: () => NOW }, database: { state: 'absent' } });
  expect(findings).toMatchObject([
    {
      level: 'failure',
      found: 'one: its dataset.json is damaged',
      remedy: 'load it again (limen datasets add one …) or remove it (limen datasets remove one)',
    },
    { level: 'warning' },
  ]);
});
