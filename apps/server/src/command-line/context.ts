// Opens what a writing command works on, just as the server does.
import { resolve } from 'node:path';
import type { Config } from '../config.ts';
import { type ApiKeys, createApiKeys } from '../platform/api-keys/api-keys.ts';
import { createApiKeyStore } from '../platform/api-keys/store.ts';
import { createIds, type Ids } from '../platform/base/ids.ts';
import { type Database, sqliteFile } from '../platform/database/database.ts';
import { createJobStore, type JobStore } from '../platform/jobs/store.ts';
import type { KeyringOptions } from '../platform/sealing/keyring.ts';
import type { SealLog } from '../platform/sealing/row-seal.ts';
import type { Sealer } from '../platform/sealing/sealer.ts';
import { storageSettings } from '../platform/settings/for-platform.ts';
import { openStorage, type Storage } from '../platform/storage.ts';
import type { Act } from '../records/audit/acts.ts';
import { openAudit } from '../records/audit/open.ts';
import { type RecordAct, recordAsCommandLine } from '../records/audit/record.ts';
import { type Cli, configOf } from './command.ts';
import { hasFile } from './read-only.ts';
import { toPrintable } from './terminal/print-table.ts';
import type { Terminal } from './terminal/terminal.ts';

export interface Context {
  config: Config;
  database: Database;
  sealer: Sealer;
  keyring: KeyringOptions;
  /** The data keys of this process, and its row among those that work on the database. */
  keys: Storage['keys'];
  presence: Storage['presence'];
  ids: Ids;
  apiKeys: ApiKeys;
  jobs: JobStore;
  /** Puts an act on record, as what is done in the console is: before it is done, and if that fails it is not done. */
  record: RecordAct;
}

/** Opens everything, runs `work`, and closes whatever happens. */
export async function withContext<T>(cli: Cli, work: (context: Context) => Promise<T>): Promise<T> {
  const config = configOf(cli);
  const { clock, terminal } = cli;
  const file = sqliteFile(config.DATA_DIR);
  // Said, because in the wrong folder it is a surprise: DATA_DIR may be relative.
  if (config.DATABASE_URL === undefined && !hasFile(file))
    terminal.complain(`Creating a new database: ${resolve(file)}`);
  const ids = createIds(clock);
  const { migrated, ...storage } = await openStorage({ ...storageSettings(config), clock, ids });
  const { database, sealer } = storage;
  try {
    if (migrated.length > 0) terminal.complain(`Brought the schema up to date: ${migrated.join(', ')}.`);
    const apiKeys = createApiKeys({
      store: createApiKeyStore(database, sealer, tellOfEdits(terminal)),
      sealer,
      clock,
      ids,
      allowDevelopmentKeys: !config.production,
    });
    const { audit } = openAudit({ database, sealer, clock });
    const record = recordAsCommandLine(audit);
    return await work({ config, ...storage, ids, apiKeys, jobs: createJobStore(database), record });
  } finally {
    await database.close();
  }
}

/**
 * For commands that change files beside the database: puts the act on record where there is a database. Where none was made yet nobody
 * has started a service on this folder, and there is no log to write to.
 */
export async function recordBeside(cli: Cli, act: Act, about?: string): Promise<void> {
  const { DATABASE_URL, DATA_DIR } = configOf(cli);
  if (DATABASE_URL === undefined && !hasFile(sqliteFile(DATA_DIR))) return;
  await withContext(cli, ({ record }) => record(act, about));
}

/** What the log of a server says of rows that were edited, as sentences on standard error. */
export function tellOfEdits({ complain }: Pick<Terminal, 'complain'>): SealLog {
  return { error: ({ table, row }, message) => complain(toPrintable(`${message} (${table} ${row})`)) };
}
