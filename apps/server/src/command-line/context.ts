// Opens the database and storage for a command that writes, as the server does.
import { resolve } from 'node:path';
import pino, { type Logger } from 'pino';
import { type Config, developmentKeySettings, storageSettings } from '../config.ts';
import { findDevelopmentKey } from '../platform/api-keys/development-key.ts';
import { createIds } from '../platform/base/ids.ts';
import { type Core, createCore } from '../platform/core.ts';
import { sqliteFile } from '../platform/database/database.ts';
import { openStorage, type Storage } from '../platform/storage.ts';
import type { Act } from '../records/audit/acts.ts';
import { type RecordAct, recordAs, THIS_MACHINE } from '../records/audit/log.ts';
import { openAudit } from '../records/audit/open.ts';
import { type Cli, CommandError, requireConfig } from './command.ts';
import { hasFile } from './read-only.ts';
import { toPrintable } from './terminal/print-table.ts';
import type { Terminal } from './terminal/terminal.ts';

export interface CommandContext extends Core, Omit<Storage, 'migrated'> {
  config: Config;
  /** Records an act before it is done. If that fails, it is not done. */
  record: RecordAct;
}

/** Opens everything, runs `work`, and closes the database even if `work` fails. */
export async function withContext<T>(cli: Cli, work: (context: CommandContext) => Promise<T>): Promise<T> {
  const config = requireConfig(cli);
  const { clock, terminal } = cli;
  const file = sqliteFile(config.DATA_DIR);
  // DATA_DIR may be relative, so the wrong folder would be a surprise.
  if (config.DATABASE_URL === undefined && !hasFile(file))
    terminal.complain(`Creating a new database: ${resolve(file)}`);
  const ids = createIds(clock);
  const { migrated, ...storage } = await openStorage({ ...storageSettings(config), clock, ids });
  const { database, sealer } = storage;
  try {
    if (migrated.length > 0) terminal.complain(`Brought the schema up to date: ${migrated.join(', ')}.`);
    const allowDevelopmentKeys = !config.production;
    const core = createCore({ database, sealer, clock, ids, log: logTo(terminal), allowDevelopmentKeys });
    return await work({ ...core, ...storage, config, record: recordAs(openAudit(core).audit, THIS_MACHINE) });
  } finally {
    await database.close();
  }
}

/** Records the act of a command that changes files outside the database. Does nothing if there is no database yet. */
export async function recordBeside(cli: Cli, act: Act, about?: string): Promise<void> {
  const { DATABASE_URL, DATA_DIR } = requireConfig(cli);
  if (DATABASE_URL === undefined && !hasFile(sqliteFile(DATA_DIR))) return;
  await withContext(cli, ({ record }) => record(act, about));
}

/** Creates the key if the service was never started. */
export async function revealDevelopmentKey({ config, apiKeys }: CommandContext): Promise<string> {
  const record = await findDevelopmentKey(developmentKeySettings(config), apiKeys);
  const key = record && (await apiKeys.reveal(record.id));
  if (key !== undefined) return key;
  throw new CommandError(
    config.production
      ? 'There is no development key in production; create one for an application with: limen keys create'
      : 'On PostgreSQL there is a development key only with DEV_API_KEY; create another with: limen keys create --kind test',
  );
}

/** Logs the warnings of the opened parts as sentences on standard error. */
function logTo(terminal: Terminal): Logger {
  const write = (line: string) => {
    const { msg, embedding, table, row } = JSON.parse(line) as Record<string, string | undefined>;
    const subject = embedding ?? (row === undefined ? undefined : `${table} ${row}`);
    terminal.complain(toPrintable(subject === undefined ? msg! : `${msg} (${subject})`));
  };
  return pino({ level: 'warn', base: null }, { write });
}
