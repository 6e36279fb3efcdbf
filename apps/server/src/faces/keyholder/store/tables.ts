// The key-holder's tables, for both databases: kept ones, and volatile ones for attempts in progress.
interface Dialect {
  integer: string;
  blob: string;
  end: string;
  /** Start of a table that need not survive a crash and must not be in logs and copies. */
  volatile: string;
  /** Row id for a table without a key; SQLite has one by itself. */
  rowName: string;
}

export const SQLITE: Dialect = {
  integer: 'integer',
  blob: 'blob',
  end: 'strict',
  volatile: 'create temp table if not exists', // in memory
  rowName: '',
};

export const POSTGRES: Dialect = {
  integer: 'bigint',
  blob: 'bytea',
  end: '',
  // Neither in the write-ahead log nor on a replica nor in a base backup.
  volatile: 'create unlogged table if not exists',
  rowName: 'rowid bigint generated always as identity primary key,',
};

/** Tables of a backup, in this order. */
export const KEPT_TABLES = [
  'vault',
  'identity',
  'enrol_keys',
  'enrolments',
  'refusals',
  'locks',
  'budgets',
  'audit_head',
  'audit_start',
  'audit_segments',
] as const;

export function keptTables({ integer, blob, end, rowName }: Dialect): string {
  return `
  create table if not exists vault (
    one ${integer} primary key check (one = 1), id text not null, wrapped ${blob} not null
  ) ${end};
  create table if not exists identity (
    one ${integer} primary key check (one = 1), secret ${blob} not null, public_key ${blob} not null
  ) ${end};
  create table if not exists enrol_keys (
    customer text not null, epoch text not null, secret ${blob} not null,
    present ${integer} not null, created_at ${integer} not null, primary key (customer, epoch)
  ) ${end};
  create unique index if not exists enrol_keys_present on enrol_keys (customer) where present = 1;
  create table if not exists enrolments (
    challenge text primary key, customer text not null, epoch text not null, until ${integer} not null
  ) ${end};
  create table if not exists refusals (
    ${rowName} scope text not null, subject text not null, at ${integer} not null, forgiven ${integer} not null default 0
  ) ${end};
  create index if not exists refusals_subject on refusals (scope, subject, at);
  create index if not exists refusals_at on refusals (at);
  create table if not exists locks (
    scope text not null, subject text not null, until ${integer} not null, times ${integer} not null,
    primary key (scope, subject)
  ) ${end};
  create table if not exists audit_head (
    one ${integer} primary key check (one = 1), lines ${integer} not null, bytes ${integer} not null, hash text not null,
    mac ${blob} not null
  ) ${end};
  create table if not exists audit_start (
    one ${integer} primary key check (one = 1), hash text not null, mac ${blob} not null, day text not null
  ) ${end};
  create table if not exists audit_segments (
    number ${integer} primary key, day text not null, lines ${integer} not null, start text not null, hash text not null,
    pruned ${integer} not null, mac ${blob} not null
  ) ${end};
  create table if not exists budgets (
    budget text not null, subject text not null, hour ${integer} not null, count ${integer} not null,
    primary key (budget, subject, hour)
  ) ${end};
`;
}

/** Lines of the audit, if they are not files. `segment` is the number of their day. */
export const LINE_TABLE = `
  create table if not exists audit_lines (
    segment bigint not null, number bigint not null, line text not null, primary key (segment, number)
  );
`;

/** Open challenges with their places, and attempts under way with their subjects. */
export function volatileTables({ integer, blob, end, volatile }: Dialect): string {
  return `
  ${volatile} challenges (
    number ${integer} primary key, id text not null unique, customer text not null, session text not null,
    ask ${blob} not null, secret ${blob}, begun ${integer} not null, until ${integer} not null
  ) ${end};
  create index if not exists challenges_session on challenges (session);
  create index if not exists challenges_until on challenges (until);
  ${volatile} places (
    challenge text not null, room text not null, until ${integer} not null, primary key (room, challenge)
  ) ${end};
  create index if not exists places_challenge on places (challenge);
  create index if not exists places_until on places (until);
  ${volatile} under_way (
    attempt text not null, scope text not null, subject text not null, until ${integer} not null,
    primary key (scope, subject, attempt)
  ) ${end};
  create index if not exists under_way_attempt on under_way (attempt);
`;
}
