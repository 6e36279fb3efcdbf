// The key-holder's own small database: a file that several processes may open, with everything secret sealed.
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from '../platform/errors.ts';
import { masterKeyId } from '../platform/sealing/master-key.ts';
import { createSealer, type Sealer } from '../platform/sealing/sealer.ts';
import { createXaes, KEY_BYTES } from '../platform/sealing/xaes-256-gcm.ts';

const BUSY_TIMEOUT_MS = 5_000;
const WRAP_CONTEXT = Buffer.from('keyholder/data_key');
const MASTER_KEY_ID_BYTES = 8;

const SCHEMA = `
  create table if not exists vault (
    one integer primary key check (one = 1), id text not null, wrapped blob not null
  ) strict;
  create table if not exists identity (
    one integer primary key check (one = 1), secret blob not null, public_key blob not null
  ) strict;
  create table if not exists enrol_keys (
    customer text not null, epoch text not null, secret blob not null,
    present integer not null, created_at integer not null, primary key (customer, epoch)
  ) strict;
  create unique index if not exists enrol_keys_present on enrol_keys (customer) where present = 1;
  create table if not exists enrolments (
    challenge text primary key, customer text not null, epoch text not null, until integer not null
  ) strict;
  create table if not exists refusals (
    scope text not null, subject text not null, at integer not null, forgiven integer not null default 0
  ) strict;
  create index if not exists refusals_subject on refusals (scope, subject, at);
  create index if not exists refusals_at on refusals (at);
  create table if not exists locks (
    scope text not null, subject text not null, until integer not null, times integer not null,
    primary key (scope, subject)
  ) strict;
  create table if not exists audit_head (
    one integer primary key check (one = 1), lines integer not null, bytes integer not null, hash text not null,
    mac blob not null
  ) strict;
  create table if not exists audit_start (
    one integer primary key check (one = 1), hash text not null, mac blob not null, day text
  ) strict;
  create table if not exists audit_segments (
    number integer primary key, day text not null, lines integer not null, start text not null, hash text not null,
    pruned integer not null, mac blob not null
  ) strict;
  drop table if exists answers;
  create table if not exists budgets (
    budget text not null, subject text not null, hour integer not null, count integer not null,
    primary key (budget, subject, hour)
  ) strict;
`;

export interface KeyHolderStore {
  readonly db: DatabaseSync;
  readonly sealer: Sealer;
  readonly folder: string;
  /** Runs `work` with the write lock, so that other processes on the same file wait; nothing of it stays if it throws. */
  transact<T>(work: () => T): T;
  /** Empties the write-ahead log, so that what was deleted is gone from the disk. */
  eraseFreed(): void;
  close(): void;
}

export function keyHolderFile(folder: string): string {
  return join(folder, 'keyholder.sqlite');
}

export function openKeyHolderStore(folder: string, masterKey: Uint8Array): KeyHolderStore {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const db = new DatabaseSync(keyHolderFile(folder), { timeout: BUSY_TIMEOUT_MS });
  try {
    db.exec('pragma journal_mode = wal; pragma synchronous = full; pragma secure_delete = on;');
    const sealer = transact(db, () => {
      db.exec(SCHEMA);
      addColumn(db, 'refusals', 'forgiven', 'integer not null default 0');
      addColumn(db, 'audit_start', 'day', 'text');
      return openVault(db, masterKey);
    });
    return {
      db,
      sealer,
      folder,
      transact: (work) => transact(db, work),
      eraseFreed: () => db.exec('pragma wal_checkpoint(truncate)'),
      close: () => db.close(),
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** To a table that an earlier version made. */
function addColumn(db: DatabaseSync, table: string, column: string, type: string): void {
  const columns = db.prepare(`select name from pragma_table_info('${table}')`).all() as { name: string }[];
  if (!columns.some(({ name }) => name === column)) db.exec(`alter table ${table} add column ${column} ${type}`);
}

function transact<T>(db: DatabaseSync, work: () => T): T {
  if (db.isTransaction) return work(); // part of the one around it
  db.exec('begin immediate');
  try {
    const result = work();
    db.exec('commit');
    return result;
  } catch (error) {
    if (db.isTransaction) db.exec('rollback');
    throw error;
  }
}

/** The data key, wrapped by the master key, which names itself so that a wrong one is told from a damaged file. */
function openVault(db: DatabaseSync, masterKey: Uint8Array): Sealer {
  const id = masterKeyId(masterKey);
  const row = db.prepare('select id, wrapped from vault').get() as { id: string; wrapped: Uint8Array } | undefined;
  if (!row) {
    const fresh = { id: randomUUID(), key: randomBytes(KEY_BYTES) };
    const wrapped = Buffer.concat([id, createXaes(masterKey).seal(fresh.key, WRAP_CONTEXT)]);
    db.prepare('insert into vault (one, id, wrapped) values (1, ?, ?)').run(fresh.id, wrapped);
    return createSealer({ sealKeys: [fresh], lookupKey: fresh.key });
  }
  if (!id.equals(row.wrapped.subarray(0, MASTER_KEY_ID_BYTES))) {
    throw new StartError(
      'The key-holder’s master key does not belong to its folder; start with the one it was created with. Nothing was changed.',
    );
  }
  try {
    const key = createXaes(masterKey).open(row.wrapped.subarray(MASTER_KEY_ID_BYTES), WRAP_CONTEXT);
    return createSealer({ sealKeys: [{ id: row.id, key }], lookupKey: key });
  } catch (cause) {
    throw new StartError('The key-holder’s data key is damaged and does not open; restore a backup.', { cause });
  }
}
