// Compiles a query once and then runs it with new parameters: building a query costs more than running it.
import type { Compilable, CompiledQuery, Transaction as KyselyTransaction, QueryResult } from 'kysely';
import type { Schema } from './schema.ts';

export type Transaction = KyselyTransaction<Schema>;
export type ExecuteQuery = <Row>(query: CompiledQuery<Row>) => Promise<QueryResult<Row>>;

/** Transactions on SQLite that run compiled queries without Kysely's layers. */
export const directTransactions = new WeakMap<Transaction, ExecuteQuery>();

export function executeIn<Row>(trx: Transaction, query: CompiledQuery<Row>): Promise<QueryResult<Row>> {
  return directTransactions.get(trx)?.(query) ?? trx.executeQuery(query);
}

/** Prepares queries for hot paths, outside transactions. `build` runs once, with placeholders, and must not depend on its arguments. */
export function createPrepare(execute: ExecuteQuery) {
  const prepare = <Arguments extends readonly unknown[], Row>(build: (...values: Arguments) => Compilable<Row>) =>
    prepareQuery(async (query: CompiledQuery<Row>) => (await execute(query)).rows, build);
  return {
    prepare,
    /** Prepares a query with at most one row. */
    prepareOne<Arguments extends readonly unknown[], Row>(build: (...values: Arguments) => Compilable<Row>) {
      const run = prepare(build);
      return async (...values: Arguments): Promise<Row | undefined> => (await run(...values))[0];
    },
  };
}

export function prepareQuery<Arguments extends readonly unknown[], Row, Result>(
  run: (query: CompiledQuery<Row>) => Promise<Result>,
  build: (...values: Arguments) => Compilable<Row>,
): (...values: Arguments) => Promise<Result> {
  const names = Array.from({ length: build.length }, (_, index) => index);
  let fill: ((values: Arguments) => CompiledQuery<Row>) | undefined;
  return (...values) => {
    // Compiled on first use, because a service has hundreds of queries and starts with a few.
    fill ??= compileOnce(names, (marks) => build(...(marks as unknown as Arguments)));
    return run(fill(values));
  };
}

/** Prepares a statement of transactions for each set of fields. It may depend on the names of fields, but not on their values. */
export function prepareWrite<Values extends object>(build: (values: Values) => Compilable) {
  const byFields = new Map<string, (values: Values) => CompiledQuery>();
  return async (trx: Transaction, values: Values): Promise<{ changed: number }> => {
    const names = Object.keys(values);
    const fields = names.join();
    let fill = byFields.get(fields);
    if (!fill) {
      fill = compileOnce(names as (string & keyof Values)[], (marks) =>
        build(Object.fromEntries(names.map((name, at) => [name, marks[at]])) as Values),
      );
      byFields.set(fields, fill);
    }
    return { changed: Number((await executeIn(trx, fill(values))).numAffectedRows ?? 0n) };
  };
}

/** Compiles with a mark in place of each value, which shows the value's place among the parameters. */
function compileOnce<Name extends string | number, Row>(
  names: readonly Name[],
  build: (marks: readonly string[]) => Compilable<Row>,
): (values: { readonly [name in Name]: unknown }) => CompiledQuery<Row> {
  const marks = names.map((name) => `value ${name} of a prepared query`);
  const { sql, query, queryId, parameters: fixed } = build(marks).compile();
  const places = fixed.map((parameter) => names[marks.indexOf(parameter as string)]);
  return (values) => {
    const parameters = places.map((name, index) => {
      const value = name === undefined ? fixed[index] : values[name];
      // Kysely would omit it, which makes another statement. One engine rejects that, the other
      // takes it for null.
      if (value === undefined) throw new TypeError(`${String(name)} of a prepared query is undefined`);
      return value;
    });
    return { sql, query, queryId, parameters } as CompiledQuery<Row>;
  };
}
