// Lists of fictional people for tests, built and stored as real ones are.
import { countTopics, emptyEntity, IndexBuilder, type ListedEntity, type ScreeningIndex } from '@limen/screening';
import { createDatasetFolder, type DatasetInfo } from '../../src/screening/lists/folder/folder.ts';

export function createListedEntity(
  id: string,
  name: string,
  birthDate?: string,
  more: Partial<ListedEntity> = {},
): ListedEntity {
  return {
    ...emptyEntity(id, 'Person'),
    caption: name,
    names: [name],
    birthDates: birthDate === undefined ? [] : [birthDate],
    topics: ['sanction'],
    datasets: ['invented'],
    ...more,
  };
}

/**
 * Searches everything in the first edition, for a file with the four columns in their usual order.
 */
export const PLAN = {
  editions: [1],
  topic: 'all' as const,
  threshold: 0.95,
  limit: 5,
  layout: { delimiter: 0x2c, width: 4, columns: [0, 1, 2, 3] },
};

/** Builds many different names out of syllables, the same for the same number. */
export function inventName(number: number): { first: string; last: string } {
  const syllables = [
    'va',
    'ro',
    'mi',
    'ken',
    'tul',
    'dor',
    'shi',
    'bel',
    'gra',
    'zan',
    'quo',
    'fer',
    'lud',
    'pom',
    'yas',
    'hev',
  ];
  const word = (seed: number, length: number) =>
    Array.from({ length }, (_, index) => syllables[(seed >> (index * 4)) & 15]).join('');
  const mixed = Math.imul(number + 1, 0x9e3779b1) >>> 0;
  return { first: word(mixed, 3), last: word(mixed >>> 7, 4) };
}

export function buildTestIndex(entities: Iterable<ListedEntity>): ScreeningIndex {
  const builder = new IndexBuilder();
  for (const entity of entities) builder.add(entity);
  return builder.finish();
}

let stored = 0;

/** Returns a time later than that of any stored list. */
function nextTime(): string {
  stored += 1;
  return new Date(Date.UTC(2026, 0, 1) + stored).toISOString();
}

export async function storeList(
  dataDir: string,
  name: string,
  entities: Iterable<ListedEntity>,
  version = '1',
  builtAt = nextTime(),
): Promise<DatasetInfo> {
  const index = buildTestIndex(entities);
  return createDatasetFolder(dataDir).replace(
    {
      name,
      format: 'ftm-json',
      source: `${name}.json`,
      version,
      entityCount: index.entityCount,
      ...countTopics(index),
      builtAt,
      problemCount: 0,
    },
    index,
  );
}
