// `limen people graphs`: makes the graphs of approximate searches in pgvector, for every gallery that is large enough.
import { type Command, InvalidArgumentError } from 'commander';
import { type Cli, CommandError, examples, requireConfig } from '../../../command-line/command.ts';
import { progressOnTerminal } from '../../../command-line/terminal/progress.ts';
import { type Database, openDatabase } from '../../../platform/database/database.ts';
import { NO_TIMEOUTS, refusePooler } from '../../../platform/database/postgres-connections.ts';
import { createGraphs, type Graphs, LEAST_FOR_GRAPH, listGraphs } from '../../galleries/index/pgvector-graphs.ts';
import { preparePgvector } from '../../galleries/index/pgvector-tables.ts';
import { createPeopleCensus } from '../../galleries/store/people-census.ts';

interface GraphOptions {
  least: number;
  memory: number;
  drop?: true;
}

const MEMORY_MB = 1_024;
const POLL_MS = 1_000;

export function addPeopleGraphs(people: Command, cli: Cli): void {
  people
    .command('graphs')
    .description('Build the graphs for VECTOR_SEARCH=approximate, next to a running service')
    .option('--least <embeddings>', 'of galleries with at least so many', readCount, LEAST_FOR_GRAPH)
    .option('--memory <mb>', 'what PostgreSQL may use for making one', readCount, MEMORY_MB)
    .option('--drop', 'remove all graphs instead')
    .addHelpText('after', examples('limen people graphs', 'limen people graphs --least 10000 --memory 4096'))
    .action((options: GraphOptions) => workOnGraphs(cli, options));
}

async function workOnGraphs(cli: Cli, options: GraphOptions): Promise<void> {
  const { DATABASE_URL: url, DATA_DIR: dataDir } = requireConfig(cli);
  if (url === undefined) throw new CommandError('Graphs are made in PostgreSQL: set DATABASE_URL.', { usage: true });
  await refusePooler(url, 'limen people graphs');
  const database = openDatabase({ url, dataDir, timeouts: NO_TIMEOUTS });
  try {
    const graphs = createGraphs(database, await preparePgvector(database));
    if (options.drop) await dropAll(cli, database, graphs);
    else await makeMissing(cli, database, graphs, options);
  } finally {
    await database.close();
  }
}

async function dropAll({ terminal }: Cli, database: Database, graphs: Graphs): Promise<void> {
  const made = await listGraphs(database.queries);
  for (const galleryId of made) await graphs.drop(galleryId);
  terminal.print(`${count(made.size)} removed. Searches look at every vector again.`);
}

async function makeMissing({ terminal }: Cli, database: Database, graphs: Graphs, options: GraphOptions) {
  const made = await listGraphs(database.queries);
  const galleries = await createPeopleCensus(database).listGalleries();
  const large = galleries.filter(({ embeddings }) => embeddings >= options.least);
  const missing = large.filter(({ id }) => !made.has(id));
  const known = new Set(galleries.map(({ id }) => id));
  for (const id of made) if (!known.has(id)) await graphs.drop(id);
  for (const gallery of missing) {
    const name = `the gallery ${gallery.guid}, ${gallery.embeddings} embeddings`;
    await withProgress(graphs, name, gallery.embeddings, () => graphs.make(gallery, options.memory));
    terminal.print(`Made a graph of ${name}.`);
  }
  terminal.print(
    large.length === 0
      ? `No gallery has ${options.least} embeddings. Smaller ones are searched whole, which is quick; --least changes that.`
      : `${count(large.length)}, ${missing.length} of them new. Services with VECTOR_SEARCH=approximate use them at once.`,
  );
}

async function withProgress(graphs: Graphs, label: string, total: number, work: () => Promise<void>): Promise<void> {
  const progress = progressOnTerminal();
  const look = async () => {
    const share = await graphs.progress().catch(() => undefined);
    if (share !== undefined) progress.show({ label, done: share * total, total, unit: 'rows' });
  };
  const timer = setInterval(look, POLL_MS);
  try {
    await work();
  } finally {
    clearInterval(timer);
    progress.clear();
  }
}

function count(graphs: number): string {
  return graphs === 1 ? '1 graph' : `${graphs} graphs`;
}

function readCount(text: string): number {
  const value = Number(text);
  if (!/^\d{1,9}$/.test(text) || value < 1) throw new InvalidArgumentError('It must be a whole number above 0.');
  return value;
}
