// `limen screen`: screens a CSV file against a loaded list, without a server.
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { type MatchedRow, SCORE_THRESHOLD_DEFAULT, type ScreenedRow } from '@limen/contract';
import { CANDIDATE_FLOOR } from '@limen/screening';
import type { Command } from 'commander';
import { type Cli, CommandFailure, CommandOutcome, examples } from '../../command-line/command.ts';
import {
  CSV_COLUMNS,
  createMatchTable,
  findTarget,
  type Output,
  openOutput,
  type Target,
  toCsvLines,
} from '../../command-line/outputs.ts';
import { type ProgressLine, progressOnTerminal } from '../../command-line/terminal/progress.ts';
import { WARNED_OF_SEARCH } from '../engine/messages.ts';
import type { ScreeningPool } from '../engine/pool.ts';
import { type LargeFile, openLargeFile } from '../files/screen-large.ts';
import { presentWarnings } from '../files/write-reply.ts';
import type { Selection } from '../lists/catalogue/catalogue.ts';
import { effectiveThreshold } from '../match/threshold.ts';
import { EXIT_CODES, EXIT_INCOMPLETE, EXIT_MATCHED, parseThreshold, withScreening } from './with-screening.ts';

interface ScreenOptions {
  dataset: string;
  threshold: number;
  extended?: true;
  json?: string;
  csv?: string;
}

export function addScreenCommand(program: Command, cli: Cli): void {
  program
    .command('screen')
    .description('Screen the people in a CSV file against a sanctions list, offline')
    .argument('<file>', 'CSV file with the columns id, firstname, lastname, dob')
    .requiredOption('--dataset <name>', 'list or collection, such as us_ofac_sdn, sanctions or demo')
    .option('--threshold <score>', 'score at which a row counts as a match', parseThreshold, SCORE_THRESHOLD_DEFAULT)
    .option('--extended', 'also read the columns name, schema, country, nationality, identifier and address')
    .option('--json <file>', 'write all rows as JSON; - is standard output')
    .option('--csv <file>', 'write all rows as CSV with the best match; - is standard output')
    .addHelpText('after', EXIT_CODES)
    .addHelpText(
      'after',
      examples(
        'limen screen people.csv --dataset sanctions',
        'limen screen people.csv --dataset us_ofac_sdn --threshold 0.85 --csv matches.csv',
        'limen screen companies.csv --dataset us_ofac_sdn --extended',
      ),
    )
    .action((file: string, options: ScreenOptions) => screenFile(cli, file, options));
}

async function screenFile(cli: Cli, path: string, options: ScreenOptions): Promise<void> {
  const handle = await openPeople(path);
  try {
    const targets = await findTargets(path, options);
    await withScreening(cli, async ({ catalogue, pool }) => {
      const selection = await catalogue.select(options.dataset);
      await screenHandle(cli, { handle, selection, pool, options, targets });
    });
  } finally {
    await handle.close();
  }
}

interface ScreenWork {
  handle: FileHandle;
  selection: Selection;
  pool: ScreeningPool;
  options: ScreenOptions;
  targets: Awaited<ReturnType<typeof findTargets>>;
}

async function screenHandle(cli: Cli, { handle, selection, pool, options, targets }: ScreenWork): Promise<void> {
  const started = performance.now();
  const { size } = await handle.stat();
  const progress = progressOnTerminal();
  const lane = pool.openLane(selection.editions);
  // Once: whoever presses Ctrl-C a second time means it.
  process.once('SIGINT', lane.close).once('SIGTERM', lane.close);
  const outputs: Output[] = [];
  const openFor = async (target: Target | undefined) => {
    const output = target && (await openOutput(target, cli.terminal));
    if (output) outputs.push(output);
    return output;
  };
  try {
    // The CSV also has the best match of rows that stay below the threshold.
    const threshold = options.csv === undefined ? options.threshold : Math.min(options.threshold, CANDIDATE_FLOOR);
    const extended = options.extended === true;
    const file = await openLargeFile({ handle, selection, threshold, pool, lane, extended });
    const sinks = { json: await openFor(targets.json), csv: await openFor(targets.csv) };
    const counts = await writeRows(cli, file, { ...sinks, size, progress, options, selection });
    for (const output of outputs) await output.finish();
    const seconds = (performance.now() - started) / 1000;
    report(cli, counts, options, { version: selection.version, warnings: warningsOf(selection, file), seconds });
    if (counts.matched > 0) throw new CommandOutcome(EXIT_MATCHED);
    if (selection.warning !== undefined || counts.notSearched > 0) throw new CommandOutcome(EXIT_INCOMPLETE);
  } catch (error) {
    progress.clear();
    if (!(error instanceof CommandOutcome)) for (const output of outputs) await output.discard();
    throw error;
  } finally {
    process.off('SIGINT', lane.close).off('SIGTERM', lane.close);
    lane.close();
  }
}

interface RowSinks {
  json: Output | undefined;
  csv: Output | undefined;
  size: number;
  progress: ProgressLine;
  options: ScreenOptions;
  selection: Selection;
}

interface ScreenCounts {
  total: number;
  matched: number;
  warned: number;
  /** Of these, rows that were not compared with all that they might match. */
  notSearched: number;
}

