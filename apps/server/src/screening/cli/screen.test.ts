// `limen screen`: table, files, exit codes.
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SCREENING_FILE_MAX_BYTES, type ScreeningReply } from '@limen/contract';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runLimenHere } from '#testing/run-limen.ts';
import { createListedEntity, inventName, storeList } from '#testing/screening/listed-people.ts';

const HEADER = 'id,firstname,lastname,dob\n';
const ROWS = 'p1,Torvald,Eskeland,1961-04-09\np2,Ada,Innocent,1990\np3,Torvald,"Eske\u001bland",soon\n';

async function prepare(csv: string) {
  const folder = mkdtempSync(join(tmpdir(), 'limen-screen-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await storeList(folder, 'north', [createListedEntity('inv-1', 'Torvald Eskeland', '1961-04-09')], '2026-01');
  const file = join(folder, 'people.csv');
  writeFileSync(file, csv);
  const run = (...args: string[]) => runLimenHere(['screen', file, ...args], { environment: { DATA_DIR: folder } });
  return { folder, file, run };
}

describe('limen screen', () => {
  it('prints who matched, and exits with 3', async () => {
    const { run, folder } = await prepare(HEADER + ROWS);
    const { code, stdout, stderr } = await run('--dataset', 'north');
    expect(code).toBe(3);
    const lines = stdout.trim().split('\n');
    expect(lines[0]).toMatch(/^ID +NAME +BORN +SCORE +LISTED NAME +LISTED ID +WHY$/);
    expect(lines[1]).toMatch(/^p1 +Torvald Eskeland +1961-04-09 +1\.000 +Torvald Eskeland +inv-1 +\S/);
    expect(lines.at(-1)).toMatch(/^\d of 3 rows matched at 0\.95 or more \(north, version 2026-01; [\d.]+ s\)\.$/);
    expect(stdout).not.toContain('\u001b');
    expect(stderr).toBe('Rows with a warning: 1; --csv and --json show which.\n');
    expect(existsSync(join(folder, 'limen.db'))).toBe(false); // The command needs no database.
  });

  it('reads the optional columns with --extended, and names the ignored ones without it', async () => {
    const { run } = await prepare('id,firstname,lastname,dob,name,country\np1,,,1961-04-09,Torvald Eskeland,Chile\n');
    const { code, stdout } = await run('--dataset', 'north', '--threshold', '0.9', '--extended');
    expect([code, stdout]).toEqual([3, expect.stringMatching(/p1 +Torvald Eskeland +1961-04-09 .* inv-1 /)]);
    const { stdout: rows } = await run('--dataset', 'north', '--extended', '--csv', '-');
    expect(rows).toMatch(/^id,.*,name\n"p1","","","1961-04-09",.*,"Torvald Eskeland"\n$/);
    const ignored = await run('--dataset', 'north', '--json', '-');
    expect([ignored.code, ignored.stderr]).toEqual([0, expect.stringMatching(/^Ignored columns: name, country\./)]);
    expect(JSON.parse(ignored.stdout).summary.warnings).toEqual([expect.stringMatching(/^Ignored columns/)]);
  });

  it('exits with 0 if no one matched', async () => {
    const { run } = await prepare(`${HEADER}p2,Ada,Innocent,1990\n`);
    const { code, stdout } = await run('--dataset', 'north');
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(/^0 of 1 row matched/) });
  });

  it("writes JSON in the format of the service's reply, and CSV with the best match", async () => {
    const { run, folder } = await prepare(HEADER + ROWS);
    const [json, csv] = [join(folder, 'out.json'), join(folder, 'out.csv')];
    expect((await run('--dataset', 'north', '--threshold', '0.99', '--json', json, '--csv', csv)).code).toBe(3);
    const { summary, results } = JSON.parse(readFileSync(json, 'utf8')) as ScreeningReply;
    expect(results.map(({ id, match }) => [id, match])).toEqual([
      ['p1', 'true'],
      ['p2', 'false'],
      ['p3', 'false'],
    ]);
    expect(summary).toMatchObject({ total: 3, dataset: 'north', datasetVersion: '2026-01', scoreThreshold: 0.99 });
    expect(summary.matched).toMatchObject({ count: 1, records: [{ id: 'p1', matches: [{ id: 'inv-1', score: 1 }] }] });
    const lines = readFileSync(csv, 'utf8').trim().split('\n');
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatch(/^id,firstname,lastname,dob,match,score,matched_name,listed_id,/);
    expect(lines[1]).toMatch(/^"p1","Torvald","Eskeland","1961-04-09","true",1,"Torvald Eskeland","inv-1",/);
    expect(lines[2]).toBe('"p2","Ada","Innocent","1990","false",0,"","","","","","","",""');
  });

  it('writes only to standard output on request', async () => {
    const { run } = await prepare(HEADER + ROWS);
    const { code, stdout, stderr } = await run('--dataset', 'north', '--json', '-');
    expect(code).toBe(3);
    expect((JSON.parse(stdout) as ScreeningReply).summary.total).toBe(3);
    expect(stderr).toContain('of 3 rows matched');
  });

  it("accepts files above the service's limit, complete and in order", async () => {
    // Most of it is an ignored column: the bytes count here, not the names.
    const note = 'n'.repeat(4_800);
    const rows = Array.from({ length: 450 }, (_, index) => {
      const { first, last } = inventName(index);
      return `row-${index},"${first}, ${first}",${last} ${last},"1961-04-09",${note}`;
    });
    rows[400] = 'row-400,Torvald,Eskeland,1961-04-09,';
    rows[449] = 'row-449,Torvald,Eskeland,1961-04-09,';
    const { run, folder, file } = await prepare(`id,firstname,lastname,dob,note\n${rows.join('\r\n')}`);
    expect(readFileSync(file).length).toBeGreaterThan(SCREENING_FILE_MAX_BYTES);
    const json = join(folder, 'out.json');
    const { code, stderr } = await run('--dataset', 'north', '--json', json);
    expect(code).toBe(3);
    expect(stderr).not.toContain('Warning');
    const { summary, results } = JSON.parse(readFileSync(json, 'utf8')) as ScreeningReply;
    expect(results.map(({ id }) => id)).toEqual(rows.map((_, index) => `row-${index}`));
    expect(summary.matched.records.map(({ id }) => id)).toEqual(['row-400', 'row-449']);
  });

  it('warns that only the demo is behind a collection', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'limen-screen-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'people.csv'), HEADER);
    const { code, stderr } = await runLimenHere(['screen', join(folder, 'people.csv'), '--dataset', 'sanctions'], {
      environment: { DATA_DIR: folder },
    });
    expect({ code, stderr }).toMatchObject({
      code: 4, // No one matched, and no one was cleared.
      stderr: expect.stringContaining('Only the fictional demo dataset'),
    });
  });

  it('exits with 4 if no one matched but a list could not be searched, and with 3 if someone matched', async () => {
    const { run, folder } = await prepare(`${HEADER}p2,Ada,Innocent,1990\n`);
    const { indexFile } = await storeList(folder, 'south', [createListedEntity('inv-2', 'Runa Holm')], '2026-01');
    writeFileSync(join(folder, 'datasets', 'south', indexFile), 'damaged');
    const { code, stderr } = await run('--dataset', 'default');
    expect(code).toBe(4);
    expect(stderr).toContain('Not searched, because they could not be loaded: south.');
    expect((await run('--dataset', 'north')).code).toBe(0);
    writeFileSync(join(folder, 'people.csv'), HEADER + ROWS);
    expect((await run('--dataset', 'default')).code).toBe(3);
  });

  it('adds the best match below the threshold to the CSV, but only matches to the JSON', async () => {
    const { run, folder } = await prepare(`${HEADER}p0,Ada,Innocent,1990\np1,Torvalt,Eskelant,1961-04-09\n`);
    const [json, csv] = [join(folder, 'out.json'), join(folder, 'out.csv')];
    const { code, stdout } = await run('--dataset', 'north', '--threshold', '1', '--json', json, '--csv', csv);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(/^0 of 2 rows matched/) });
    const lines = readFileSync(csv, 'utf8').trim().split('\n');
    expect(lines[1]).toBe('"p0","Ada","Innocent","1990","false",0,"","","","","","","",""');
    expect(lines[2]).toMatch(/^"p1","Torvalt","Eskelant","1961-04-09","false",0\.\d+,"Torvald Eskeland","inv-1",/);
    const { summary, results } = JSON.parse(readFileSync(json, 'utf8')) as ScreeningReply;
    expect(results.map(({ match }) => match)).toEqual(['false', 'false']);
    expect(summary.matched).toEqual({ count: 0, records: [] });
    expect((await run('--dataset', 'north', '--threshold', '0', '--csv', csv)).code).toBe(3);
    expect(readFileSync(csv, 'utf8').trim().split('\n')[1]).toBe(
      '"p0","Ada","Innocent","1990","false",0,"","","","","","","",""',
    );
  });
});

