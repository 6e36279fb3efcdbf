// Help and error messages of benchmarks and evaluations.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { IS_LONG } from '@limen/testing/rounds.ts';
import { describe, expect, it } from 'vitest';
import { milliseconds, quantile } from '../lab/bench/shared/figures.ts';
import { sayLeftOut } from '../scripts/bring-up.ts';

it('shows a figure without measurements as missing', () => {
  expect(milliseconds(quantile([], 0.99))).toBe('none');
  expect(milliseconds(quantile([3, 1, 2], 0.99))).toBe('3.00 ms');
});

it('explains how to enable skipped parts', () => {
  expect(sayLeftOut('all of bench:launch', 'chromium')).toBe(
    'SKIPPED: all of bench:launch (no Chromium was found; install Debian’s chromium package)',
  );
});

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
const programs = Object.entries(scripts).filter(([name]) => /^(bench|eval):/.test(name));

// Loading one takes a second, so the short run covers one of each kind.
describe.each(IS_LONG ? programs : programs.filter(([name]) => /^(bench:strings|eval:token)$/.test(name)))(
  '%s',
  (name, script) => {
    const run = (...args: string[]) => promisify(execFile)(process.execPath, [...script.split(' ').slice(1), ...args]);

    it('describes with --help the measurement, its duration and the options', async () => {
      const { stdout } = await run('--help');
      expect(stdout).toMatch(
        new RegExp(`^Usage: npm run ${name} -- \\[options\\].*\n\nMeasures .*\nTakes .*\n.* --help `, 's'),
      );
    });

    it('rejects an unknown option without starting', async () => {
      await expect(run('--frobnicate')).rejects.toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining(`npm run ${name} -- --help`),
      });
    });
  },
);
