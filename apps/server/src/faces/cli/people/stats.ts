// `limen people export-stats`: counts the galleries for a report, as a table, JSON or CSV without personal data.
import { csvCell } from '@limen/contract/csv';
import { BODY_BYTES } from '@limen/token/shared';
import { type Command, Option } from 'commander';
import { type Cli, examples } from '../../../command-line/command.ts';
import { findTarget, openOutput } from '../../../command-line/outputs.ts';
import { printTable, printTime } from '../../../command-line/terminal/print-table.ts';
import { formatBytes } from '../../../platform/files/free-space.ts';
import { countColumn, type ReadingTools, withPeopleForReading } from './tools.ts';

interface StatsOptions {
  json?: true;
  csv?: true;
  out: string;
}

export function addPeopleStats(people: Command, cli: Cli): void {
  people
    .command('export-stats')
    .description('Count people, embeddings and tokens in each gallery (customer, world, face model and vector length)')
    .addOption(new Option('--json', 'print JSON').conflicts('csv'))
    .addOption(new Option('--csv', 'print CSV'))
    .option('--out <file>', 'write it to this file; - is standard output', '-')
    .addHelpText('after', examples('limen people export-stats', 'limen people export-stats --csv --out people.csv'))
    .action((options: StatsOptions) => exportStats(cli, options));
}

async function exportStats(cli: Cli, options: StatsOptions): Promise<void> {
  const target = await findTarget(options.out);
  const stats = await withPeopleForReading(cli, countGalleries, []);
  const output = await openOutput(target, cli.terminal);
  try {
    await output.write(
      describe(stats, options, (text) => (options.out === '-' ? cli.terminal.paint('bold', text) : text)),
    );
    await output.finish();
  } catch (error) {
    await output.discard();
    throw error;
  }
}

type GalleryStats = Awaited<ReturnType<typeof countGalleries>>[number];

async function countGalleries({ census }: ReadingTools) {
  const galleries = await census.listGalleries();
  const byGallery = Map.groupBy(await census.countByLevel(), (level) => level.gallery_id);
  const sealedBytes = await census.measureSealed();
  return galleries.map(({ id, customer, world, model_version, dimensions, guid, people, embeddings, tokens }) => {
    const levels = byGallery.get(id) ?? [];
    return {
      ...{ customer, world, modelVersion: model_version, dimensions, guid, people, embeddings, tokens },
      sealedBytes: embeddings * (sealedBytes.get(id) ?? 0),
      tokenBytes: tokens * BODY_BYTES,
      /** Numbers of people by their number of embeddings, fewest embeddings first */
      levels: levels.map((level) => ({ embeddings: level.enroll_level, people: level.people })),
      firstAt: levels.length === 0 ? undefined : Math.min(...levels.map(({ first_at }) => first_at)),
      lastAt: levels.length === 0 ? undefined : Math.max(...levels.map(({ last_at }) => last_at)),
    };
  });
}

function describe(stats: GalleryStats[], { json, csv }: StatsOptions, paintHeading: (text: string) => string): string {
  if (json) return JSON.stringify(stats.map(toRecord), null, 2);
  if (csv) return toCsv(stats);
  if (stats.length === 0) return 'No one is enrolled yet.';
  const rows = stats.map((gallery) => COLUMNS.map(({ cell }) => cell(gallery)));
  return printTable(COLUMNS, rows, paintHeading);
}

const printDate = (at: number | undefined) => (at === undefined ? '-' : printTime(at));

const COLUMNS = [
  { heading: 'CUSTOMER', cell: (gallery: GalleryStats): string => gallery.customer },
  { heading: 'WORLD', cell: ({ world }: GalleryStats) => world },
  { heading: 'VERSION', cell: ({ modelVersion }: GalleryStats) => modelVersion },
  countColumn('LENGTH', ({ dimensions }: GalleryStats) => dimensions),
  { heading: 'GUID', cell: ({ guid }: GalleryStats) => guid },
  countColumn('PEOPLE', ({ people }: GalleryStats) => people),
  countColumn('EMBEDDINGS', ({ embeddings }: GalleryStats) => embeddings),
  { heading: 'EACH', cell: (gallery: GalleryStats) => printLevels(gallery) || '-' },
  countColumn('TOKENS', ({ tokens }: GalleryStats) => tokens),
  { heading: 'FIRST', cell: ({ firstAt }: GalleryStats) => printDate(firstAt) },
  { heading: 'LAST', cell: ({ lastAt }: GalleryStats) => printDate(lastAt) },
  countColumn('SEALED', ({ sealedBytes }: GalleryStats) => formatBytes(sealedBytes)),
  countColumn('AS TOKENS', ({ tokenBytes }: GalleryStats) => formatBytes(tokenBytes)),
];

function toRecord({ levels, firstAt, lastAt, ...gallery }: GalleryStats) {
  return {
    ...gallery,
    levels,
    firstEnrolledAt: firstAt === undefined ? undefined : new Date(firstAt).toISOString(),
    lastEnrolledAt: lastAt === undefined ? undefined : new Date(lastAt).toISOString(),
  };
}

const CSV_COLUMNS = [
  ...['customer', 'model_version', 'dimensions', 'guid', 'people', 'embeddings', 'people_by_embeddings'],
  ...['first_enrolled_at', 'last_enrolled_at', 'sealed_bytes', 'tokens', 'token_bytes', 'world'],
];

function toCsv(stats: readonly GalleryStats[]): string {
  const lines = stats.map((gallery) => {
    const { customer, modelVersion, dimensions, guid, people, embeddings, sealedBytes, tokens, tokenBytes } = gallery;
    const { firstEnrolledAt = '', lastEnrolledAt = '' } = toRecord(gallery);
    const counts = [people, embeddings, printLevels(gallery)];
    const sizes = [sealedBytes, tokens, tokenBytes, gallery.world];
    return [customer, modelVersion, dimensions, guid, ...counts, firstEnrolledAt, lastEnrolledAt, ...sizes];
  });
  return [CSV_COLUMNS, ...lines].map((cells) => cells.map(csvCell).join(',')).join('\n');
}

/** Prints `1:90 2:10` for ninety people with one embedding and ten with two. */
function printLevels({ levels }: GalleryStats): string {
  return levels.map(({ embeddings, people }) => `${embeddings}:${people}`).join(' ');
}