describe('the path of a result', () => {
  it('is written to, not replaced, if it is a pipe or a device', async () => {
    const { run, folder } = await prepare(HEADER + ROWS);
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const reading = readFile(pipe, 'utf8');
    expect((await run('--dataset', 'north', '--csv', pipe)).code).toBe(3);
    expect((await reading).trim().split('\n')).toHaveLength(4);
    expect(lstatSync(pipe).isFIFO()).toBe(true);
    expect(readdirSync(folder).sort()).toEqual(['datasets', 'people.csv', 'pipe']);
  });

  it('is followed if it is a link, even to a missing file', async () => {
    const { run, folder } = await prepare(HEADER + ROWS);
    mkdirSync(join(folder, 'real'));
    writeFileSync(join(folder, 'real', 'old.csv'), 'old');
    for (const name of ['old.csv', 'new.csv']) {
      const link = join(folder, `to-${name}`);
      symlinkSync(join('real', name), link);
      expect((await run('--dataset', 'north', '--csv', link)).code).toBe(3);
      expect(lstatSync(link).isSymbolicLink()).toBe(true);
      expect(readFileSync(join(folder, 'real', name), 'utf8')).toMatch(/^id,firstname/);
    }
    expect(readdirSync(join(folder, 'real')).sort()).toEqual(['new.csv', 'old.csv']);
    symlinkSync('people.csv', join(folder, 'to-people.csv'));
    const over = await run('--dataset', 'north', '--csv', join(folder, 'to-people.csv'));
    expect(over).toMatchObject({ code: 2, stderr: expect.stringContaining('would overwrite') });
  });

  it('is refused at the start if it is a folder, in none, or a circular link', async () => {
    const { run, folder } = await prepare(HEADER + ROWS);
    symlinkSync('circle', join(folder, 'circle'));
    const before = readdirSync(folder);
    for (const [target, sentence] of [
      [folder, 'is a folder; name a file in it'],
      [join(folder, 'nowhere', 'out.json'), `There is no folder ${join(folder, 'nowhere')} for the result`],
      [join(folder, 'people.csv', 'out.json'), 'is a file, not a folder'],
      [join(folder, 'circle'), 'is a broken link'],
    ] as const) {
      // Checked first; otherwise the unknown list would be reported.
      expect(await run('--dataset', 'unknown', '--json', target)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining(sentence),
      });
    }
    expect(readdirSync(folder)).toEqual(before);
  });
});

