import { expect, test } from 'vitest';
import { readErrorCode, runNpm } from './run-npm.ts';

test('runs npm', async () => {
  await expect(runNpm(['--version'])).resolves.toBeUndefined();
});

test('reports a failure by its code, without npm’s output', async () => {
  await expect(runNpm(['pack', './nothing-here', '--json', '--offline'])).rejects.toThrow(/^npm failed with E[A-Z]+$/);
});

test('does not reveal an address in npm’s report', () => {
  const report = { error: { code: 'E404', summary: 'Not Found - GET https://user:secret@registry.example/x' } };
  expect(readErrorCode(JSON.stringify(report, null, 2))).toBe('E404');
  expect(readErrorCode('https://user:secret@registry.example')).toBeUndefined();
});
