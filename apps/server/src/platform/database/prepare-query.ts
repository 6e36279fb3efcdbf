// Compiles a query once and runs it with new parameters from then on.
import type { Compilable, CompiledQuery, Kysely } from 'kysely';

export type Parameters = readonly unknown[];

/** Runs a compiled query with these parameters instead of its own, outside transactions. */
export interface RunCompiled {
  all<Row>(query: CompiledQuery<Row>, parameters: Parameters): Promise<Row[]>;
  /** Of a query that has no more than one row. */
  first<Row>(query: CompiledQuery<Row>, parameters: Parameters): Promise<Row | undefined>;
}

export function runByKysely(queries: Pick<Kysely<unknown>, 'executeQuery'>): RunCompiled {
  const all = async <Row>(query: CompiledQuery<Row>, parameters: Parameters): Promise<Row[]> =>
    (await queries.executeQuery<Row>({ ...query, parameters })).rows;
  return { all, first: async (query, parameters) => (await all(query, parameters))[0] };
}

type Build<Arguments extends readonly unknown[], Row> = (...given: Arguments) => Compilable<Row>;

/** `run` is one of the ways of `RunCompiled`. */
export function prepareQuery<Arguments extends readonly unknown[], Row, Result>(
  run: (query: CompiledQuery<Row>, parameters: Parameters) => Promise<Result>,
  build: Build<Arguments, Row>,
): (...given: Arguments) => Promise<Result> {
  // Each argument's place among the parameters is found by compiling with a mark of its own in its stead.
  const marks = Array.from({ length: build.length }, (_, index) => `argument ${index} of a prepared query`);
  const compiled = build(...(marks as unknown as Arguments)).compile();
  const places = compiled.parameters.map((parameter) => marks.indexOf(parameter as string));
  const fixed = compiled.parameters;
  return (...given) =>
    run(
      compiled,
      places.map((place, index) => (place === -1 ? fixed[index] : given[place])),
    );
}
