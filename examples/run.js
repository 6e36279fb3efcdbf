// `npm run example NAME`: starts an example with the address and the development key of the service that `npm start` runs.
import { execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';

const EXAMPLES = {
  redirect: [process.execPath, 'redirect/server.js'],
  python: ['python3', 'python/host.py'],
  static: [process.execPath, 'static/serve.js'],
};

const command = EXAMPLES[process.argv[2]];
if (!command) {
  console.error(`Which one? npm run example ${Object.keys(EXAMPLES).join('|')}`);
  process.exit(1);
}
const [program, file] = command;
const env = {
  LIMEN_URL: 'http://localhost:8080',
  ...process.env,
  LIMEN_API_KEY: process.env.LIMEN_API_KEY ?? readDevelopmentKey(),
};
const child = spawn(program, [join(import.meta.dirname, file)], { stdio: 'inherit', env });
// Ctrl-C reaches both; other signals only this process.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.once('error', () => console.error(`${program} could not be started. Is it installed?`));
child.once('close', (code) => process.exit(code ?? 0));

function readDevelopmentKey() {
  const limen = join(import.meta.dirname, '../apps/server/bin/limen.js');
  return execFileSync(process.execPath, [limen, 'keys', 'development'], { encoding: 'utf8' }).trim();
}
