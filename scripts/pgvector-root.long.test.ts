// Servers in another system's root, left behind by a killed run.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { askPostgres } from '../testing/cluster/ask-postgres.ts';
import { findPgvectorRoot, startPgvectorCluster } from './pgvector-root.ts';

const root = findPgvectorRoot();
const program = `import { startPgvectorCluster } from ${JSON.stringify(fileURLToPath(new URL('pgvector-root.ts', import.meta.url)))};
  const { url } = await startPgvectorCluster(${JSON.stringify(root)});
  console.log(url);
  setInterval(() => {}, 1_000);`;

it.skipIf(!root)('are stopped by the next run, which leaves those of running ones alone', async () => {
  const own = await startPgvectorCluster(root!);
  onTestFinished(() => own.stop());
  const run = spawn(process.execPath, ['--input-type=module', '--eval', program]);
  onTestFinished(() => void run.kill('SIGKILL'));
  const [url] = (await once(createInterface({ input: run.stdout }), 'line')) as [string];
  const ended = once(run, 'exit');
  run.kill('SIGKILL');
  await ended;
  expect(await askPostgres(url, 'select 1 as one')).toEqual([{ one: 1 }]);
  const left = readdirSync(join(root!, 'tmp')).filter((name) => name.includes(`-${run.pid}-`));
  expect(left).toHaveLength(1);

  const next = await startPgvectorCluster(root!);
  onTestFinished(() => next.stop());
  await expect(askPostgres(url, 'select 1 as one')).rejects.toThrow();
  expect(existsSync(join(root!, 'tmp', left[0]!))).toBe(false);
  expect(await askPostgres(own.url, 'select 1 as one')).toEqual([{ one: 1 }]);
});
