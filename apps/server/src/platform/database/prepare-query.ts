// Compiles a query once and runs it with new parameters from then on.
import type { Compilable, CompiledQuery, QueryResult } from 'kysely';

type Execute = <Row>(query: CompiledQuery<Row>) => Promise<QueryResult<Row>>;

export function prepareQuery<Arguments extends readonly unknown[], Row>(
  execute: Execute,
  build: (...given: Arguments) => Compilable<Row>,
): (...given: Arguments) => Promise<Row[]> {
  // Each argument's place among the parameters is found by compiling with a mark of its own in its stead.
  const marks = Array.from({ length: build.length }, (_, index) => `argument ${index} of a prepared query`);
  const compiled = build(...(marks as unknown as Arguments)).compile();
  const places = compiled.parameters.map((parameter) => marks.indexOf(parameter as string));
  const fixed = compiled.parameters;
  return async (...given) => {
    const parameters = places.map((place, index) => (place === -1 ? fixed[index] : given[place]));
    return (await execute({ ...compiled, parameters } as CompiledQuery<Row>)).rows;
  };
}
