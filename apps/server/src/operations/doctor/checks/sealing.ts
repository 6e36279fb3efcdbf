// Checks the master key, the data keys, and everything sealed with them. Reads the key file without changing it.
import { existsSync, readFileSync } from 'node:fs';
import { StartError } from '../../../platform/base/errors.ts';
import { createIds } from '../../../platform/base/ids.ts';
import { pendingMigrations, throwIfAlreadyApplied } from '../../../platform/database/migrate.ts';
import {
  checkMasterKey,
  type KeyringOptions,
  readDataKeyState,
  readKeyring,
} from '../../../platform/sealing/keyring.ts';
import { masterKeyFile, masterKeyId, parseMasterKey } from '../../../platform/sealing/master-key.ts';
import { describeAge } from '../../../platform/text/count-of.ts';
import { createCheckpoints, readDays } from '../../../records/audit/checkpoints.ts';
import { createAuditStore } from '../../../records/audit/store.ts';
import { listSigningKeys, type SigningKeyRow } from '../../../signing/keys.ts';
import { OLD_KEY_MS } from '../../../signing/limits.ts';
import { chooseSigning, findKeyState, WORLDS } from '../../../signing/rules.ts';
import { findEditedRows } from '../../data-keys/row-seals.ts';
import {
  DATABASE_SILENT,
  type DoctorCheck,
  type DoctorFinding,
  type Facts,
  failure,
  findTable,
  judgePrivacy,
  ok,
  warning,
} from './check.ts';

type ConfiguredMasterKeys = NonNullable<KeyringOptions['masterKey']>;

export const checkMasterKeys: DoctorCheck = async (facts) => {
  const { MASTER_KEY, DATA_DIR, production } = facts.config;
  if (MASTER_KEY) {
    const finding = await judgeKey(facts, MASTER_KEY, 'MASTER_KEY');
    return MASTER_KEY.length > 1 ? [finding, await judgeOrder(facts, MASTER_KEY)] : [finding];
  }
  const findings = await checkKeyFiles(facts, masterKeyFile(DATA_DIR).path);
  if (!production) return findings;
  return [
    failure('MASTER_KEY is not set', 'set it: in production the key must not be kept beside the data'),
    ...findings,
  ];
};

/** The order determines the direction of a rotation. Only the operator knows which key is new. */
async function judgeOrder(facts: Facts, keys: readonly Buffer[]): Promise<DoctorFinding> {
  const found = 'MASTER_KEY has two keys, as during a change';
  let opening: Buffer | undefined;
  for (const key of keys) if (!opening && (await opens(facts, key))) opening = key;
  if (!opening) return warning(found, 'see above');
  const isFirst = keys[0]?.equals(opening);
  return warning(
    `${found}; the database is sealed under key ${masterKeyId(opening).toString('hex')}, the ${isFirst ? 'first' : 'second'}`,
    isFirst
      ? 'if that is the new key, keep only it in MASTER_KEY; if it is the old one, set MASTER_KEY=NEW,OLD, then run limen master-key rotate'
      : 'check the order before rotating: the first key is the one the database is moved to. If the second is the old key, run limen master-key rotate; if it is the new one, keep only it in MASTER_KEY',
  );
}

async function checkKeyFiles(facts: Facts, path: string): Promise<DoctorFinding[]> {
  const stagedPath = `${path}.next`;
  const staged = existsSync(stagedPath) ? readKey(stagedPath) : undefined;
  const interrupted = warning(
    `a rotation was interrupted: the key that opens the database is in ${stagedPath}`,
    'start the server, or run any limen command that writes: it finishes the rotation',
  );
  if (!existsSync(path)) {
    if (staged && (await opens(facts, staged))) return [interrupted];
    if ((await countDataKeys(facts)) > 0) {
      const remedy = `restore ${path} from your backup, or set MASTER_KEY; without it the sealed data is lost`;
      return [failure('the database is sealed and its master key is missing', remedy)];
    }
    return facts.database.state === 'silent'
      ? [warning('no key file; whether there should be one is unknown while the database does not answer', 'see above')]
      : [ok('no key file yet; it will be created at the first start')];
  }
  const remedy = `chmod 600 ${path} (the next start does it too), and consider rotating the key`;
  const privacy = judgePrivacy(path, path, remedy);
  const key = readKey(path);
  if (!key) return [...privacy, failure(`${path} is not 32 bytes in base64`, 'restore it from your backup')];
  const isInterrupted = staged && !(await opens(facts, key)) && (await opens(facts, staged));
  return [...privacy, isInterrupted ? interrupted : await judgeKey(facts, key, path)];
}

async function judgeKey(facts: Facts, key: ConfiguredMasterKeys, source: string): Promise<DoctorFinding> {
  if (facts.database.state === 'silent') {
    return warning(`${source} has a key; not tried, because the database does not answer`, 'see above');
  }
  const keyring = describeKeyring(facts, key);
  const count = await countDataKeys(facts);
  if (!keyring || count === 0) return ok(`${source} has a key; nothing is sealed with it yet`);
  let remedy = 'use the key that belongs to this database';
  try {
    const migratedTo = await checkMasterKey(keyring);
    remedy = 'restore a backup, and find out who can write to the database';
    // The check of the database reports a newer schema.
    throwIfAlreadyApplied(await pendingMigrations(keyring.database).catch(() => []), migratedTo);
    const { isNext, hasEarlier } = await readDataKeyState(keyring);
    const found = `${source} opens all ${count} data keys`;
    if (!isNext && !hasEarlier) return ok(found);
    return warning(
      `${found}; a change of the data keys was begun and has not ended`,
      'unless it is still running: limen keys rotate-data, which continues it',
    );
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return failure(error.message.replace(' Nothing was changed.', ''), remedy);
  }
}

