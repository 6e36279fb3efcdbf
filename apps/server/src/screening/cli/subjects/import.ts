// `limen subjects import`: watches the subjects of an NDJSON or CSV file, with or without a running server.
import type { SubjectImport } from '@limen/contract';
import { type Command, Option } from 'commander';
import { type Cli, CommandError, CommandExitError, examples } from '../../../command-line/command.ts';
import { type Input, openInput } from '../../../command-line/input.ts';
import { parseShortText } from '../../../command-line/options.ts';
import { printFields, toPrintable } from '../../../command-line/terminal/print-table.ts';
import { progressOnTerminal } from '../../../command-line/terminal/progress.ts';
import { CsvError } from '../../csv/rows.ts';
import { unknownDataset } from '../../lists/catalogue/collections.ts';
import { createDatasetFolder } from '../../lists/folder/folder.ts';
import { COLLECTIONS, DEMO } from '../../lists/folder/names.ts';
import type { ImportFormat } from '../../subjects/import/read-records.ts';
import { importSubjects } from '../../subjects/import/run.ts';
import { parseThreshold } from '../with-screening.ts';
import { EXAMPLE_KEY, type KeyOptions, type SubjectTools, withSubjects } from './tools.ts';

const EXIT_INCOMPLETE = 4;

interface SubjectImportOptions extends KeyOptions {
  format?: ImportFormat;
  dataset?: string;
  threshold?: number;
}

export function addSubjectsImport(subjects: Command, cli: Cli): void {
  subjects
    .command('import')
    .description('Watch the subjects in an NDJSON or CSV file, or update those already watched')
    .argument('<file>', 'one subject per line or row; - is standard input')
    .requiredOption(
      '--key-id <id>',
      'for the customer and world of this API key, which signs the webhooks; see: limen keys list',
      parseShortText,
    )
    .addOption(
      new Option('--format <format>', 'format of the file; by default from its extension').choices(['ndjson', 'csv']),
    )
    .option('--dataset <name>', 'dataset for lines that name none', parseShortText)
    .option('--threshold <score>', 'score threshold for lines that name none', parseThreshold)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
The running server screens them, or the next one that is started.

Exit code: 0 everyone is watched now, ${EXIT_INCOMPLETE} some lines could not be used (they are named by number), 1 failed, 2 wrong usage.
`,
    )
    .addHelpText('after', examples(`limen subjects import customers.csv --key-id ${EXAMPLE_KEY} --dataset default`))
    .action(async (file: string, options: SubjectImportOptions) => {
      const format = options.format ?? detectFormat(file);
      const input = await openInput(file);
      const defaults = { dataset: options.dataset, scoreThreshold: options.threshold };
      const counts = await withSubjects(cli, options.keyId, (tools) =>
        importInput(tools, input, format, defaults),
      ).finally(() => input.stream.destroy());
      report(cli, counts, options);
      if (counts.refused > 0) throw new CommandExitError(EXIT_INCOMPLETE);
    });
}

function detectFormat(file: string): ImportFormat {
  if (/\.(ndjson|jsonl)$/i.test(file)) return 'ndjson';
  if (/\.csv$/i.test(file)) return 'csv';
  throw new CommandError('Name the format: --format ndjson or --format csv.', { usage: true });
}

async function importInput(
  { watched, owner, key, context }: SubjectTools,
  { stream, size }: Input,
  format: ImportFormat,
  defaults: { dataset: string | undefined; scoreThreshold: number | undefined },
): Promise<SubjectImport> {
  if (key.status !== 'active') {
    throw new CommandError('The API key is no longer active; choose another, see: limen keys list');
  }
  await context.record('subject.import', `with key ${key.id}`);
  const folder = createDatasetFolder(context.config.DATA_DIR);
  const progress = progressOnTerminal();
  try {
    return await importSubjects(watched.puts, {
      input: stream,
      format,
      owner,
      apiKeyId: key.id,
      defaults,
      async requireDataset(name) {
        if (name === DEMO || (COLLECTIONS as readonly string[]).includes(name) || (await folder.find(name))) return;
        throw unknownDataset([DEMO, ...(await folder.list()).map((list) => list.name)]);
      },
      onProgress({ added, changed, unchanged, refused }, bytes) {
        const note = `${added + changed + unchanged + refused} rows`;
        progress.show({ label: 'Importing', done: bytes, total: size, unit: 'bytes', note });
      },
    });
  } catch (error) {
    if (error instanceof CsvError) throw new CommandError(error.message);
    throw error;
  } finally {
    progress.clear();
  }
}

function report({ terminal }: Cli, counts: SubjectImport, { json }: SubjectImportOptions) {
  const { print, complain, paint } = terminal;
  const { added, changed, unchanged, refused, problems, warnings = [] } = counts;
  if (json) return print(JSON.stringify(counts, null, 2));
  for (const warning of warnings) complain(paint('yellow', toPrintable(warning)));
  for (const { line, message } of problems) complain(paint('yellow', `Line ${line}: ${toPrintable(message)}`));
  if (refused > problems.length) complain(paint('yellow', `And ${refused - problems.length} more.`));
  const fields = { new: added, changed, 'as before': unchanged, 'not usable': refused };
  print(printFields(Object.entries(fields).map(([name, count]) => [name, `${count}`])));
}
