// `npm run bench:screening`: quality and speed of name screening, compared with brute force and
// Fuse.js in the same run.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ListedEntity, ScreeningIndex } from '@limen/screening';
import { leaveWrongly, readArguments } from '../shared/read-arguments.ts';
import { openStage } from '../shared/stage.ts';
import { type CaseSet, makeCases } from './cases.ts';
import { buildIndex, limen, mix, readList } from './engine.ts';
import { measureFile, measureLongList } from './file.ts';
import { growList } from './growth.ts';
import type { MillionFigures } from './million.ts';
import { compareOrganizations } from './organisations.ts';
import { comparePairs } from './pairs.ts';
import { bruteJaroWinkler, fuse, type Screen } from './peers.ts';
import { judge, percent, type Quality, shareAt } from './quality.ts';
import { measureTurns } from './turns.ts';

const MILLION = 1_000_000;
const MAX_SECONDS = 900;

const SHARED = join(import.meta.dirname, '../../../../shared/data/sanctions');

const { name, positionals, values } = readArguments({
  name: 'bench:screening',
  does: 'how well and how fast names are screened, against brute force and Fuse.js',
  takes: 'about five minutes',
  operand: { name: 'FILE', does: 'the OFAC SDN list as OpenSanctions publishes it, targets.simple.csv' },
  options: {
    pairs: {
      type: 'string',
      value: 'CSV',
      does: 'labeled pairs: schema, name1, name2, is_match, logicv2_score',
      default: join(SHARED, 'pairs.csv'),
    },
    'only-pairs': { type: 'boolean', does: 'compare the labeled pairs and nothing else' },
    'only-turns': { type: 'boolean', does: 'measure a call with a key beside a flood without one, and nothing else' },
  },
});
const LIST = resolve(positionals[0] ?? join(SHARED, 'us_ofac_sdn.targets.simple.csv'));
if (values['only-pairs']) {
  await comparePairs(resolve(values.pairs), LIST);
  process.exit(0);
}
if (!existsSync(LIST)) leaveWrongly(name, `There is no list to measure on at ${LIST}.`);
const stage = openStage(MAX_SECONDS);
try {
  if (values['only-turns']) await measureTurns(stage, LIST);
  else await measureAll();
} finally {
  await stage.end();
}

async function measureAll(): Promise<void> {
  const list = await readList(LIST);
  const held = makeCases(list, 1, { perDistortion: 400, innocents: 20_000, hardNegatives: 4_000 });
  const index = await buildIndex(held.entities);
  console.log(
    `\n${index.entityCount} entities of the OFAC list, ${index.nameCount} names: ${megabytes(index.bytes)} MB index`,
  );
  const rates = await reportQuality(list, held, index);
  await comparePeers(held, index);
  await compareOrganizations(list);
  await comparePairs(resolve(values.pairs), LIST);
  await measureFile(stage, LIST, held);
  await measureTurns(stage, LIST);
  await reportMillion(rates);
  await measureLongList(stage, growList(list, MILLION), held);
}

/** Measurements are not interrupted. Before each, the stage checks the total time. */
async function measure(...args: Parameters<typeof judge>): Promise<Quality> {
  await nextTurn();
  return judge(...args);
}

/** On the held-out half, because the constants were chosen on the other one. */
async function reportQuality(list: readonly ListedEntity[], cases: CaseSet, index: ScreeningIndex): Promise<number> {
  const screen = limen(index, (entity) => cases.entities[entity]!.id);
  await measure(screen, cases.innocents.slice(0, 2_000)); // warm-up
  const mixed = await measure(screen, mix(cases));
  const listed = await measure(screen, cases.listed);
  const innocents = await measure(screen, cases.innocents);
  const hard = await measure(screen, cases.hardNegatives);
  const abroad = await measure(screen, cases.abroad);
  console.log('\nfound, by distortion (held-out half)         0.95      0.85      0.70');
  printKinds(listed);
  printShares('recall over all', listed, 1, 'aims 95 %, 97.5 %');
  printShares('innocents flagged', innocents, 3, 'aims 0.05 %, 0.1 %');
  printShares('hard negatives flagged', hard, 2, 'aim 1 % at 0.95');
  const namesakes = await measure(screen, cases.namesakes);
  printShares('namesakes of listed people flagged', namesakes, 1, `${cases.namesakes.length} rows, in no aim`);
  console.log('\nfound by given and family name alone, without a date (held-out half, listed with a patronymic)');
  printKinds(abroad);
  const tuned = makeCases(list, 0, { perDistortion: 150, innocents: 1_000, hardNegatives: 1_000 });
  const tunedScreen = limen(await buildIndex(tuned.entities), (entity) => tuned.entities[entity]!.id);
  printShares(
    'recall on the half that was tuned on',
    await measure(tunedScreen, tuned.listed),
    1,
    'a gap would show overfitting',
  );
  console.log(
    `\none thread, ${cases.entities.length} entities: ${round(mixed.rowsPerSecond)} rows/s mixed (aim 20000)`,
  );
  console.log(
    `  listed ${round(listed.rowsPerSecond)}, innocents ${round(innocents.rowsPerSecond)}, hard ${round(hard.rowsPerSecond)}`,
  );
  return mixed.rowsPerSecond;
}

