// Keeps the rows that a query reads from others until the transaction ends.
import type { Engine } from './database.ts';

/** On PostgreSQL. SQLite has one writer at a time, and a transaction that writes is it. */
export function holdRows<Query extends { forUpdate(): Query }>(engine: Engine, query: Query): Query {
  return engine === 'postgres' ? query.forUpdate() : query;
}
