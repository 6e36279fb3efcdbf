// Labeled pairs of names of people and companies: how well matchers separate equal from different.
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import {
  createLoadReport,
  createScreener,
  emptyEntity,
  IndexBuilder,
  type ListedEntity,
  loadList,
  readName,
} from '@limen/screening';
import { parse } from 'csv-parse/sync';
import Fuse from 'fuse.js';
import { jaroWinkler, sortParts } from './peers.ts';

interface Pair {
  schema: string;
  name1: string;
  name2: string;
  isMatch: boolean;
  /** Score of the best open matcher, from the file. */
  logicV2: number;
}

type Score = (pair: Pair, at: number) => number;

/** Number of entities requested, above the number of namesakes of any pair. */
const MOST = 500;

/** The constants were chosen on half 0. Half 1 and the whole measure them. */
export async function comparePairs(file: string, list: string): Promise<void> {
  if (!existsSync(file)) {
    console.log(`\nlabeled pairs: skipped, there is no file at ${file}`);
    return;
  }
  const pairs = readPairs(file);
  const engines: [string, Score][] = [
    ['Limen, the pair alone', scoreAlone],
    ['Jaro-Winkler, parts sorted', ({ name1, name2 }) => jaroWinkler(sortParts(name1), sortParts(name2))],
    ['Fuse.js', scoreWithFuse],
    ['logic-v2 (column of the file)', ({ logicV2 }) => logicV2],
  ];
  if (existsSync(list)) engines.splice(1, 0, ['Limen, among the OFAC list', await scoreAmong(pairs, list)]);
  console.log(`\nF1 at the best threshold of each, ${pairs.length} labeled pairs`);
  console.log(`${''.padEnd(44)} ${'all'.padStart(6)} ${'half 0'.padStart(7)} ${'half 1'.padStart(7)}`);
  const scored = engines.map(([name, score]) => ({ name, scores: pairs.map(score) }));
  for (const schema of [...new Set(pairs.map((pair) => pair.schema))].toSorted()) {
    for (const { name, scores } of scored) {
      const best = (half: number | undefined) => {
        const places = pairs.flatMap((pair, at) =>
          pair.schema === schema && (half === undefined || halfOf(pair) === half) ? [at] : [],
        );
        return bestF1(
          places.map((at) => pairs[at]!),
          places.map((at) => scores[at]!),
        );
      };
      const [all, tuned, held] = [undefined, 0, 1].map((half) => best(half).toFixed(3));
      console.log(
        `${schema.padEnd(13)} ${name.padEnd(30)} ${all!.padStart(6)} ${tuned!.padStart(7)} ${held!.padStart(7)}`,
      );
    }
  }
}

function readPairs(file: string): Pair[] {
  const rows = parse(readFileSync(file), { columns: true, bom: true }) as Record<string, string>[];
  return rows.map(({ schema = '', name1 = '', name2 = '', is_match, logicv2_score }) => ({
    schema,
    name1,
    name2,
    isMatch: is_match === 'true',
    logicV2: Number(logicv2_score),
  }));
}

function scoreAlone({ schema, name1, name2 }: Pair): number {
  const builder = new IndexBuilder();
  builder.add(entityOf('pair', schema, name2));
  const screener = createScreener(builder.finish());
  return screener.screen(readName({ name: name1, schema, birthDate: '' }), { limit: 1, topic: 'all' })[0]?.score ?? 0;
}

/** All second names within a real list, which determines the rarity of words. */
async function scoreAmong(pairs: readonly Pair[], list: string): Promise<Score> {
  const builder = new IndexBuilder();
  for (const [at, { schema, name2 }] of pairs.entries()) builder.add(entityOf(String(at), schema, name2));
  const source = { main: createReadStream(list) };
  for await (const entity of loadList('targets-simple-csv', source, 'us_ofac_sdn', createLoadReport())) {
    builder.add(entity);
  }
  const screener = createScreener(builder.finish());
  return ({ schema, name1 }, at) => {
    const hits = screener.screen(readName({ name: name1, schema, birthDate: '' }), { limit: MOST, topic: 'all' });
    return hits.find(({ entity }) => entity === at)?.score ?? 0;
  };
}

function scoreWithFuse({ name1, name2 }: Pair): number {
  const index = new Fuse([name2], { includeScore: true, threshold: 1, ignoreLocation: true });
  return 1 - (index.search(name1)[0]?.score ?? 1);
}

/** Over all distinct thresholds. */
function bestF1(pairs: readonly Pair[], scores: readonly number[]): number {
  let best = 0;
  for (const threshold of new Set(scores)) {
    if (threshold === 0) continue;
    const flagged = pairs.filter((_, at) => scores[at]! >= threshold);
    const found = flagged.filter(({ isMatch }) => isMatch).length;
    const all = pairs.filter(({ isMatch }) => isMatch).length;
    best = Math.max(best, (2 * found) / (flagged.length + all));
  }
  return best;
}

function halfOf({ schema, name1, name2 }: Pair): number {
  let hash = 0x811c9dc5;
  for (const letter of `${schema}${name1}|${name2}`) hash = Math.imul(hash ^ letter.codePointAt(0)!, 0x01000193) >>> 0;
  return (hash >>> 7) & 1;
}

function entityOf(id: string, schema: string, name: string): ListedEntity {
  return { ...emptyEntity(id, schema), caption: name, names: [name], datasets: ['pairs'] };
}
