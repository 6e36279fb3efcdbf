// Checks the recommendations for production, beyond what a service needs to run (--deployment).
import { bytesPerVector } from '@limen/gallery';
import type { Config } from '../../../config.ts';
import { readPostgresAddress } from '../../../platform/database/postgres-address.ts';
import { formatBytes } from '../../../platform/files/free-space.ts';
import { isLoopback } from '../../../platform/outbound/classify-address.ts';
import { MAX_BYTES_OF_FILES } from '../../../screening/limits.ts';
import { createDatasetFolder } from '../../../screening/lists/folder/folder.ts';
import { findLastBackup } from '../../backup/last.ts';
import { listOpenAreas } from '../../settings.ts';
import { type DoctorCheck, type DoctorFinding, type Facts, findTable, ok, warning } from './check.ts';
import { findProcessMemory } from './faces.ts';

const DAY_MS = 86_400_000;
/** Age from which a backup is too old */
const BACKUP_DAYS = 7;

const MB = 2 ** 20;
/** Measured memory of a process at load without lists, faces and tokens */
const PROCESS_MB = 490;
/** Numbers in a vector of the shipped models */
const DIMENSIONS = 512;

export const checkDeployment: DoctorCheck = async (facts) => {
  const lists = await createDatasetFolder(facts.config.DATA_DIR).list();
  const machine = { memoryBytes: findProcessMemory(), hasLists: lists.some(({ sync }) => sync) };
  return [...judgeSettings(facts.config, machine), await judgeBackups(facts)];
};

interface Machine {
  memoryBytes: number;
  /** Whether any list can be refreshed */
  hasLists: boolean;
}

export function judgeSettings(config: Config, { memoryBytes, hasLists }: Machine): DoctorFinding[] {
  const isReachable = !isLoopback(config.HOST) || hasPublicHost(config);
  const openAreas = listOpenAreas(config);
  const findings = [
    config.production
      ? ok('production: development keys, the demo and simulated outcomes of live sessions are off')
      : warning('not in production mode', 'set NODE_ENV=production'),
    config.MASTER_KEY
      ? ok('the master key comes from the settings')
      : warning('the master key is stored next to the data that it protects', 'set MASTER_KEY, from a secret store'),
    config.KEYHOLDER_URL
      ? ok('the key-holder is a separate process')
      : warning(
          'the key-holder is a thread of the service: an attacker who takes over one has both',
          'run it as a process, on another machine if you can, and set KEYHOLDER_URL (docs/keyholder.md)',
        ),
    config.DATABASE_URL
      ? ok('PostgreSQL: several processes can share it')
      : warning('a database file: one process, and none when its machine is gone', 'for more, set DATABASE_URL'),
    ...(config.DATABASE_URL === undefined ? [] : judgeDatabaseTls(config.DATABASE_URL)),
  ];
  if (config.DATASET_SYNC_HOURS > 0) {
    findings.push(ok(`lists are refreshed every ${config.DATASET_SYNC_HOURS} hours`));
  } else if (hasLists) {
    const remedy = 'set DATASET_SYNC_HOURS=24, or run limen datasets sync from a timer';
    findings.push(warning('lists are not refreshed by the service', remedy));
  }
  findings.push(
    config.PUBLIC_URL?.startsWith('https:')
      ? ok('the launch page has a public address')
      : warning('links to the launch page point to this machine or do not use https', 'set PUBLIC_URL to https://…'),
    ...judgeAddresses(config),
  );
  if (isReachable && openAreas.length > 0) {
    const found = `others can use these areas without an API key: ${openAreas.join(', ')}`;
    findings.push(warning(found, 'set REQUIRE_API_KEY=strings,sanctions'));
  }
  const limitRemedy = 'set RATE_LIMIT=key=100:200,address=50, with numbers that fit your hosts';
  findings.push(
    config.RATE_LIMIT ? ok('requests are limited') : warning('the number of requests is not limited', limitRemedy),
  );
  if (isReachable && config.METRICS_TOKEN === undefined) {
    findings.push(warning('metrics can be read on this machine only', 'set METRICS_TOKEN and scrape with it'));
  }
  return [...findings, judgeMemory(config, memoryBytes)];
}

