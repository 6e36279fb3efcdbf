// Result files are complete or absent, and nothing reports how they are written.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { findTarget, openOutput, toCsvLines } from './outputs.ts';
import { createTerminal } from './terminal/terminal.ts';

const terminal = createTerminal({
  out: process.stdout,
  err: process.stderr,
  colour: false,
  readInput: async () => '',
});

async function prepare() {
  const folder = mkdtempSync(join(tmpdir(), 'limen-outputs-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'out.csv');
  return { folder, path, output: await openOutput(await findTarget(path), terminal) };
}

it.each([
  [true, 'a,\ufffd[2J\nb\n'],
  [false, 'a,\u001b[2J\nb\n'],
])('escapes control sequences on a screen, but not elsewhere (screen: %s)', async (isScreen, expected) => {
  let written = '';
  const out = { write: (text: string) => (written += text) };
  const output = await openOutput(
    await findTarget('-'),
    createTerminal({ out, err: out, colour: false, isScreen, readInput: async () => '' }),
  );
  await output.write('a,\u001b[2J\nb');
  expect(written).toBe(expected);
});

it('writes many large texts without a Node warning, and shows the file once it is complete', async () => {
  const warnings: string[] = [];
  const note = ({ name }: Error) => warnings.push(name);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  const { folder, path, output } = await prepare();
  const text = 'x'.repeat(200_000);
  for (let round = 0; round < 40; round += 1) await output.write(text);
  expect(readdirSync(folder)).not.toContain('out.csv');
  await output.finish();
  await turn();
  expect(warnings).toEqual([]);
  expect(readdirSync(folder)).toEqual(['out.csv']);
  expect(readFileSync(path, 'utf8')).toBe(`${text}\n`.repeat(40));
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it('leaves no file when it is discarded', async () => {
  const { folder, output } = await prepare();
  await output.write('half');
  await output.discard();
  expect(readdirSync(folder)).toEqual([]);
});

it('explains that the disk is full', async () => {
  const output = await openOutput(await findTarget('/dev/full'), terminal);
  onTestFinished(() => output.discard());
  await expect(output.write('x')).rejects.toThrow('/dev/full cannot be written: the disk is full.');
  expect(statSync('/dev/full').isCharacterDevice()).toBe(true);
});

it('writes no cell that a spreadsheet would evaluate as a formula', () => {
  const row = { id: '=1+1', firstname: '@SUM', lastname: '-x', dob: '', match: 'false', score: 0 } as const;
  expect(toCsvLines([row], [])).toBe(`"'=1+1","'@SUM","'-x","","false",0,${Array(8).fill('""').join(',')}`);
});
