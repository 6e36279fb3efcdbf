// Replies of the command to wrong calls, help and version, and a closed pipe.
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { createTestCli, runLimen, runLimenHere } from '#testing/run-limen.ts';
import { createProgram } from '../src/commands.ts';
import { VERSION } from '../src/platform/base/version.ts';

const BROKEN = { environment: { PORT: 'broken' } };
const run = (...args: string[]) => runLimenHere(args, BROKEN);

/** Returns every command that does something, with its full name. */
function leaves(command: Command, path: string[] = []): { name: string; command: Command }[] {
  if (command.commands.length === 0) return [{ name: path.join(' '), command }];
  return command.commands.flatMap((child) => leaves(child, [...path, child.name()]));
}

const commands = leaves(await createProgram(createTestCli(BROKEN).cli));

describe('limen', () => {
  it('alone shows help', async () => {
    const { code, stdout, stderr } = await run();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^Usage: limen /);
    for (const group of ['keys', 'doctor', 'jobs', 'master-key']) expect(stdout).toContain(`\n  ${group} `);
  });

  it('--version shows the version', async () => {
    expect(await run('--version')).toEqual({ code: 0, stdout: `${VERSION}\n`, stderr: '' });
  });

  it.each([
    [['frobnicate'], "unknown command 'frobnicate'"],
    [['keys', 'frobnicate'], "unknown command 'frobnicate'"],
    [['keys', 'list', '--frobnicate'], "unknown option '--frobnicate'"],
    [['keys', 'create', '--kind', 'gold'], 'Allowed choices are live, test, development'],
    [['keys', 'create', '--label', ' '], 'It is empty.'],
    [['keys', 'create', '--label', 'a\u001b[2Jb'], 'It contains control characters.'],
    [['keys', 'create', '--customer', 'x'.repeat(201)], 'It is longer than 200 characters.'],
    [['keys', 'revoke'], "missing required argument 'id'"],
    [['keys', 'revoke', 'a', 'b'], 'too many arguments'],
    [['keys'], 'Usage: limen keys'],
  ])('%j is a wrong call', async (args, sentence) => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(sentence);
  });

  it('shows no stack and no color when the configuration is wrong', async () => {
    const { code, stdout, stderr } = await runLimen(['keys', 'list'], { environment: { PORT: 'high' } });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(
      'The configuration has 1 problem.\n  - PORT must be a whole number from 0 to 65535 (it is "high").\n',
    );
  });
});

it('ends quietly when the reader of its output has gone', async () => {
  const { code, stderr } = await runLimen(['--help'], { closeOutput: true });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

describe.each(commands)('limen $name', ({ name, command }) => {
  it('has a help text with an example, whatever the configuration', async () => {
    const { code, stdout } = await run(...name.split(' '), '--help');
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^Usage: limen ${name} `));
    expect(stdout).toMatch(new RegExp(`\nExamples?:\n  \\$ limen ${name}`));
  });

  it('is in docs/reference/cli.md with all its options', () => {
    const docs = readFileSync(new URL('../../../docs/reference/cli.md', import.meta.url), 'utf8');
    const section = docs.split(/^###? /m).find((part) => part.startsWith(`limen ${name}\n`));
    expect(section).toBeDefined();
    for (const { long } of command.options) expect(section).toContain(`\`${long}`);
  });
});
