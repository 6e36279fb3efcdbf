// Compiles a query once and runs it with new parameters from then on: building one costs more than running it.
import type { Compilable, CompiledQuery, Kysely } from 'kysely';
import { executeIn, type Transaction } from './execute-in.ts';

/** Runs a compiled query outside transactions. */
export interface RunCompiled {
  all<Row>(query: CompiledQuery<Row>): Promise<Row[]>;
  /** Of a query that has no more than one row. */
  first<Row>(query: CompiledQuery<Row>): Promise<Row | undefined>;
}

export function runByKysely(queries: Pick<Kysely<unknown>, 'executeQuery'>): RunCompiled {
  const all = async <Row>(query: CompiledQuery<Row>): Promise<Row[]> => (await queries.executeQuery<Row>(query)).rows;
  return { all, first: async (query) => (await all(query))[0] };
}

/** `run` is one of the ways of `RunCompiled`. */
export function prepareQuery<Arguments extends readonly unknown[], Row, Result>(
  run: (query: CompiledQuery<Row>) => Promise<Result>,
  build: (...given: Arguments) => Compilable<Row>,
): (...given: Arguments) => Promise<Result> {
  const names = Array.from({ length: build.length }, (_, index) => index);
  let fill: ((given: Arguments) => CompiledQuery<Row>) | undefined;
  return (...given) => {
    // With the first use: a service has hundreds of these, and starts with a few.
    fill ??= compileOnce(names, (marks) => build(...(marks as unknown as Arguments)));
    return run(fill(given));
  };
}

export interface Written {
  /** Rows. */
  changed: number;
}

/**
 * A statement of transactions that is built and compiled once for each set of fields that it is given: its shape depends on which there
 * are, and must not depend on what is in them. `build` is called with placeholders.
 */
export function prepareWrite<Given extends object>(
  build: (given: Given) => Compilable,
): (trx: Transaction, given: Given) => Promise<Written> {
  const byFields = new Map<string, (given: Given) => CompiledQuery>();
  return async (trx, given) => {
    const names = Object.keys(given);
    const fields = names.join();
    let fill = byFields.get(fields);
    if (!fill) {
      const placeholders = (marks: readonly string[]) => Object.fromEntries(names.map((name, at) => [name, marks[at]]));
      const fillNamed = compileOnce(names, (marks) => build(placeholders(marks) as Given));
      fill = (values) => fillNamed(values as Record<string, unknown>);
      byFields.set(fields, fill);
    }
    return { changed: Number((await executeIn(trx, fill(given))).numAffectedRows ?? 0n) };
  };
}

/** Each value's place among the parameters is found by compiling with a mark of its own in its stead. */
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
      // Kysely would leave it out, which is another statement; one engine refuses it and the other takes it for null.
      if (value === undefined) throw new TypeError(`${String(name)} of a prepared query is undefined`);
      return value;
    });
    return { sql, query, queryId, parameters } as CompiledQuery<Row>;
  };
}
