// `limen screen`: screens a CSV file against a loaded list, without a server.
import { type FileHandle, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type MatchedRow, SCORE_THRESHOLD_DEFAULT, type ScreenedRow } from '@limen/contract';
import { type Command, InvalidArgumentError } from 'commander';
import { createDatasetFolder } from '../core/datasets/dataset-folder.ts';
import { loadDemoIndex } from '../core/datasets/demo-dataset.ts';
import { createCatalogue, type Selection } from '../features/sanctions/catalogue.ts';
import { MissingHeaders } from '../features/sanctions/csv-layout.ts';
import { CsvError } from '../features/sanctions/csv-rows.ts';
import { readThreshold } from '../features/sanctions/rules.ts';
import { FileProblem, type LargeFile, openLargeFile } from '../features/sanctions/screen-large-file.ts';
import { createScreeningPool, LaneClosed } from '../features/sanctions/screening-pool.ts';
import { AppError } from '../platform/errors.ts';
import { type Cli, CommandFailure, CommandOutcome, configOf, examples } from './command.ts';
import { createProgress, type Progress } from './progress.ts';
import { CSV_COLUMNS, createMatchTable, type Output, openOutput, toCsvLines } from './screen-outputs.ts';

/** Somebody matched. Not a failure, and not to be taken for "nobody". */
const EXIT_MATCHED = 3;

interface ScreenOptions {
  dataset: string;
  threshold: number;
  json?: string;
  csv?: string;
}

export function addScreenCommand(program: Command, cli: Cli): void {
  program
    .command('screen')
    .description('Screen the people in a CSV file against a sanctions list, offline')
    .argument('<file>', 'CSV file with the columns id, firstname, lastname, dob')
    .requiredOption('--dataset <name>', 'list or collection, such as us_ofac_sdn, sanctions or demo')
    .option('--threshold <score>', 'score from which a row counts as matched', parseThreshold, SCORE_THRESHOLD_DEFAULT)
    .option('--json <file>', 'write all rows as JSON; - is standard output')
    .option('--csv <file>', 'write all rows as CSV with the best match; - is standard output')
    .addHelpText('after', `\nExit code: 0 nobody matched, ${EXIT_MATCHED} somebody did, 1 failed, 2 called wrongly.\n`)
    .addHelpText(
      'after',
      examples(
        'limen screen people.csv --dataset sanctions',
        'limen screen people.csv --dataset us_ofac_sdn --threshold 0.85 --csv matches.csv',
      ),
    )
    .action((file: string, options: ScreenOptions) => screenFile(cli, file, options));
}

function parseThreshold(text: string): number {
  try {
    return readThreshold({ scoreThreshold: text });
  } catch {
    throw new InvalidArgumentError('It must be a number from 0 to 1.');
  }
}

async function screenFile(cli: Cli, path: string, options: ScreenOptions): Promise<void> {
  const targets = [options.json, options.csv].filter((target) => target !== undefined);
  if (new Set(targets.map((target) => resolve(target))).size < targets.length) {
    throw new CommandFailure('JSON and CSV cannot go to the same place.', { usage: true });
  }
  if (targets.some((target) => target !== '-' && resolve(target) === resolve(path))) {
    throw new CommandFailure('The result would overwrite the file that is screened.', { usage: true });
  }
  const { DATA_DIR } = configOf(cli);
  const handle = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailure(`The file cannot be read (${error.code}).`);
  });
  const catalogue = createCatalogue({
    folder: createDatasetFolder(DATA_DIR),
    loadDemo: loadDemoIndex,
    clock: cli.clock,
    log: { info() {}, error() {} }, // what went wrong is in the refusal
    onRetired() {},
    eager: false,
  });
  const pool = createScreeningPool();
  try {
    const selection = await catalogue.select(options.dataset);
    await screenHandle(cli, { handle, selection, pool, options });
  } catch (error) {
    if (error instanceof LaneClosed) throw new CommandFailure('Stopped; nothing was written.');
    const isSentence = [AppError, MissingHeaders, CsvError, FileProblem].some((type) => error instanceof type);
    throw isSentence ? new CommandFailure((error as Error).message) : error;
  } finally {
    await handle.close();
    await pool.close();
    await catalogue.close();
  }
}

interface ScreenWork {
  handle: FileHandle;
  selection: Selection;
  pool: ReturnType<typeof createScreeningPool>;
  options: ScreenOptions;
}