function printKinds(quality: Quality): void {
  for (const kind of new Set(quality.judged.map((row) => row.kind)))
    printShares(kind, { ...quality, judged: quality.judged.filter((row) => row.kind === kind) }, 1);
}

function printShares(label: string, { judged }: Quality, digits: number, note = ''): void {
  const shares = [0.95, 0.85, 0.7].map((threshold) => percent(shareAt(judged, threshold), digits).padStart(9));
  console.log(`${label.padEnd(40)} ${shares.join(' ')}  ${note}`);
}

async function comparePeers(cases: CaseSet, index: ScreeningIndex): Promise<void> {
  const engine = limen(index, (entity) => cases.entities[entity]!.id);
  await measure(engine, cases.namesakes); // other rows, as a warm-up comparable to the peers'
  const engines: [string, Screen, number][] = [
    ['Limen', engine, 1],
    ['Jaro-Winkler, every name, parts sorted', bruteJaroWinkler(cases.entities), 4],
    ['Fuse.js', fuse(cases.entities), 16],
  ];
  const base = {
    listed: pick(cases.listed, 320),
    innocents: pick(cases.innocents, 320),
    hard: pick(cases.hardNegatives, 160),
  };
  console.log('\nthe same sample of rows                       recall / innocents / hard negatives flagged');
  let ours = 0;
  for (const [name, screen, every] of engines) {
    const sample: Quality[] = [];
    for (const all of Object.values(base)) {
      sample.push(
        await measure(
          screen,
          all.filter((_, at) => at % every === 0),
        ),
      );
    }
    const rows = sample.reduce((sum, { judged }) => sum + judged.length, 0);
    const rate = rows / sample.reduce((sum, { judged, rowsPerSecond }) => sum + judged.length / rowsPerSecond, 0);
    ours ||= rate;
    const at = (threshold: number) => sample.map(({ judged }) => percent(shareAt(judged, threshold))).join(' / ');
    console.log(`${name.padEnd(40)} 0.95: ${at(0.95)}   0.85: ${at(0.85)}`);
    console.log(
      `${''.padEnd(40)} ${round(rate)} rows/s, Limen is ${(ours / rate).toFixed(1)} times as fast (${rows} rows)`,
    );
  }
}

/** In a separate process, to exclude the memory of earlier parts. */
async function reportMillion(smallRate: number): Promise<void> {
  // With huge pages, as the image and the unit have them (docs/operate.md).
  const environment = { GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1' };
  const child = stage.start('screening/million.ts', { args: [LIST, String(MILLION)], environment, ipc: true });
  child.stdout?.resume();
  const [figures] = (await once(child, 'message')) as [MillionFigures];
  const { index, seconds, peakBytes, rowsPerSecond } = figures;
  console.log(
    `\n${index.entityCount} entities, ${index.nameCount} names, ${index.tokenCount} distinct parts: built in ${seconds.toFixed(0)} s`,
  );
  console.log(
    `  index ${megabytes(index.bytes)} MB, process ${megabytes(peakBytes)} MB at its highest, the building included (aim 1200)`,
  );
  console.log(
    `  ${round(rowsPerSecond)} rows/s (aim 6000), ${percent(rowsPerSecond / smallRate)} of the rate at 20,000`,
  );
}

function pick<Item>(items: readonly Item[], count: number): Item[] {
  const every = Math.max(1, Math.floor(items.length / count));
  return items.filter((_, at) => at % every === 0).slice(0, count);
}

function round(number: number): number {
  return Math.round(number);
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}