function hasPublicHost({ PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>): boolean {
  return PUBLIC_URL !== undefined && !isLoopback(new URL(PUBLIC_URL).hostname);
}

function judgeAddresses(config: Config): DoctorFinding[] {
  const { HOST, PORT, PUBLIC_URL, TRUST_PROXY } = config;
  if (TRUST_PROXY === true) {
    const remedy = 'set TRUST_PROXY to the addresses or networks of the proxies';
    return [warning('TRUST_PROXY=true lets every client choose its address', remedy)];
  }
  if (PUBLIC_URL === undefined || !hasPublicHost(config)) return [];
  const isProxyHere = TRUST_PROXY !== false && TRUST_PROXY.some((place) => isLoopback(place.split('/')[0]!));
  if (isLoopback(HOST) && !isProxyHere) {
    const found = 'PUBLIC_URL is for others, but only this machine can reach HOST';
    return [warning(found, 'set HOST=0.0.0.0, or add the address of a proxy on this machine to TRUST_PROXY')];
  }
  const { port, protocol } = new URL(PUBLIC_URL);
  const publicPort = Number(port || (protocol === 'https:' ? 443 : 80));
  if (TRUST_PROXY !== false || publicPort === PORT) return [];
  const found = `PUBLIC_URL has port ${publicPort} and the service listens on ${PORT}, so a proxy seems to be in front; it is not trusted`;
  return [warning(found, 'set TRUST_PROXY to its address')];
}

/** Returns no finding for a database on this machine. */
export function judgeDatabaseTls(url: string): DoctorFinding[] {
  const { isRemote, sslMode, ssl } = readPostgresAddress(url);
  if (!isRemote) return [];
  if (sslMode === undefined) {
    const remedy =
      'add ?sslmode=verify-full&sslrootcert=FILE to DATABASE_URL, or ?sslmode=disable if no one else is on that network';
    return [warning('the connection to PostgreSQL is not encrypted, and leaves this machine', remedy)];
  }
  if (sslMode === 'require' && ssl !== false && ssl.ca === undefined) {
    const found =
      'sslmode=require without sslrootcert: anyone between this machine and PostgreSQL can pose as the server';
    const remedy = 'use sslmode=verify-full in DATABASE_URL, and name the file of the CA with sslrootcert=FILE';
    return [warning(found, remedy)];
  }
  return [ok(`sslmode=${sslMode} for PostgreSQL`)];
}

/** Judges the maximum memory that the settings allow a process. */
export function judgeMemory(config: Config, memoryBytes: number): DoctorFinding {
  const isServed = (...parts: ('core' | 'launch' | 'node')[]) => parts.some((part) => config.SERVE.has(part));
  const faces =
    config.VECTOR_STORE === 'pgvector' || !isServed('node')
      ? 0
      : config.FACE_MEMORY_MB === undefined
        ? config.NODE_MAX_EMBEDDINGS * bytesPerVector(DIMENSIONS)
        : config.FACE_MEMORY_MB * MB;
  const tokens = isServed('core', 'launch') ? config.TOKEN_MEMORY_MB * MB : 0;
  const files = isServed('core') ? MAX_BYTES_OF_FILES : 0;
  const most = PROCESS_MB * MB + faces + tokens + files;
  const found = `a process may take ${formatBytes(most)}, and lists besides; the memory is ${formatBytes(memoryBytes)}`;
  const remedy =
    'lower TOKEN_MEMORY_MB, set FACE_MEMORY_MB, or lower NODE_MAX_EMBEDDINGS; or give the process more memory';
  return most < memoryBytes ? ok(found) : warning(found, remedy);
}

/** Judges the backups in the audit log, which backups by other tools do not enter. */
async function judgeBackups(facts: Facts): Promise<DoctorFinding> {
  const remedy = 'run limen backup from a timer, and test a restore; ignore this if other tools take backups';
  const database = await findTable(facts, 'audit_lines');
  const now = facts.clock.now();
  const last = database && (await findLastBackup(database.queries, now));
  if (!last) return warning('no backup is on record', remedy);
  if (!last.isWhole) return warning('no recorded backup was ever completed', remedy);
  const days = Math.floor((now - last.at) / DAY_MS);
  const found = `the last backup on record is ${days === 0 ? 'of the last 24 hours' : `${days} days old`}`;
  return days < BACKUP_DAYS ? ok(found) : warning(found, remedy);
}
