import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createServer } from './node-http.ts';

const SOURCES = join(import.meta.dirname, '../..');
/** What a command of `limen` loads, a service does not. */
const NOT_OF_THE_SERVICE = /(^|\/)(cli|testing)\/|\.test\.ts$/;
const BRINGS_ALL_OF_IT = /^import (?!type )[^;]* from 'node:http';/m;

test('nothing of the service imports all of node:http', () => {
  const files = globSync('**/*.ts', { cwd: SOURCES }).filter((file) => !NOT_OF_THE_SERVICE.test(file));
  expect(files).toContain('platform/http/node-http.ts');
  expect(files.filter((file) => BRINGS_ALL_OF_IT.test(readFileSync(join(SOURCES, file), 'utf8')))).toEqual([]);
});

test('it is the same module', async () => {
  expect(createServer).toBe((await import('node:http')).createServer);
});