describe('an invalid call', () => {
  it('names a missing file, and explains what is not a file', async () => {
    const { folder } = await prepare('');
    const screen = (path: string) =>
      runLimenHere(['screen', path, '--dataset', 'north'], { environment: { DATA_DIR: folder } });
    const missing = join(folder, 'nobody.csv');
    expect(await screen(missing)).toMatchObject({ code: 1, stderr: `There is no file ${missing}.\n` });
    expect(await screen(folder)).toMatchObject({ code: 1, stderr: `${folder} is a folder; name the CSV file.\n` });
    expect(await screen('/dev/null')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('not a regular file'),
    });
  });

  it.each([
    ['an unknown list', HEADER, ['--dataset', 'nowhere'], 1, 'There are demo, north, and the collections'],
    [
      'no header row',
      'a,b\n',
      ['--dataset', 'north'],
      1,
      'The header row lacks id, firstname, lastname, dob; it needs',
    ],
    ['broken quoting', `${HEADER}1,"a"b,c,d\n`, ['--dataset', 'north'], 1, 'Broken quoting on line 2'],
    ['no dataset', HEADER, [], 2, "required option '--dataset <name>' not specified"],
    ['an invalid threshold', HEADER, ['--dataset', 'north', '--threshold', '2'], 2, 'from 0 to 1'],
    [
      'both results to standard output',
      HEADER,
      ['--dataset', 'north', '--json', '-', '--csv', '-'],
      2,
      'the same place',
    ],
  ])('fails with %s', async (_name, csv, args, code, sentence) => {
    const ended = await (await prepare(csv)).run(...args);
    expect(ended.code).toBe(code);
    expect(ended.stderr).toContain(sentence);
    expect(ended.stdout).toBe('');
  });

  it('leaves no file if the input is not UTF-8 or is also the output', async () => {
    const { run, folder, file } = await prepare('');
    writeFileSync(file, Buffer.from(`${HEADER}1,Zo\u00eb,b,c\n`, 'latin1'));
    const out = join(folder, 'out.csv');
    expect(await run('--dataset', 'north', '--csv', out)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('UTF-8'),
    });
    expect(readdirSync(folder).sort()).toEqual(['datasets', 'people.csv']);
    expect(await run('--dataset', 'north', '--csv', file)).toMatchObject({ code: 2 });
    expect(readFileSync(file).length).toBeGreaterThan(0);
  });
});