/** Also returns false if nothing is sealed yet. */
async function opens(facts: Facts, key: Buffer): Promise<boolean> {
  const keyring = describeKeyring(facts, key);
  if (!keyring || (await countDataKeys(facts)) === 0) return false;
  return checkMasterKey(keyring).then(
    () => true,
    () => false,
  );
}

function describeKeyring(
  { config, clock, database }: Facts,
  masterKey: ConfiguredMasterKeys,
): KeyringOptions | undefined {
  if (database.state !== 'answers') return undefined;
  return { database: database.database, dataDir: config.DATA_DIR, masterKey, clock, ids: createIds(clock) };
}

async function countDataKeys(facts: Facts): Promise<number> {
  const database = await findTable(facts, 'data_keys');
  if (!database) return 0;
  const row = await database.queries
    .selectFrom('data_keys')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Reads a key file. The platform's own reader would tighten loose permissions. */
function readKey(path: string): Buffer | undefined {
  return parseMasterKey(readFileSync(path, 'utf8'));
}

/** Returns undefined if nothing is sealed yet, `closed` if another check reports the reason. */
async function openSealed(facts: Facts) {
  const { MASTER_KEY, DATA_DIR } = facts.config;
  const database = await findTable(facts, 'data_keys');
  if (!database) return undefined;
  const { path } = masterKeyFile(DATA_DIR);
  const masterKey = MASTER_KEY ?? (existsSync(path) ? readKey(path) : undefined);
  const keyring = masterKey && describeKeyring(facts, masterKey);
  if (!keyring) return undefined;
  const isBehind = (await pendingMigrations(database).catch(() => ['newer'])).length > 0;
  const sealer = await readKeyring(keyring).catch(() => undefined);
  return isBehind || !sealer ? 'closed' : { database, sealer };
}

/** Time limit, because a check of all rows may take minutes */
const ROW_CHECK_TIMEOUT_MS = 2_000;
const MAX_NAMED = 10;

export const checkRows: DoctorCheck = async (facts) => {
  const opened = await openSealed(facts);
  if (!opened) return [];
  if (opened === 'closed') return [warning('not checked', 'see above')];
  const deadline = performance.now() + ROW_CHECK_TIMEOUT_MS;
  const hasTime = () => performance.now() < deadline;
  const { looked, edited, isWhole } = await findEditedRows(opened.database.queries, opened.sealer, hasTime);
  const all = isWhole ? `all ${looked}` : `the first ${looked}`;
  if (edited.length === 0) return [ok(`${all} sealed rows are unchanged`)];
  const named = edited.slice(0, MAX_NAMED).map(({ table, id }) => `${table} ${id}`);
  const more = edited.length > MAX_NAMED ? ` and ${edited.length - MAX_NAMED} more` : '';
  const found = `of ${all}, some were edited in the database and count as absent: ${named.join(', ')}${more}`;
  return [failure(found, 'restore them from a backup, or delete them and create them again')];
};

export const checkAudit: DoctorCheck = async (facts) => {
  const opened = await openSealed(facts);
  if (!opened || opened === 'closed') return [];
  const rows = await createAuditStore(opened.database).listSegments();
  const { broken } = readDays(createCheckpoints(opened.sealer), rows);
  if (broken) {
    const found = `changed from outside at ${broken.day}: ${broken.problem}; days from there on are not pruned`;
    const remedy = 'see limen audit verify; find out who writes to the database, and restore the log from a backup';
    return [failure(found, remedy)];
  }
  if (rows.length === 1) return [ok('the checkpoint of its day holds')];
  return [ok(`the checkpoints of all ${rows.length} days follow from each other`)];
};

export const checkSigningKeys: DoctorCheck = async (facts) => {
  if (facts.database.state === 'silent') return [DATABASE_SILENT];
  const database = await findTable(facts, 'signing_keys');
  return judgeSigningKeys(database ? await listSigningKeys(database.queries) : [], facts.clock.now());
};

export function judgeSigningKeys(rows: readonly Omit<SigningKeyRow, 'sealed'>[], now: number): DoctorFinding[] {
  if (rows.length === 0) return [ok('none yet; the server creates them at its first start')];
  return WORLDS.flatMap((world) => {
    const keys = rows.filter((row) => row.world === world);
    const signing = chooseSigning(keys, now);
    if (!signing) return [];
    const others = keys.filter((key) => ['next', 'retired'].includes(findKeyState(key, keys, now))).length;
    const age = Math.max(0, now - signing.signs_from);
    const found = `${world}: ${signing.id} has signed for ${describeAge(age)}; ${others} more published`;
    return [age < OLD_KEY_MS ? ok(found) : warning(found, `limen signing-keys rotate --world ${world}`)];
  });
}