async function screenHandle(cli: Cli, { handle, selection, pool, options }: ScreenWork): Promise<void> {
  const { terminal } = cli;
  const started = performance.now();
  const { size } = await handle.stat();
  const progress = createProgress({
    out: process.stderr,
    isTerminal: process.stderr.isTTY === true,
    columns: process.stderr.columns,
    now: () => performance.now(),
  });
  const lane = pool.openLane(selection.editions);
  // Once: whoever presses Ctrl-C a second time means it.
  process.once('SIGINT', lane.close).once('SIGTERM', lane.close);
  const outputs: Output[] = [];
  const openFor = (target: string | undefined) => {
    const output = target === undefined ? undefined : openOutput(target, terminal);
    if (output) outputs.push(output);
    return output;
  };
  try {
    const file = await openLargeFile({ handle, selection, threshold: options.threshold, pool, lane });
    const sinks = { json: openFor(options.json), csv: openFor(options.csv) };
    const counts = await run(cli, file, { ...sinks, size, progress, options, selection });
    for (const output of outputs) await output.finish();
    const seconds = (performance.now() - started) / 1000;
    report(cli, counts, options, selection, seconds);
    if (counts.matched > 0) throw new CommandOutcome(EXIT_MATCHED);
  } catch (error) {
    progress.clear();
    if (!(error instanceof CommandOutcome)) for (const output of outputs) await output.discard();
    throw error;
  } finally {
    process.off('SIGINT', lane.close).off('SIGTERM', lane.close);
    lane.close();
  }
}

interface Run {
  json: Output | undefined;
  csv: Output | undefined;
  size: number;
  progress: Progress;
  options: ScreenOptions;
  selection: Selection;
}

interface Counts {
  total: number;
  matched: number;
  warned: number;
}

async function run({ terminal }: Cli, file: LargeFile, sinks: Run): Promise<Counts> {
  const { json, csv, size, progress, options, selection } = sinks;
  const counts: Counts = { total: 0, matched: 0, warned: 0 };
  const toStandardOutput = options.json === '-' || options.csv === '-';
  const table = toStandardOutput ? undefined : createMatchTable(terminal);
  await json?.write('{"results":[');
  await csv?.write(CSV_COLUMNS.join(','));
  let comma = '';
  for await (const { outcome, results, records, end } of file.pieces(json !== undefined || csv !== undefined)) {
    await json?.write(comma + textOf(results));
    comma = ',';
    const matched = parseRows<MatchedRow>(records);
    await csv?.write(toCsvLines(parseRows<ScreenedRow>(results), matched));
    table?.add(matched);
    counts.total += outcome.scores.length;
    counts.matched += outcome.matched;
    counts.warned += outcome.warned.reduce((sum, flag) => sum + flag, 0);
    progress.show({ label: 'Screening', done: end, total: size, unit: 'bytes', note: `${counts.matched} matched` });
  }
  if (json) await writeSummary(json, file, counts, options, selection);
  progress.clear();
  table?.print();
  return counts;
}

/** The shape of the service's reply, with the summary behind the rows because it is known only then. */
async function writeSummary(
  json: Output,
  file: LargeFile,
  counts: Counts,
  options: ScreenOptions,
  selection: Selection,
) {
  const { version, warning } = selection;
  await json.write(`],"summary":{"total":${counts.total},"matched":{"count":${counts.matched},"records":[`);
  let comma = '';
  for await (const records of file.records()) {
    await json.write(comma + textOf(records));
    comma = ',';
  }
  const rest = { dataset: options.dataset, datasetVersion: version, scoreThreshold: options.threshold, warning };
  await json.write(`]},${JSON.stringify(rest).slice(1)}}`);
}

function report(
  { terminal }: Cli,
  counts: Counts,
  options: ScreenOptions,
  { version, warning }: Selection,
  seconds: number,
) {
  const { print, complain, paint } = terminal;
  // Standard output belongs to the file that is written there.
  const tell = options.json === '-' || options.csv === '-' ? complain : print;
  if (warning !== undefined) complain(paint('yellow', warning));
  if (counts.warned > 0) complain(`Rows with a warning: ${counts.warned}; --csv and --json say which.`);
  const rows = `${counts.total} row${counts.total === 1 ? '' : 's'}`;
  const sentence = `${counts.matched} of ${rows} matched at ${options.threshold} or more`;
  tell(
    `${paint(counts.matched > 0 ? 'red' : 'green', sentence)} (${options.dataset}, version ${version}; ${seconds.toFixed(1)} s).`,
  );
}

function textOf(bytes: Uint8Array | undefined): string {
  return bytes ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8') : '';
}

function parseRows<Row>(bytes: Uint8Array | undefined): Row[] {
  return JSON.parse(`[${textOf(bytes)}]`) as Row[];
}
