// `npm run cluster`: a complete large installation on this machine, from Debian's packages, until
// Ctrl+C.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { findClusterPrograms } from '../testing/cluster/find-programs.ts';
import { keepRunning } from '../testing/cluster/keep-running.ts';
import { startCluster } from '../testing/cluster/start-cluster.ts';

if (process.argv.length > 2) {
  console.log(
    'Usage: npm run cluster\n\nStarts PostgreSQL with a replica, PgBouncer, two key-holders, three processes of the service and HAProxy on this machine,\nprints their addresses and an API key, and removes everything at Ctrl+C. Type promote and Enter for a fail-over to the replica.',
  );
  process.exit(process.argv.includes('--help') ? 0 : 1);
}

const found = findClusterPrograms('npm run cluster');
if ('lack' in found) {
  console.log(found.lack);
  process.exit(0);
}
console.log('Starting …');
const cluster = await startCluster({ programs: found.programs });
const { postgres } = cluster;
const settings = writeSettings('limen.env', cluster.environment);
const keyHolderSettings = writeSettings('keyholder.env', cluster.keyHolderEnvironment);
console.log(`
  service         ${cluster.url}   (HAProxy; each process: ${cluster.serviceUrls.join(', ')})
  API key         ${cluster.apiKey}
  PostgreSQL      primary on port ${postgres.primaryPort()}, replica on port ${postgres.replica()?.port}
  PgBouncer       ${cluster.environment['DATABASE_URL']}
  key-holders     ${cluster.environment['KEYHOLDER_URL']}
  logs            ${cluster.folder}/*.log
  settings        ${settings} and ${keyHolderSettings}, for the command line:
                  (set -a; . ${settings}; npx limen doctor)

A process that ends is started again, and told of here. Ctrl+C ends it and removes everything. Type promote and Enter for a fail-over to the replica.
`);

/** Readable only by the user, because it contains secrets. Removed with the rest. */
function writeSettings(name: string, environment: Readonly<Record<string, string>>): string {
  const file = join(cluster.folder, name);
  const own = Object.entries(environment).filter(([key]) => !['PATH', 'HOME', 'NODE_COMPILE_CACHE'].includes(key));
  writeFileSync(file, own.map(([key, value]) => `${key}='${value}'\n`).join(''), { mode: 0o600 });
  return file;
}

let isStopping = false;
async function watch(): Promise<void> {
  const members = [cluster.pgbouncer, ...cluster.keyHolders, ...cluster.services, cluster.haproxy];
  while (!isStopping) {
    await keepRunning(members, console.log);
    await setTimeout(1_000);
  }
}
void watch();

async function stop(): Promise<void> {
  if (isStopping) return; // npm sends the signal twice
  isStopping = true;
  console.log('Stopping …');
  await cluster.stop();
  process.exit(0);
}
process.on('SIGINT', stop);
process.on('SIGTERM', stop);

for await (const typed of process.stdin) {
  if (String(typed).trim() !== 'promote') continue;
  await cluster.promote('SIGKILL');
  console.log(`The replica is the primary now, on port ${postgres.primaryPort()}; a new replica is made …`);
  await postgres.addReplica();
  console.log(`Done: replica on port ${postgres.replica()?.port}.`);
}
