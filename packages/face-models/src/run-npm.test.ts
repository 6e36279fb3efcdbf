// Running the real npm, and what is told of its failures.
import { expect, test } from 'vitest';
import { readErrorCode, runNpm } from './run-npm.ts';

test('npm runs', async () => {
  await expect(runNpm(['--version'])).resolves.toBeUndefined();
});

test('a failure is told by its code, without what npm printed', async () => {
  await expect(runNpm(['pack', './nothing-here', '--json', '--offline'])).rejects.toThrow(/^npm failed with E[A-Z]+$/);
});

test('an address in npm’s report does not come through', () => {
  const report = { error: { code: 'E404', summary: 'Not Found - GET https://user:secret@registry.example/x' } };
  expect(readErrorCode(JSON.stringify(report, null, 2))).toBe('E404');
  expect(readErrorCode('https://user:secret@registry.example')).toBeUndefined();
});
