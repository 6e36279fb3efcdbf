// `limen screen`: screens a CSV file against a loaded list, without a server.
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { type MatchedRow, SCORE_THRESHOLD_DEFAULT, type ScreenedRow } from '@limen/contract';
import { CANDIDATE_FLOOR } from '@limen/screening';
import type { Command } from 'commander';
import { type Cli, CommandError, CommandExitError, examples } from '../../command-line/command.ts';
import { cannotRead } from '../../command-line/input.ts';
import {
  CSV_COLUMNS,
  createMatchTable,
  findTarget,
  type Output,
  openOutput,
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
    .action(async (path: string, options: ScreenOptions) => {
      const handle = await openPeople(path);
      try {
        const targets = await findTargets(path, options);
        await withScreening(cli, async ({ catalogue, pool }) => {
          await screenFile(cli, { handle, selection: await catalogue.select(options.dataset), pool, options, targets });
        });
      } finally {
        await handle.close();
      }
    });
}

interface ScreenWork {
  handle: FileHandle;
  selection: Selection;
  pool: ScreeningPool;
  options: ScreenOptions;
  targets: Awaited<ReturnType<typeof findTargets>>;
}

async function screenFile(cli: Cli, { handle, selection, pool, options, targets }: ScreenWork): Promise<void> {
  const started = performance.now();
  const { size } = await handle.stat();
  const progress = progressOnTerminal();
  const lane = pool.openLane(selection.editions);
  // The handler runs once, so that a second Ctrl-C ends the process.
  process.once('SIGINT', lane.close).once('SIGTERM', lane.close);
  const outputs: { json?: Output; csv?: Output } = {};
  try {
    // The CSV also has the best match of rows that stay below the threshold.
    const threshold = options.csv === undefined ? options.threshold : Math.min(options.threshold, CANDIDATE_FLOOR);
    const extended = options.extended === true;
    const file = await openLargeFile({ handle, selection, threshold, pool, lane, extended });
    if (targets.json) outputs.json = await openOutput(targets.json, cli.terminal);
    if (targets.csv) outputs.csv = await openOutput(targets.csv, cli.terminal);
    const warnings = [...(selection.warning === undefined ? [] : [selection.warning]), ...file.warnings];
    const version = selection.version;
    const counts = await writeRows(cli, file, { ...outputs, size, progress, options, version, warnings });
    await outputs.json?.finish();
    await outputs.csv?.finish();
    report(cli, counts, options, { version, warnings, seconds: (performance.now() - started) / 1000 });
    if (counts.matched > 0) throw new CommandExitError(EXIT_MATCHED);
    if (selection.warning !== undefined || counts.notSearched > 0) throw new CommandExitError(EXIT_INCOMPLETE);
  } catch (error) {
    progress.clear();
    if (!(error instanceof CommandExitError)) for (const output of Object.values(outputs)) await output.discard();
    throw error;
  } finally {
    process.off('SIGINT', lane.close).off('SIGTERM', lane.close);
    lane.close();
  }
}

interface RowSinks {
  json?: Output;
  csv?: Output;
  size: number;
  progress: ProgressLine;
  options: ScreenOptions;
  version: string;
  warnings: readonly string[];
}

type ScreenCounts = Awaited<ReturnType<typeof writeRows>>;

async function writeRows({ terminal }: Cli, file: LargeFile, sinks: RowSinks) {
  const { json, csv, size, progress, options } = sinks;
  // A row counts as not searched if it was not compared with all that it might match.
  const counts = { total: 0, matched: 0, warned: 0, notSearched: 0 };
  const table = usesStandardOutput(options) ? undefined : createMatchTable(terminal);
  await json?.write('{"results":[');
  await csv?.write(CSV_COLUMNS.join(','));
  let comma = '';
  const threshold = effectiveThreshold(options.threshold);
  for await (const { outcome, results, records, end } of file.pieces(json !== undefined || csv !== undefined)) {
    const candidates = parseRows<MatchedRow>(records);
    const rows = parseRows<ScreenedRow>(results).map((row): ScreenedRow => {
      return { ...row, match: row.score >= threshold ? 'true' : 'false' };
    });
    await csv?.write(toCsvLines(rows, candidates));
    await json?.write(comma + rows.map((row) => JSON.stringify(row)).join(','));
    comma = ',';
    table?.add(keepMatches(candidates, threshold));
    counts.total += outcome.scores.length;
    counts.matched += outcome.scores.filter((score) => score >= threshold).length;
    counts.warned += outcome.warned.filter((flag) => flag !== 0).length;
    counts.notSearched += outcome.warned.filter((flag) => flag === WARNED_OF_SEARCH).length;
    progress.show({ label: 'Screening', done: end, total: size, unit: 'bytes', note: `${counts.matched} matched` });
  }
  if (json) await writeSummary(json, file, counts, sinks);
  progress.clear();
  table?.print();
  return counts;
}

