// `npm run screenshots`: screenshots of every screen of the launch page and every room of the
// console. Arguments: the folder (default: screenshots), and a part of the names to limit them.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

if (process.argv.slice(2).some((argument) => argument.startsWith('-'))) {
  console.log(
    'Usage: npm run screenshots -- [FOLDER] [PART]\n\nPictures of every screen of the launch page and of every room of the console, in FOLDER (screenshots),\nor only of those whose names have PART in them.',
  );
  process.exit(process.argv.includes('--help') ? 0 : 1);
}

for (const app of ['launch', 'console']) {
  const script = join(import.meta.dirname, '../apps', app, 'testing/screenshots.ts');
  const { status } = spawnSync(process.execPath, [script, ...process.argv.slice(2)], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
