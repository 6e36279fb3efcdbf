// Kysely on PostgreSQL through a small pool of connections.
import { type Dialect, PostgresDialect } from 'kysely';
import { openConnections, type PostgresTimeouts } from './postgres-connections.ts';

export interface PostgresHandle {
  dialect: Dialect;
}

/** `onBroken` hears of connections that broke, whether or not they were in use. */
export function openPostgres(
  url: string,
  onBroken: (error: Error) => void,
  timeouts?: PostgresTimeouts,
): PostgresHandle {
  return { dialect: new PostgresDialect({ pool: openConnections(url, { onBroken, timeouts }) }) };
}
