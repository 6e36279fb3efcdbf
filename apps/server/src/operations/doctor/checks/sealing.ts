// Checks that the master key is there, private, and opens the data keys. Reads the key file without touching it.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { StartError } from '../../../platform/base/errors.ts';
import { createIds } from '../../../platform/base/ids.ts';
import type { Database } from '../../../platform/database/database.ts';
import { hasTable, pendingMigrations, refuseToRepeat } from '../../../platform/database/migrate.ts';
import {
  checkMasterKey,
  type KeyringOptions,
  readDataKeyState,
  readKeyring,
} from '../../../platform/sealing/keyring.ts';
import { masterKeyFile, masterKeyId, parseMasterKey } from '../../../platform/sealing/master-key.ts';
import type { Sealer } from '../../../platform/sealing/sealer.ts';
import { describeAge } from '../../../platform/text/describe-age.ts';
import { createCheckpoints, readDays } from '../../../records/audit/checkpoints.ts';
import { createAuditStore } from '../../../records/audit/store.ts';
import { chooseSigning, OLD_KEY_MS, stateOf, WORLDS } from '../../../signing/rules.ts';
import { listSigningKeys, type SigningKeyRow } from '../../../signing/store.ts';
import { findEditedRows } from '../../data-keys/row-seals.ts';
import { type Check, type Facts, type Finding, failure, ok, warning } from './check.ts';

type GivenKeys = NonNullable<KeyringOptions['masterKey']>;

export const checkMasterKeys: Check = async (facts) => {
  const { MASTER_KEY, DATA_DIR, production } = facts.config;
  if (MASTER_KEY)
    return [
      await judgeKey(facts, MASTER_KEY, 'MASTER_KEY'),
      ...(MASTER_KEY.length > 1 ? [await judgeOrder(facts, MASTER_KEY)] : []),
    ];
  const { path } = masterKeyFile(DATA_DIR);
  const findings: Finding[] = [];
  if (production) {
    findings.push(failure('MASTER_KEY is not set', 'set it: in production the key must not be kept beside the data'));
  }
  return [...findings, ...(await checkKeyFiles(facts, path, `${path}.next`))];
};

/** The order says where a rotation leads; only the operator knows which of the two is the new key. */
async function judgeOrder(facts: Facts, keys: readonly Buffer[]): Promise<Finding> {
  const found = 'MASTER_KEY has two keys, as during a change';
  const opening = await findOpening(facts, keys);
  if (!opening) return warning(found, 'see above');
  const opened = `${found}; the database is sealed under key ${masterKeyId(opening).toString('hex')}`;
  if (keys[0]?.equals(opening)) {
    return warning(
      `${opened}, the first`,
      'if that is the new key, keep only it in MASTER_KEY; if it is the old one, set MASTER_KEY=NEW,OLD, then run limen master-key rotate',
    );
  }
  return warning(
    `${opened}, the second`,
    'check the order before rotating: the first key is the one the database is moved to. If the second is the old key, run limen master-key rotate; if it is the new one, keep only it in MASTER_KEY',
  );
}

/** Undefined where nothing is sealed yet, and where neither of them opens the database. */
async function findOpening(facts: Facts, keys: readonly Buffer[]): Promise<Buffer | undefined> {
  for (const key of keys) if (await opens(facts, key)) return key;
  return undefined;
}

async function checkKeyFiles(facts: Facts, path: string, stagedPath: string): Promise<Finding[]> {
  const staged = existsSync(stagedPath) ? readKey(stagedPath) : undefined;
  if (!existsSync(path)) {
    if (staged && (await opens(facts, staged))) return [interrupted(stagedPath)];
    if ((await countDataKeys(facts)) > 0) {
      const remedy = `restore ${path} from your backup, or set MASTER_KEY; without it the sealed data is lost`;
      return [failure('the database is sealed and its master key is missing', remedy)];
    }
    return facts.database.state === 'silent'
      ? [warning('no key file; whether there should be one is unknown while the database does not answer', 'see above')]
      : [ok('no key file yet; it will be created at the first start')];
  }
  const privacy = privacyOf(path);
  const key = readKey(path);
  if (!key) {
    return [...privacy, failure(`${path} is not 32 bytes in base64`, 'restore it from your backup')];
  }
  if (staged && !(await opens(facts, key)) && (await opens(facts, staged))) {
    return [...privacy, interrupted(stagedPath)];
  }
  return [...privacy, await judgeKey(facts, key, path)];
}

