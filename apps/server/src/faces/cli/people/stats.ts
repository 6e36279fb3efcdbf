// `limen people export-stats`: counts the galleries for a report, as a table, JSON or CSV; nothing in it is personal.
import { csvCell } from '@limen/contract/csv';
import { BODY_BYTES } from '@limen/token/shared';
import { type Command, Option } from 'commander';
import { type Cli, examples } from '../../../command-line/command.ts';
import { findTarget, openOutput } from '../../../command-line/outputs.ts';
import { printTable, printTime } from '../../../command-line/terminal/print-table.ts';
import type { Terminal } from '../../../command-line/terminal/terminal.ts';
import type { OwnerColumns } from '../../../platform/api-keys/owner.ts';
import { formatBytes } from '../../../platform/files/free-space.ts';
import { type ReadingTools, withPeopleForReading } from './tools.ts';

interface StatsOptions {
  json?: true;
  csv?: true;
  out: string;
}

interface GalleryStats extends OwnerColumns {
  modelVersion: string;
  dimensions: number;
  guid: string;
  people: number;
  embeddings: number;
  tokens: number;
  /** How many people have how many embeddings, fewest first. */
  levels: { embeddings: number; people: number }[];
  firstAt: number | undefined;
  lastAt: number | undefined;
  sealedBytes: number;
  tokenBytes: number;
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
    await output.write(describe(stats, options, cli.terminal));
    await output.finish();
  } catch (error) {
    await output.discard();
    throw error;
  }
}

async function countGalleries({ census }: ReadingTools): Promise<GalleryStats[]> {
  const [galleries, counts, sealedBytes] = [
    await census.listGalleries(),
    await census.countByLevel(),
    await census.measureSealed(),
  ];
  const byGallery = Map.groupBy(counts, (level) => level.gallery_id);
  return galleries.map(({ id, customer, world, model_version, dimensions, guid, people, embeddings, tokens }) => {
    const levels = byGallery.get(id) ?? [];
    return {
      customer,
      world,
      modelVersion: model_version,
      dimensions,
      guid,
      people,
      embeddings,
      tokens,
      levels: levels.map((level) => ({ embeddings: level.enroll_level, people: level.people })),
      firstAt: levels.length === 0 ? undefined : Math.min(...levels.map(({ first_at }) => first_at)),
      lastAt: levels.length === 0 ? undefined : Math.max(...levels.map(({ last_at }) => last_at)),
      sealedBytes: embeddings * (sealedBytes.get(id) ?? 0),
      tokenBytes: tokens * BODY_BYTES,
    };
  });
}

function describe(stats: readonly GalleryStats[], { json, csv, out }: StatsOptions, { paint }: Terminal): string {
  if (json) return JSON.stringify(stats.map(toRecord), null, 2);
  if (csv) return toCsv(stats);
  return toTable(stats, (text) => (out === '-' ? paint('bold', text) : text));
}

function toRecord({ levels, firstAt, lastAt, ...rest }: GalleryStats) {
  return {
    ...rest,
    levels,
    firstEnrolledAt: firstAt === undefined ? undefined : new Date(firstAt).toISOString(),
    lastEnrolledAt: lastAt === undefined ? undefined : new Date(lastAt).toISOString(),
  };
}

function toTable(stats: readonly GalleryStats[], paintHeading: (text: string) => string): string {
  if (stats.length === 0) return 'Nobody is enrolled yet.';
  const right = 'right' as const;
  const columns = [
    { heading: 'CUSTOMER' },
    { heading: 'WORLD' },
    { heading: 'VERSION' },
    { heading: 'LENGTH', align: right },
    { heading: 'GUID' },
    { heading: 'PEOPLE', align: right },
    { heading: 'EMBEDDINGS', align: right },
    { heading: 'EACH' },
    { heading: 'TOKENS', align: right },
    { heading: 'FIRST' },
    { heading: 'LAST' },
    { heading: 'SEALED', align: right },
    { heading: 'AS TOKENS', align: right },
  ];
  const rows = stats.map((gallery) => [
    gallery.customer,
    gallery.world,
    gallery.modelVersion,
    `${gallery.dimensions}`,
    gallery.guid,
    `${gallery.people}`,
    `${gallery.embeddings}`,
    printLevels(gallery) || '-',
    `${gallery.tokens}`,
    gallery.firstAt === undefined ? '-' : printTime(gallery.firstAt),
    gallery.lastAt === undefined ? '-' : printTime(gallery.lastAt),
    formatBytes(gallery.sealedBytes),
    formatBytes(gallery.tokenBytes),
  ]);
  return printTable(columns, rows, paintHeading);
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

/** `1:90 2:10`: ninety people with one embedding, ten with two. */
function printLevels({ levels }: GalleryStats): string {
  return levels.map(({ embeddings, people }) => `${embeddings}:${people}`).join(' ');
}
