// `limen people import`: enrolls the people of a JSON Lines file, with or without a running server.
import { addAbortSignal } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { DEFAULT_VERSION } from '@limen/contract';
import { type Command, Option } from 'commander';
import { type Cli, CommandError, CommandExitError, examples } from '../../../command-line/command.ts';
import { type Input, openInput } from '../../../command-line/input.ts';
import { withInterrupt } from '../../../command-line/interrupt.ts';
import { parseShortText } from '../../../command-line/options.ts';
import { printFields, toPrintable } from '../../../command-line/terminal/print-table.ts';
import { type ProgressState, progressOnTerminal } from '../../../command-line/terminal/progress.ts';
import type { ApiKeys } from '../../../platform/api-keys/api-keys.ts';
import { isSameOwner, type Owner, ownerColumns, ownerFrom, toOwner } from '../../../platform/api-keys/owner.ts';
import { isUnavailable } from '../../../platform/base/database-failures.ts';
import { AppError } from '../../../platform/base/errors.ts';
import type { CustomerId } from '../../../platform/base/ids.ts';
import type { World } from '../../../platform/base/world.ts';
import { readLines } from '../../../platform/files/lines.ts';
import type { People } from '../../galleries/people.ts';
import { ENROLL_ATTEMPTS, MAX_IMPORT_LINE_BYTES, MAX_IMPORT_PROBLEMS, restAfterAttemptMs } from '../../limits.ts';
import { type PersonRow, readRow } from './import-row.ts';
import { type CreateForgetPerson, parseModelVersion, withPeople } from './tools.ts';

/** Some lines were not imported. */
const EXIT_INCOMPLETE = 4;
const DRAW_MS = 250;
/** Concurrent enrollments. On SQLite, 8 commits share an fsync, and 32 are no faster. */
const MAX_IN_FLIGHT = 8;
/** An enrollment searches again if more than 256 embeddings commit in the meantime. */
const MAX_EMBEDDINGS_IN_FLIGHT = 128;

interface ImportOptions {
  keyId?: string;
  customer?: CustomerId;
  world?: World;
  modelVersion: string;
  dryRun?: true;
  json?: true;
}

