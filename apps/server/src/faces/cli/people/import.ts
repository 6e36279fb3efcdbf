// `limen people import`: enrols the people of a JSON Lines file, beside a running server or without one.
import { addAbortSignal } from 'node:stream';
import { DEFAULT_VERSION } from '@limen/contract';
import { type Command, Option } from 'commander';
import { type Cli, CommandFailure, CommandOutcome, examples } from '../../../command-line/command.ts';
import { type Input, openInput } from '../../../command-line/input.ts';
import { parseShortText } from '../../../command-line/options.ts';
import { printFields, toPrintable } from '../../../command-line/terminal/print-table.ts';
import { type ProgressState, progressOnTerminal } from '../../../command-line/terminal/progress.ts';
import type { ApiKeys } from '../../../platform/api-keys/api-keys.ts';
import { columnsOf, isSameOwner, type Owner, ownerFrom, ownerOf } from '../../../platform/api-keys/owner.ts';
import { AppError } from '../../../platform/base/errors.ts';
import type { CustomerId } from '../../../platform/base/ids.ts';
import type { World } from '../../../platform/base/world.ts';
import { countRows, enrolRow, type ImportCounts, noCounts, type PersonRow, runImport } from './import-run.ts';
import { type ForgetElsewhere, type PeopleTools, parseModelVersion, withPeople } from './tools.ts';

/** Some lines were not imported. */
const EXIT_INCOMPLETE = 4;
const DRAW_MS = 250;

interface ImportOptions {
  keyId?: string;
  customer?: CustomerId;
  world?: World;
  modelVersion: string;
  dryRun?: true;
  json?: true;
}

