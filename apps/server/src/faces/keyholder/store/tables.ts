// The key-holder's tables, for both databases: kept ones, and volatile ones for attempts in progress.

/** In SQLite's types. `ROWID,` adds the row number that SQLite has by itself. */
const KEPT = [
  'table vault (one integer primary key check (one = 1), id text not null, wrapped blob not null)',
  'table identity (one integer primary key check (one = 1), secret blob not null, public_key blob not null)',
  'table enrol_keys (customer text not null, epoch text not null, secret blob not null, present integer not null, created_at integer not null, primary key (customer, epoch))',
  'unique index enrol_keys_present on enrol_keys (customer) where present = 1',
  'table enrolments (challenge text primary key, customer text not null, epoch text not null, until integer not null)',
  'table refusals (ROWID, scope text not null, subject text not null, at integer not null, forgiven integer not null default 0)',
  'index refusals_subject on refusals (scope, subject, at)',
  'index refusals_at on refusals (at)',
  'table locks (scope text not null, subject text not null, until integer not null, times integer not null, primary key (scope, subject))',
  'table audit_head (one integer primary key check (one = 1), lines integer not null, bytes integer not null, hash text not null, mac blob not null)',
  'table audit_start (one integer primary key check (one = 1), hash text not null, mac blob not null, day text not null)',
  'table audit_segments (number integer primary key, day text not null, lines integer not null, start text not null, hash text not null, pruned integer not null, mac blob not null)',
  'table budgets (budget text not null, subject text not null, hour integer not null, count integer not null, primary key (budget, subject, hour))',
];

export const KEPT_TABLES = KEPT.flatMap((definition) => /^table (\w+)/.exec(definition)?.[1] ?? []);

/** Audit lines, which are files next to a SQLite database. `segment` is the number of their day. */
const LINES = [
  'table audit_lines (segment integer not null, number integer not null, line text not null, primary key (segment, number))',
];

const VOLATILE = [
  'table challenges (number integer primary key, id text not null unique, customer text not null, session text not null, ask blob not null, secret blob, begun integer not null, until integer not null)',
  'index challenges_session on challenges (session)',
  'index challenges_until on challenges (until)',
  'table places (challenge text not null, room text not null, until integer not null, primary key (room, challenge))',
  'index places_challenge on places (challenge)',
  'index places_until on places (until)',
  'table under_way (attempt text not null, scope text not null, subject text not null, until integer not null, primary key (scope, subject, attempt))',
  'index under_way_attempt on under_way (attempt)',
];

export const CREATE_KEPT_IN_SQLITE = KEPT.map((definition) => forSqlite(definition, 'table')).join('\n');
/** Creates all tables; the volatile ones are in memory. */
export const CREATE_IN_SQLITE = [
  CREATE_KEPT_IN_SQLITE,
  ...VOLATILE.map((definition) => forSqlite(definition, 'temp table')),
].join('\n');

/** Volatile tables are unlogged: neither in the write-ahead log nor on a replica nor in a base backup. */
export const CREATE_IN_POSTGRES = [
  ...[...KEPT, ...LINES].map((definition) => forPostgres(definition, 'table')),
  ...VOLATILE.map((definition) => forPostgres(definition, 'unlogged table')),
];

function forSqlite(definition: string, table: string): string {
  const isTable = definition.startsWith('table ');
  return `create ${ifMissing(definition, table).replace('ROWID, ', '')}${isTable ? ' strict' : ''};`;
}

function forPostgres(definition: string, table: string): { name: string; statement: string } {
  const statement = `create ${ifMissing(definition, table)}`
    .replace('ROWID', 'rowid bigint generated always as identity primary key')
    .replaceAll(' integer', ' bigint')
    .replaceAll(' blob', ' bytea');
  return { name: / if not exists (\w+)/.exec(statement)![1]!, statement };
}

function ifMissing(definition: string, table: string): string {
  return definition.replace(/^table/, table).replace(/(table|index) /, '$1 if not exists ');
}