function interrupted(stagedPath: string): Finding {
  return warning(
    `a rotation was interrupted: the key that opens the database is in ${stagedPath}`,
    'start the server, or run any limen command that writes: it finishes the rotation',
  );
}

async function judgeKey(facts: Facts, key: GivenKeys, source: string): Promise<Finding> {
  if (facts.database.state === 'silent') {
    return warning(`${source} has a key; not tried, because the database does not answer`, 'see above');
  }
  const count = await countDataKeys(facts);
  if (count === 0) return ok(`${source} has a key; nothing is sealed with it yet`);
  let remedy = 'use the key that belongs to this database';
  try {
    const migratedTo = await tryKey(facts, key);
    remedy = 'restore a backup, and find out who can write to the database';
    refuseToRepeat(await listPending(facts), migratedTo);
    if (await isChangeBegun(facts, key)) {
      return warning(
        `${source} opens all ${count} data keys; a change of the data keys was begun and has not ended`,
        'unless it is running: limen keys rotate-data, which goes on with it',
      );
    }
    return ok(`${source} opens all ${count} data keys`);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return failure(error.message.replace(' Nothing was changed.', ''), remedy);
  }
}

/** False also where nothing is sealed yet. */
async function opens(facts: Facts, key: Buffer): Promise<boolean> {
  if ((await countDataKeys(facts)) === 0) return false;
  return tryKey(facts, key).then(
    () => true,
    () => false,
  );
}

/** None of a newer schema: the check of the database says so. */
async function listPending({ database }: Facts): Promise<string[]> {
  return database.state === 'answers' ? pendingMigrations(database.database).catch(() => []) : [];
}

/** The last migration that the keyring knows of. Throws a StartError when the key is not the right one. */
async function tryKey(facts: Facts, key: GivenKeys): Promise<string | undefined> {
  const keyring = keyringOf(facts, key);
  return keyring && checkMasterKey(keyring);
}

async function isChangeBegun(facts: Facts, key: GivenKeys): Promise<boolean> {
  const keyring = keyringOf(facts, key);
  if (!keyring) return false;
  const { isNext, hasEarlier } = await readDataKeyState(keyring);
  return isNext || hasEarlier;
}

function keyringOf({ config, clock, database }: Facts, masterKey: GivenKeys): KeyringOptions | undefined {
  if (database.state !== 'answers') return undefined;
  return { database: database.database, dataDir: config.DATA_DIR, masterKey, clock, ids: createIds(clock) };
}

