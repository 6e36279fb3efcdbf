// The name engine for benchmarks: reads a list, builds an index, screens rows.
import { createReadStream } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  createLoadReport,
  createScreener,
  IndexBuilder,
  type ListedEntity,
  loadList,
  readQuery,
  type ScreeningIndex,
} from '@limen/screening';
import type { CaseSet } from './cases.ts';
import type { Screen } from './peers.ts';

/** Entities between two checks of the clock. */
const BUILT_AT_ONCE = 20_000;

export async function readList(file: string): Promise<ListedEntity[]> {
  const list: ListedEntity[] = [];
  const source = { main: createReadStream(file) };
  for await (const entity of loadList('targets-simple-csv', source, 'us_ofac_sdn', createLoadReport()))
    list.push(entity);
  return list;
}

export async function buildIndex(entities: Iterable<ListedEntity>): Promise<ScreeningIndex> {
  const builder = new IndexBuilder();
  let built = 0;
  for (const entity of entities) {
    builder.add(entity);
    built += 1;
    if (built % BUILT_AT_ONCE === 0) await nextTurn();
  }
  return builder.finish();
}

export function limen(index: ScreeningIndex, ids: (entity: number) => string): Screen {
  const screener = createScreener(index);
  return (row) => {
    const hits = screener.screen(readQuery(row), { limit: 5, topic: 'all' });
    return hits.map(({ entity, score }) => ({ score, id: ids(entity) }));
  };
}

/** A realistic file: nine unlisted people per listed or hard case. */
export function mix({ listed, innocents, hardNegatives }: CaseSet) {
  const special = [...listed, ...hardNegatives];
  return innocents.flatMap((row, at) => (at % 9 === 0 ? [row, special[(at / 9) % special.length]!] : [row]));
}