export function addPeopleImport(people: Command, cli: Cli, forget: ForgetElsewhere): void {
  people
    .command('import')
    .description('Enrol the people in a JSON Lines file; those already enrolled are not added again')
    .argument('<file>', 'one person per line, with embedding_vector or features; - is standard input')
    .option('--key-id <id>', 'for the customer and world of this API key, as shown by: limen keys list', parseShortText)
    .option('--customer <id>', 'for this customer', parseShortText)
    .addOption(
      new Option('--world <world>', 'with --customer: in this world; live by default').choices(['live', 'test']),
    )
    .option(
      '--model-version <version>',
      'for lines that name none; the plain endpoints search FACE3_3',
      parseModelVersion,
      DEFAULT_VERSION,
    )
    .option('--dry-run', 'only read and count; nobody is enrolled')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Each line: {"embedding_vector": [...], "metadata": {"id": "..."}, "version": "..."}, or "features": [{"embedding_vector":
[...]}, ...] for several embeddings of one person. metadata and version may be left out.

Exit code: 0 everybody is enrolled now, ${EXIT_INCOMPLETE} some lines could not be used (they are named by number), 1 failed, 2 wrong usage.
`,
    )
    .addHelpText(
      'after',
      examples(
        'limen people import people.jsonl --customer acme',
        'zcat people.jsonl.gz | limen people import - --key-id 5f0c8a52-6a3e-4c55-9d0e-0b6f3f9f2f57',
      ),
    )
    .action((file: string, options: ImportOptions) => importPeople(cli, forget, file, options));
}

async function importPeople(cli: Cli, forget: ForgetElsewhere, file: string, options: ImportOptions): Promise<void> {
  requireOneOwner(options);
  const input = await openInput(file);
  try {
    if (options.dryRun) return await importInput(cli, input, options, undefined);
    await withPeople(cli, forget, async (tools) => {
      const owner = await findOwner(cli, tools.apiKeys, options);
      await tools.index.prepare();
      await importInput(cli, input, options, { tools, owner });
    });
  } finally {
    input.stream.destroy();
  }
}

interface Destination {
  tools: PeopleTools;
  owner: Owner;
}

async function importInput(cli: Cli, { stream, size }: Input, options: ImportOptions, to: Destination | undefined) {
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  // Once: whoever presses Ctrl-C a second time means it.
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const { signal } = interrupted;
  const counts = noCounts();
  const started = performance.now();
  const progress = progressOnTerminal();
  const drawing = setInterval(() => progress.show(describeState(counts, size, performance.now() - started)), DRAW_MS);
  try {
    const enrol = to ? (row: PersonRow) => enrolRow(to.tools.people, to.owner, row) : async () => true;
    await runImport({
      input: addAbortSignal(signal, stream),
      defaultVersion: options.modelVersion,
      enrol,
      signal,
      counts,
    });
    if (signal.aborted) throw new CommandFailure('Stopped. Run it again to continue: nobody is added twice.');
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new CommandFailure(`Stopped: ${error.message}`);
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    clearInterval(drawing);
    progress.clear();
    report(cli, counts, options, to?.owner, (performance.now() - started) / 1000);
  }
  if (counts.unusable + counts.broken > 0) throw new CommandOutcome(EXIT_INCOMPLETE);
}

function requireOneOwner({ keyId, customer, world, dryRun }: ImportOptions): void {
  if (keyId !== undefined && customer !== undefined) {
    throw new CommandFailure('Name the customer with either --key-id or --customer.', { usage: true });
  }
  if (keyId !== undefined && world !== undefined) {
    throw new CommandFailure('A key has its own world: use --world only with --customer.', { usage: true });
  }
  if (keyId === undefined && customer === undefined && !dryRun) {
    throw new CommandFailure('Say for whom: --customer ID, or --key-id with the id of one of their API keys.', {
      usage: true,
    });
  }
}

async function findOwner(cli: Cli, apiKeys: ApiKeys, { keyId, customer, world }: ImportOptions): Promise<Owner> {
  const keys = await apiKeys.list();
  if (customer !== undefined) {
    const owner = ownerFrom({ customer, world: world ?? 'live' });
    if (!keys.some((key) => key.status === 'active' && isSameOwner(ownerOf(key), owner))) {
      cli.terminal.complain(
        `This customer has no active ${owner.world} API key: until there is one, nobody can find these people.`,
      );
    }
    return owner;
  }
  const key = keys.find(({ id }) => id === keyId);
  if (!key) throw new CommandFailure('There is no API key with this id; see: limen keys list');
  if (key.status !== 'active') {
    throw new CommandFailure('This API key is revoked. Name another of the customer’s keys, or use --customer.');
  }
  return ownerOf(key);
}

function describeState(counts: ImportCounts, size: number | undefined, elapsedMs: number): ProgressState {
  const rows = countRows(counts);
  // The first enrolment waits until the gallery that it is compared with has been read.
  const label = rows === 0 ? 'Reading the faces already enrolled' : 'Importing';
  if (size === undefined) return { label, done: rows, unit: 'rows' };
  const perSecond = (rows / elapsedMs) * 1000;
  return {
    label,
    done: counts.bytes,
    total: size,
    unit: 'bytes',
    note: `${rows} rows`,
    rate: `${Math.round(perSecond)} rows/s`,
  };
}

function report(cli: Cli, counts: ImportCounts, options: ImportOptions, owner: Owner | undefined, seconds: number) {
  const { print, complain, paint } = cli.terminal;
  const { added, known, unusable, broken, problems } = counts;
  if (options.json) {
    const outcome = options.dryRun
      ? { usable: added }
      : { ...(owner && columnsOf(owner)), new: added, alreadyEnrolled: known };
    return print(JSON.stringify({ ...outcome, unusable, broken, problems }, null, 2));
  }
  for (const { line, reason } of problems) complain(paint('yellow', `Line ${line}: ${toPrintable(reason)}`));
  const unnamed = unusable + broken - problems.length;
  if (unnamed > 0) complain(paint('yellow', `And ${unnamed} more.`));
  const rows = countRows(counts);
  const speed = `${seconds.toFixed(1)} s, ${Math.round(rows / seconds)} a second`;
  const head = owner === undefined ? 'Read' : `Enrolled for ${toPrintable(owner.customer)} (${owner.world}), out of`;
  const outcome: [string, string][] =
    owner === undefined
      ? [['usable', `${added}`]]
      : [
          ['new', `${added}`],
          ['already enrolled', `${known}`],
        ];
  print(`${head} ${rows} row${rows === 1 ? '' : 's'} (${speed}):\n`);
  print(printFields([...outcome, ['unusable', `${unusable}`], ['broken lines', `${broken}`]]));
}