export function addPeopleImport(people: Command, cli: Cli, forget: CreateForgetPerson): void {
  people
    .command('import')
    .description('Enroll the people in a JSON Lines file; those already enrolled are not added again')
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
    .option('--dry-run', 'only read and count, without enrolling')
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

async function importPeople(cli: Cli, forget: CreateForgetPerson, file: string, options: ImportOptions): Promise<void> {
  requireOneOwner(options);
  const input = await openInput(file);
  try {
    if (options.dryRun) return await importInput(cli, input, options);
    await withPeople(cli, forget, async ({ apiKeys, index, people }) => {
      const owner = await findOwner(cli, apiKeys, options);
      await index.prepare();
      await importInput(cli, input, options, { people, owner });
    });
  } finally {
    input.stream.destroy();
  }
}

const noCounts = () => ({
  added: 0,
  /** People enrolled before, or by an earlier line */
  known: 0,
  unusable: 0,
  broken: 0,
  bytes: 0,
  problems: [] as { line: number; reason: string }[],
});

type ImportCounts = ReturnType<typeof noCounts>;

/** Without `to`, lines are only read and counted. */
async function importInput(
  cli: Cli,
  { stream, size }: Input,
  options: ImportOptions,
  to?: { people: People; owner: Owner },
): Promise<void> {
  const counts = noCounts();
  const started = performance.now();
  const progress = progressOnTerminal();
  const drawing = setInterval(() => progress.show(describeState(counts, size, performance.now() - started)), DRAW_MS);
  const enroll = to ? (row: PersonRow) => enrollRow(to.people, to.owner, row) : async () => true;
  try {
    await withInterrupt(async (signal) => {
      await runImport(addAbortSignal(signal, stream), options.modelVersion, enroll, signal, counts);
      if (signal.aborted) throw new CommandError('Stopped. Run it again to continue; no one is added twice.');
    });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new CommandError(`Stopped: ${error.message}`);
  } finally {
    clearInterval(drawing);
    progress.clear();
    report(cli, counts, options, to?.owner, (performance.now() - started) / 1000);
  }
  if (counts.unusable + counts.broken > 0) throw new CommandExitError(EXIT_INCOMPLETE);
}

/** Throws a failure after the running enrollments have ended. Returns if `signal` is aborted. */
async function runImport(
  input: AsyncIterable<Buffer>,
  defaultVersion: string,
  enroll: (row: PersonRow) => Promise<boolean>,
  signal: AbortSignal,
  counts: ImportCounts,
): Promise<void> {
  const inFlight = new Set<Promise<void>>();
  let embeddingsInFlight = 0;
  let failure: { error: unknown } | undefined;

  const hasRoomFor = (row: PersonRow) =>
    inFlight.size === 0 ||
    (inFlight.size < MAX_IN_FLIGHT && embeddingsInFlight + row.vectors.length <= MAX_EMBEDDINGS_IN_FLIGHT);
  const begin = (row: PersonRow) => {
    embeddingsInFlight += row.vectors.length;
    const task = enroll(row)
      .then((isNew) => {
        counts[isNew ? 'added' : 'known'] += 1;
      })
      .catch((error) => {
        failure ??= { error };
      })
      .finally(() => {
        embeddingsInFlight -= row.vectors.length;
        inFlight.delete(task);
      });
    inFlight.add(task);
  };

  try {
    for await (const line of readLines(input, MAX_IMPORT_LINE_BYTES)) {
      const row = readRow(line, defaultVersion);
      counts.bytes = line.end;
      if (row.kind === 'person') {
        while (!hasRoomFor(row)) await Promise.race(inFlight);
        if (failure || signal.aborted) break;
        begin(row);
      } else if (row.kind !== 'empty') {
        counts[row.kind] += 1;
        if (counts.problems.length < MAX_IMPORT_PROBLEMS)
          counts.problems.push({ line: line.number, reason: row.reason });
      }
    }
  } catch (error) {
    // The abort itself destroys the input.
    if (!signal.aborted) failure ??= { error };
  }
  await Promise.all(inFlight);
  if (failure) throw failure.error;
}

/** Returns true if the person is new. */
export async function enrollRow(people: People, owner: Owner, row: PersonRow): Promise<boolean> {
  const { vectors, modelVersion, identifier } = row;
  const identifierDigest = identifier === undefined ? undefined : people.digestIdentifier(owner, identifier);
  for (let attempt = 1; ; attempt++) {
    try {
      return (await people.enrol({ owner, modelVersion, vectors, identifierDigest })).isNew;
    } catch (error) {
      const mayPass = isUnavailable(error) || (error instanceof AppError && error.code === 'unavailable');
      if (!mayPass || attempt === ENROLL_ATTEMPTS) throw error;
      await wait(restAfterAttemptMs(attempt));
    }
  }
}

function requireOneOwner({ keyId, customer, world, dryRun }: ImportOptions): void {
  if (keyId !== undefined && customer !== undefined) {
    throw new CommandError('Name the customer with either --key-id or --customer.', { usage: true });
  }
  if (keyId !== undefined && world !== undefined) {
    throw new CommandError('A key has its own world: use --world only with --customer.', { usage: true });
  }
  if (keyId === undefined && customer === undefined && !dryRun) {
    throw new CommandError('Name the customer: --customer ID, or --key-id with the id of one of their API keys.', {
      usage: true,
    });
  }
}

async function findOwner(cli: Cli, apiKeys: ApiKeys, { keyId, customer, world }: ImportOptions): Promise<Owner> {
  const keys = await apiKeys.list();
  if (customer !== undefined) {
    const owner = ownerFrom({ customer, world: world ?? 'live' });
    if (!keys.some((key) => key.status === 'active' && isSameOwner(toOwner(key), owner))) {
      cli.terminal.complain(
        `This customer has no active ${owner.world} API key, so these people cannot be found yet. Create one with: limen keys create`,
      );
    }
    return owner;
  }
  const key = keys.find(({ id }) => id === keyId);
  if (!key) throw new CommandError('No API key has this id; see: limen keys list');
  if (key.status !== 'active') {
    throw new CommandError('This API key is revoked. Name another of the customer’s keys, or use --customer.');
  }
  return toOwner(key);
}

function countRows({ added, known, unusable, broken }: ImportCounts): number {
  return added + known + unusable + broken;
}

function describeState(counts: ImportCounts, size: number | undefined, elapsedMs: number): ProgressState {
  const rows = countRows(counts);
  // The first enrollment waits until its gallery has been read.
  const label = rows === 0 ? 'Reading the faces already enrolled' : 'Importing';
  if (size === undefined) return { label, done: rows, unit: 'rows' };
  const rate = `${Math.round((rows / elapsedMs) * 1000)} rows/s`;
  return { label, done: counts.bytes, total: size, unit: 'bytes', note: `${rows} rows`, rate };
}

function report(cli: Cli, counts: ImportCounts, options: ImportOptions, owner: Owner | undefined, seconds: number) {
  const { print, complain, paint } = cli.terminal;
  const { added, known, unusable, broken, problems } = counts;
  if (options.json) {
    const outcome = options.dryRun
      ? { usable: added }
      : { ...(owner && ownerColumns(owner)), new: added, alreadyEnrolled: known };
    return print(JSON.stringify({ ...outcome, unusable, broken, problems }, null, 2));
  }
  for (const { line, reason } of problems) complain(paint('yellow', `Line ${line}: ${toPrintable(reason)}`));
  const unnamed = unusable + broken - problems.length;
  if (unnamed > 0) complain(paint('yellow', `And ${unnamed} more.`));
  const rows = countRows(counts);
  const speed = `${seconds.toFixed(1)} s, ${Math.round(rows / seconds)} a second`;
  const head = owner ? `Enrolled for ${toPrintable(owner.customer)} (${owner.world}), out of` : 'Read';
  const outcome = owner ? { new: added, 'already enrolled': known } : { usable: added };
  const fields = Object.entries({ ...outcome, unusable, 'broken lines': broken });
  print(`${head} ${rows} row${rows === 1 ? '' : 's'} (${speed}):\n`);
  print(printFields(fields.map(([name, count]) => [name, `${count}`])));
}