async function countDataKeys({ database }: Facts): Promise<number> {
  if (database.state !== 'answers' || !(await hasTable(database.database, 'data_keys'))) return 0;
  const { queries } = database.database;
  const row = await queries
    .selectFrom('data_keys')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** The one that opens the database, as the server would find it; undefined where it is not there, or is none. */
export function readOperatorsKey({ MASTER_KEY, DATA_DIR }: Facts['config']): GivenKeys | undefined {
  const { path } = masterKeyFile(DATA_DIR);
  return MASTER_KEY ?? (existsSync(path) ? readKey(path) : undefined);
}

/** The platform's own reader tightens loose permissions; the doctor only tells of them. */
function readKey(path: string): Buffer | undefined {
  return parseMasterKey(readFileSync(path, 'utf8'));
}

function privacyOf(path: string): Finding[] {
  const { mode } = statSync(path);
  if (process.platform === 'win32' || (mode & 0o077) === 0) return [];
  const found = `other users of this machine can read ${path} (mode ${(mode & 0o777).toString(8)})`;
  return [warning(found, `chmod 600 ${path} (the next start does it too), and consider rotating the key`)];
}

/** `closed`: another check has said why. */
type Opened = { state: 'open'; database: Database; sealer: Sealer } | { state: 'closed' };

/** Undefined where there is nothing sealed yet. */
export async function openSealed({ config, clock, database: facts }: Facts): Promise<Opened | undefined> {
  if (facts.state !== 'answers') return undefined;
  const { database } = facts;
  const masterKey = readOperatorsKey(config);
  if (!masterKey || !(await hasTable(database, 'data_keys'))) return undefined;
  const [isBehind, sealer] = [
    (await pendingMigrations(database).catch(() => ['newer'])).length > 0,
    await readKeyring({ database, dataDir: config.DATA_DIR, masterKey, clock, ids: createIds(clock) }).catch(() => {}),
  ];
  return isBehind || !sealer ? { state: 'closed' } : { state: 'open', database, sealer };
}

/** A search of a large gallery takes minutes. */
const PATIENCE_MS = 2_000;
const MAX_NAMED = 10;

export const checkRows: Check = async (facts) => {
  const opened = await openSealed(facts);
  if (!opened) return [];
  if (opened.state === 'closed') return [warning('not checked', 'see above')];
  const { database, sealer } = opened;
  const ends = performance.now() + PATIENCE_MS;
  const goesOn = () => performance.now() < ends;
  const { looked, edited, isWhole } = await findEditedRows(database.queries, sealer, goesOn);
  const all = isWhole ? `all ${looked}` : `the first ${looked}`;
  if (edited.length === 0) return [ok(`${all} sealed rows are as they were written`)];
  const named = edited.slice(0, MAX_NAMED).map(({ table, id }) => `${table} ${id}`);
  const more = edited.length > MAX_NAMED ? ` and ${edited.length - MAX_NAMED} more` : '';
  const found = `of ${all}, some were edited in the database and count as absent: ${named.join(', ')}${more}`;
  return [failure(found, 'restore them from a backup, or delete them and create them again')];
};

export const checkAudit: Check = async (facts) => {
  const opened = await openSealed(facts);
  if (opened?.state !== 'open') return [];
  const rows = await createAuditStore(opened.database).listSegments();
  const { broken } = readDays(createCheckpoints(opened.sealer), rows);
  if (!broken)
    return [
      ok(
        rows.length === 1
          ? 'the checkpoint of its day holds'
          : `the checkpoints of all ${rows.length} days follow from each other`,
      ),
    ];
  return [
    failure(
      `changed from outside at ${broken.day}: ${broken.problem}; no day from there on is pruned`,
      'see limen audit verify; find out who writes to the database, and restore the log from a backup',
    ),
  ];
};

export const checkSigningKeys: Check = async ({ clock, database: facts }) => {
  if (facts.state === 'silent') return [warning('not checked, because the database does not answer', 'see above')];
  const isThere = facts.state === 'answers' && (await hasTable(facts.database, 'signing_keys'));
  const rows = isThere ? await listSigningKeys(facts.database.queries) : [];
  return judgeSigningKeys(rows, clock.now());
};

export function judgeSigningKeys(rows: readonly Omit<SigningKeyRow, 'sealed'>[], now: number): Finding[] {
  if (rows.length === 0) return [ok('none yet; the server makes them at its first start')];
  return WORLDS.flatMap((world) => {
    const keys = rows.filter((row) => row.world === world);
    const signing = chooseSigning(keys, now);
    if (!signing) return [];
    const others = keys.filter((key) => ['next', 'retired'].includes(stateOf(key, keys, now))).length;
    const age = Math.max(0, now - signing.signs_from);
    const found = `${world}: ${signing.id} has signed for ${describeAge(age)}; ${others} more published`;
    return [age < OLD_KEY_MS ? ok(found) : warning(found, `limen signing-keys rotate --world ${world}`)];
  });
}
