// Runs compiled queries as parts of transactions: on SQLite past the layers that Kysely has for it.
import type { CompiledQuery, Transaction as KyselyTransaction, QueryResult } from 'kysely';
import type { Schema } from './schema.ts';

export type Transaction = KyselyTransaction<Schema>;
export type Execute = <Row>(query: CompiledQuery<Row>) => Promise<QueryResult<Row>>;

const directly = new WeakMap<Transaction, Execute>();

/** From now on this transaction's prepared statements go this way. */
export function executeDirectly(trx: Transaction, execute: Execute): void {
  directly.set(trx, execute);
}

export function executeIn<Row>(trx: Transaction, query: CompiledQuery<Row>): Promise<QueryResult<Row>> {
  const execute = directly.get(trx);
  return execute ? execute(query) : trx.executeQuery(query);
}
