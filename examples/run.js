// `npm run example NAME`: starts an example with the URL and the development key of the service
// that `npm start` runs.
import { execFileSync, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

/** Each has its own port, so that they can run side by side. */
const EXAMPLES = {
  express: [process.execPath, 'express/server.js', '3003'],
  redirect: [process.execPath, 'redirect/server.js', '3004'],
  python: ['python3', 'python/host.py', '3001'],
  static: [process.execPath, 'static/serve.js', '3002'],
};

const LIMEN = join(import.meta.dirname, '../apps/server/bin/limen.js');
const BUILD_SDK = join(import.meta.dirname, '../scripts/build-sdk.ts');

const command = EXAMPLES[process.argv[2]];
if (!command) giveUp(`Which one? npm run example ${Object.keys(EXAMPLES).join('|')}`);
const [program, file, usualPort] = command;
const { PORT = usualPort, HOST_URL = `http://localhost:${PORT}`, LIMEN_URL = 'http://localhost:8080' } = process.env;
if (!(await fetch(`${LIMEN_URL}/health`).catch(() => undefined)))
  giveUp(`Nothing answers at ${LIMEN_URL}. Is \`npm start\` running? LIMEN_URL names another service.`);
if (!(await isFree(Number(PORT)))) giveUp(`Port ${PORT} is taken. Choose another one: PORT=3010 npm run example …`);
// Replaces the `npm install` of a copy outside this repository.
if (process.argv[2] === 'express') {
  const sdk = join(import.meta.dirname, 'express/node_modules/@limen/sdk');
  rmSync(sdk, { recursive: true, force: true });
  run(BUILD_SDK, sdk);
}
if (process.argv[2] === 'express' && !process.env.LIMEN_API_KEY) allowToEmbed(new URL(HOST_URL).origin);
const env = {
  ...process.env,
  PORT,
  LIMEN_URL,
  LIMEN_API_KEY: process.env.LIMEN_API_KEY ?? run(LIMEN, 'keys', 'development').trim(),
};
const child = spawn(program, [join(import.meta.dirname, file)], { stdio: 'inherit', env });
// Ctrl-C reaches both processes; other signals reach only this one.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.once('error', () => console.error(`${program} could not be started. Is it installed?`));
child.once('close', (code) => process.exit(code ?? 0));

/** Only sites listed by a page's key may frame it. */
function allowToEmbed(origin) {
  run(LIMEN, 'keys', 'development');
  const keys = JSON.parse(run(LIMEN, 'keys', 'list', '--json'));
  for (const { id, kind, status, embed_origins = '' } of keys) {
    const origins = embed_origins.split(' ').filter(Boolean);
    if (kind !== 'development' || status !== 'active' || origins.includes(origin)) continue;
    run(LIMEN, 'keys', 'embed', id, ...origins, origin);
  }
}

function isFree(port) {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false)).listen(port, () => server.close(() => resolve(true)));
  });
}

function giveUp(sentence) {
  console.error(sentence);
  process.exit(1);
}

function run(file, ...args) {
  return execFileSync(process.execPath, [file, ...args], { encoding: 'utf8' });
}
