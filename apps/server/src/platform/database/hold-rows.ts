// Locks the rows of a query until the transaction ends.
import type { Engine } from './database.ts';

/** Adds a row lock on PostgreSQL. SQLite has only one writer at a time. */
export function holdRows<Query extends { forUpdate(): Query }>(engine: Engine, query: Query): Query {
  return engine === 'postgres' ? query.forUpdate() : query;
}