/** Drops matches below the requested threshold. */
function keepMatches(records: readonly MatchedRow[], threshold: number): MatchedRow[] {
  return records
    .filter(({ score }) => score >= threshold)
    .map((record) => ({ ...record, matches: record.matches.filter(({ score }) => score >= threshold) }));
}

/** Writes the summary of the service's reply, after the rows because it is known only then. */
async function writeSummary(
  json: Output,
  file: LargeFile,
  { total, matched }: { total: number; matched: number },
  { options, version, warnings }: RowSinks,
): Promise<void> {
  await json.write(`],"summary":{"total":${total},"matched":{"count":${matched},"records":[`);
  let comma = '';
  for await (const piece of file.records()) {
    const records = keepMatches(parseRows<MatchedRow>(piece), effectiveThreshold(options.threshold));
    if (records.length === 0) continue;
    await json.write(comma + records.map((record) => JSON.stringify(record)).join(','));
    comma = ',';
  }
  const { dataset, threshold } = options;
  const rest = { dataset, datasetVersion: version, scoreThreshold: threshold, ...presentWarnings(warnings) };
  await json.write(`]},${JSON.stringify(rest).slice(1)}}`);
}

function report(
  { terminal }: Cli,
  { total, matched, warned, notSearched }: ScreenCounts,
  options: ScreenOptions,
  { version, warnings, seconds }: { version: string; warnings: readonly string[]; seconds: number },
): void {
  const { print, complain, paint } = terminal;
  for (const warning of warnings) complain(paint('yellow', warning));
  if (warned > 0) complain(`Rows with a warning: ${warned}; --csv and --json show which.`);
  if (notSearched > 0) complain(`Rows whose search was ended: ${notSearched}; a match may be missing.`);
  const sentence = `${matched} of ${total} row${total === 1 ? '' : 's'} matched at ${options.threshold} or more`;
  const line = `${paint(matched > 0 ? 'red' : 'green', sentence)} (${options.dataset}, version ${version}; ${seconds.toFixed(1)} s).`;
  if (usesStandardOutput(options)) complain(line);
  else print(line);
}

function usesStandardOutput({ json, csv }: ScreenOptions): boolean {
  return json === '-' || csv === '-';
}

function parseRows<Row>(bytes: Uint8Array | undefined): Row[] {
  return JSON.parse(`[${new TextDecoder().decode(bytes)}]`) as Row[];
}

async function openPeople(path: string): Promise<FileHandle> {
  const refuse = (error: NodeJS.ErrnoException) => {
    throw cannotRead(path, error);
  };
  const found = await stat(path).catch(refuse);
  if (found.isDirectory()) throw new CommandError(`${path} is a folder; name the CSV file.`);
  // It is read at several places at once.
  if (!found.isFile()) throw new CommandError(`${path} is not a regular file; save its content as one first.`);
  return open(path).catch(refuse);
}

/** Refuses outputs that would overwrite something, before any work is done. */
async function findTargets(input: string, { json, csv }: Pick<ScreenOptions, 'json' | 'csv'>) {
  const targets = {
    json: json === undefined ? undefined : await findTarget(json),
    csv: csv === undefined ? undefined : await findTarget(csv),
  };
  const paths = [targets.json, targets.csv].flatMap((target) => target?.place?.path ?? []);
  if ((json === '-' && csv === '-') || new Set(paths).size < paths.length) {
    throw new CommandError('JSON and CSV cannot go to the same place.', { usage: true });
  }
  if (paths.includes(await realpath(input))) {
    throw new CommandError('The result would overwrite the file being screened.', { usage: true });
  }
  return targets;
}
