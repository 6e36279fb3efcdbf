// Test lists with a few invented entries.
import {
  createScreener,
  emptyEntity,
  IndexBuilder,
  type ListedEntity,
  type Match,
  type Query,
  readName,
  readQuery,
  type Topic,
} from '../src/index.ts';

export function listed(name: string | string[], more: Partial<ListedEntity> = {}): ListedEntity {
  const names = [name].flat();
  return {
    ...emptyEntity(`test-${names[0]}`, 'Person'),
    caption: names[0]!,
    names,
    topics: ['sanction'],
    datasets: ['test'],
    ...more,
  };
}

export interface SmallList {
  /** `Given Names|FAMILY|1970-01-01`. The last two may be omitted. */
  matches(row: string, topic?: Topic): Match[];
  /** Returns the best score, 0 for none. */
  score(row: string): number;
  /** Reads the row as a name of this schema. */
  matchesOf(schema: string, name: string): Match[];
  scoreOf(schema: string, name: string): number;
}

export function screenAgainst(...entities: ListedEntity[]): SmallList {
  const builder = new IndexBuilder();
  for (const entity of entities) builder.add(entity);
  const screener = createScreener(builder.finish());
  function matches(row: string, topic: Topic = 'all'): Match[] {
    const [firstName = '', lastName = '', birthDate = ''] = row.split('|');
    return search(readQuery({ firstName, lastName, birthDate }), topic);
  }
  function search(query: Query, topic: Topic): Match[] {
    return screener.screen(query, { limit: 5, topic }).map((hit) => screener.describe(query, hit));
  }
  const matchesOf = (schema: string, name: string) => search(readName({ name, schema, birthDate: '' }), 'all');
  return {
    matches,
    score: (row) => matches(row)[0]?.score ?? 0,
    matchesOf,
    scoreOf: (schema, name) => matchesOf(schema, name)[0]?.score ?? 0,
  };
}
