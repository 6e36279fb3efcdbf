// `limen match`: table, JSON, exit codes.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runLimenHere } from '#testing/run-limen.ts';
import { createListedEntity, storeList } from '#testing/screening/listed-people.ts';

let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'limen-match-'));
  const identifiers = [{ kind: 'imoNumber' as const, value: 'IMO 9074729' }];
  await storeList(
    folder,
    'north',
    [
      createListedEntity('inv-1', 'Torvald Eskeland', '1961-04-09', { countries: ['no'] }),
      createListedEntity('ship-1', 'Harbour Lantern', undefined, { schema: 'Vessel', identifiers }),
    ],
    '2026-01',
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

const run = (...args: string[]) => runLimenHere(['match', ...args], { environment: { DATA_DIR: folder } });

it('prints the matches with explanations, and exits with 3', async () => {
  const { code, stdout, stderr } = await run('Torvald Eskeland', '--born', '1961-04-09', '--country', 'Norway');
  expect([code, stderr]).toEqual([3, '']);
  const [head, row, end] = stdout.trim().split('\n');
  expect(head).toMatch(/^SCORE +LISTED NAME +KIND +BORN +COUNTRIES +LISTED ID +WHY$/);
  expect(row).toMatch(
    /^1\.000 +Torvald Eskeland +Person +1961-04-09 +no +inv-1 +Torvald: same; .*same day; same country/,
  );
  expect(end).toBe('1 match at 0.95 or more (default, version north@2026-01).');
});

it("finds a vessel by its number, and prints JSON in the format of the service's reply", async () => {
  const { code, stdout } = await run('--identifier', 'imo:9074729', '--json', '--dataset', 'north');
  expect(code).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({
    ...{ dataset: 'north', datasetVersion: '2026-01', scoreThreshold: 0.95 },
    results: [{ match: true, matches: [{ id: 'ship-1' }] }],
  });
});

it('exits with 0 if nothing matches, and reports the best candidate', async () => {
  const { code, stdout } = await run('Torvald Eskeland', '--born', '1974-01-01');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^0 matches at 0\.95 or more \(.*\)\. The best candidate has 0\.\d{3}\.\n$/);
});

it.each([
  ['nothing to search for', [], /^Give a name or an --identifier to look for\.$/m],
  ['a name without a letter', ['!!!'], /The query has neither a name nor an identifier that can be screened/],
  ['an invalid date of birth', ['A B', '--born', 'soon'], /--born .*must be a date, as YYYY-MM-DD/],
  ['an invalid kind', ['--identifier', 'shoe:12345'], /--identifier .*is the kind: passport, .*imo, /],
  ['a limit of zero', ['A B', '--limit', '0'], /from 1 to 50/],
])('refuses %s as wrong usage', async (_, args, says) => {
  const { code, stderr } = await run(...args);
  expect(code).toBe(2);
  expect(stderr).toMatch(says);
});

it('fails for an unknown list, and names the available ones', async () => {
  const { code, stderr } = await run('A B', '--dataset', 'nowhere');
  expect(code).toBe(1);
  expect(stderr).toMatch(/north/);
});
