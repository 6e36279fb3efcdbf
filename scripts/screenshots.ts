// `npm run screenshots`: pictures of every screen of the launch page and of every room of the console. Arguments: the folder (default:
// screenshots), and a part of the names to take only those.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

for (const app of ['launch', 'console']) {
  const script = join(import.meta.dirname, '../apps', app, 'testing/screenshots.ts');
  const { status } = spawnSync(process.execPath, [script, ...process.argv.slice(2)], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