async function writeRows({ terminal }: Cli, file: LargeFile, sinks: RowSinks): Promise<ScreenCounts> {
  const { json, csv, size, progress, options, selection } = sinks;
  const counts: ScreenCounts = { total: 0, matched: 0, warned: 0, notSearched: 0 };
  const toStandardOutput = options.json === '-' || options.csv === '-';
  const table = toStandardOutput ? undefined : createMatchTable(terminal);
  await json?.write('{"results":[');
  await csv?.write(CSV_COLUMNS.join(','));
  let comma = '';
  const judge = createJudge(options.threshold);
  for await (const { outcome, results, records, end } of file.pieces(json !== undefined || csv !== undefined)) {
    const candidates = parseRows<MatchedRow>(records);
    const rows = parseRows<ScreenedRow>(results).map(judge.row);
    await csv?.write(toCsvLines(rows, candidates));
    await json?.write(comma + rows.map((row) => JSON.stringify(row)).join(','));
    comma = ',';
    table?.add(judge.records(candidates));
    counts.total += outcome.scores.length;
    counts.matched += judge.count(outcome.scores);
    counts.warned += outcome.warned.filter((flag) => flag !== 0).length;
    counts.notSearched += outcome.warned.filter((flag) => flag === WARNED_OF_SEARCH).length;
    progress.show({ label: 'Screening', done: end, total: size, unit: 'bytes', note: `${counts.matched} matched` });
  }
  if (json) await writeSummary(json, file, counts, options, selection);
  progress.clear();
  table?.print();
  return counts;
}

/** Applies the threshold that was asked for to what may have been searched with a lower one. */
function createJudge(asked: number) {
  const threshold = effectiveThreshold(asked);
  return {
    row: (row: ScreenedRow): ScreenedRow => ({ ...row, match: row.score >= threshold ? 'true' : 'false' }),
    records: (records: readonly MatchedRow[]): MatchedRow[] =>
      records
        .filter(({ score }) => score >= threshold)
        .map((record) => ({ ...record, matches: record.matches.filter(({ score }) => score >= threshold) })),
    count: (scores: Float64Array): number => scores.reduce((sum, score) => sum + (score >= threshold ? 1 : 0), 0),
  };
}

/** The shape of the service's reply, with the summary behind the rows because it is known only then. */
async function writeSummary(
  json: Output,
  file: LargeFile,
  counts: ScreenCounts,
  options: ScreenOptions,
  selection: Selection,
) {
  await json.write(`],"summary":{"total":${counts.total},"matched":{"count":${counts.matched},"records":[`);
  let comma = '';
  const judge = createJudge(options.threshold);
  for await (const piece of file.records()) {
    const records = judge.records(parseRows<MatchedRow>(piece));
    if (records.length === 0) continue;
    await json.write(comma + records.map((record) => JSON.stringify(record)).join(','));
    comma = ',';
  }
  const rest = {
    ...{ dataset: options.dataset, datasetVersion: selection.version, scoreThreshold: options.threshold },
    ...presentWarnings(warningsOf(selection, file)),
  };
  await json.write(`]},${JSON.stringify(rest).slice(1)}}`);
}

function warningsOf({ warning }: Selection, file: Pick<LargeFile, 'warnings'>): string[] {
  return [...(warning === undefined ? [] : [warning]), ...file.warnings];
}

function report(
  { terminal }: Cli,
  counts: ScreenCounts,
  options: ScreenOptions,
  { version, warnings, seconds }: { version: string; warnings: readonly string[]; seconds: number },
) {
  const { print, complain, paint } = terminal;
  // Standard output belongs to the file that is written there.
  const tell = options.json === '-' || options.csv === '-' ? complain : print;
  for (const warning of warnings) complain(paint('yellow', warning));
  if (counts.warned > 0) complain(`Rows with a warning: ${counts.warned}; --csv and --json say which.`);
  if (counts.notSearched > 0) complain(`Rows whose search was ended: ${counts.notSearched}; a match may be missing.`);
  const rows = `${counts.total} row${counts.total === 1 ? '' : 's'}`;
  const sentence = `${counts.matched} of ${rows} matched at ${options.threshold} or more`;
  tell(
    `${paint(counts.matched > 0 ? 'red' : 'green', sentence)} (${options.dataset}, version ${version}; ${seconds.toFixed(1)} s).`,
  );
}

function parseRows<Row>(bytes: Uint8Array | undefined): Row[] {
  return JSON.parse(`[${new TextDecoder().decode(bytes)}]`) as Row[];
}

/** The file that is screened. */
async function openPeople(path: string): Promise<FileHandle> {
  const refuse = ({ code }: NodeJS.ErrnoException) => {
    throw new CommandFailure(
      code === 'ENOENT' || code === 'ENOTDIR' ? `There is no file ${path}.` : `${path} cannot be read (${code}).`,
    );
  };
  const found = await stat(path).catch(refuse);
  if (found.isDirectory()) throw new CommandFailure(`${path} is a folder; name the CSV file.`);
  // It is read at several places at once.
  if (!found.isFile()) throw new CommandFailure(`${path} is not a regular file; save its content as one first.`);
  return open(path).catch(refuse);
}

/** Refuses what would overwrite something it must not, before any work is done. */
async function findTargets(input: string, { json, csv }: Pick<ScreenOptions, 'json' | 'csv'>) {
  if (json === '-' && csv === '-') throw samePlace();
  const targets = {
    json: json === undefined ? undefined : await findTarget(json),
    csv: csv === undefined ? undefined : await findTarget(csv),
  };
  const paths = [targets.json, targets.csv].flatMap((target) => target?.place?.path ?? []);
  if (new Set(paths).size < paths.length) throw samePlace();
  if (paths.includes(await realpath(input))) {
    throw new CommandFailure('The result would overwrite the file being screened.', { usage: true });
  }
  return targets;
}

function samePlace(): CommandFailure {
  return new CommandFailure('JSON and CSV cannot go to the same place.', { usage: true });
}
