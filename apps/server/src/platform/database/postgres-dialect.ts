// Kysely on PostgreSQL through a small pool of connections.
import { type Dialect, PostgresDialect } from 'kysely';
import { type ConnectionOptions, openConnections, type PostgresConnections } from './postgres-connections.ts';

export interface PostgresHandle extends Pick<PostgresConnections, 'ping'> {
  dialect: Dialect;
}

export function openPostgres(url: string, options: ConnectionOptions): PostgresHandle {
  const pool = openConnections(url, options);
  return { dialect: new PostgresDialect({ pool }), ping: pool.ping };
}
