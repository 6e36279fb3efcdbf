// The examples in the documentation, run as they stand against the real service.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { installSdkOnce } from '../testing/installed-sdk.ts';
import { startLiveService } from '../testing/live-service.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const DOCUMENTED_URL = 'http://127.0.0.1:8080';
const DOCUMENTED_KEY = 'my-development-key';
const examples = ['../../../docs/sdk.md', '../README.md'].flatMap(findExamples);
const sdk = installSdkOnce();

it('has examples', () => {
  expect(examples.length).toBeGreaterThanOrEqual(5);
  for (const { program } of examples) expect(program).toContain(DOCUMENTED_URL);
});

it('says above the first example how it runs inside the repository, and it does', async () => {
  const text = readFileSync(resolve(ROOT, 'docs/sdk.md'), 'utf8');
  const top = text.slice(0, text.indexOf('```js'));
  expect(top).toContain('npx node example.mjs');
  expect(top).toContain('npm run build -w packages/sdk');
  const { url } = await startLiveService();
  const program = examples[0]!.program.replaceAll(DOCUMENTED_URL, url);
  const args = ['--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(resolve(ROOT, 'node_modules/.bin/node'), args, { cwd: ROOT });
  expect(stdout).toContain("value: 'hello'");
});

it.each(examples)('$name runs', async ({ program }) => {
  const { app, url } = await startLiveService();
  const { apiKey } = await app.apiKeys.create({ kind: 'live', clientCredentials: false });
  const { write, run } = sdk();
  const file = write('example.mjs', program.replaceAll(DOCUMENTED_URL, url).replaceAll(DOCUMENTED_KEY, apiKey));
  expect(await run(process.execPath, [file])).toMatchObject({ status: 0, output: expect.stringMatching(/\S/) });
});

function findExamples(path: string): { name: string; program: string }[] {
  const text = readFileSync(resolve(import.meta.dirname, path), 'utf8');
  return [...text.matchAll(/^```js\n(.*?)^```$/gms)].map(([, program = ''], index) => ({
    name: `example ${index + 1} of ${path.split('/').at(-1)}`,
    program,
  }));
}
