// `limen datasets`: loads sanctions lists, refreshes, compares, lists and removes them.
import { LIST_FORMATS } from '@limen/screening';
import { type Command, Option } from 'commander';
import { type Cli, CommandError, examples, requireConfig } from '../../../command-line/command.ts';
import { recordBeside } from '../../../command-line/context.ts';
import { withInterrupt } from '../../../command-line/interrupt.ts';
import { parseCount } from '../../../command-line/options.ts';
import { withDatabaseForReading } from '../../../command-line/read-only.ts';
import { describeFailure } from '../../../command-line/terminal/describe-failure.ts';
import { type ProgressLine, type ProgressState, progressOnTerminal } from '../../../command-line/terminal/progress.ts';
import { hasTable } from '../../../platform/database/migrate.ts';
import { OutboundError } from '../../../platform/outbound/error.ts';
import { createListOutbound } from '../../../platform/outbound/lists.ts';
import { countEntities } from '../../../platform/text/count-of.ts';
import { createDatasetFolder, type DatasetFolder, examineLists } from '../../lists/folder/folder.ts';
import { withDatasetLock } from '../../lists/folder/lock.ts';
import { DatasetError, explainReserved, requireDatasetName } from '../../lists/folder/names.ts';
import { readAgreed } from '../../lists/shared/lists.ts';
import { describeProblem, type SyncOutcome, type SyncStep } from '../../lists/sync/files.ts';
import { KNOWN_LISTS } from '../../lists/sync/known-lists.ts';
import { type DatasetTools, loadLocal, loadRemote, type SyncOptions, syncDataset } from '../../lists/sync/sync.ts';
import { LOST } from '../../subjects/lists/find-news.ts';
import { WorkedLists } from '../../subjects/worked-lists.ts';
import * as output from './print.ts';
import { findPlace, type SourceOptions } from './source.ts';

const PICKED_UP = 'A server running on this folder uses it within a few seconds.';
const SHARED =
  'A server running on this folder picks it up within a few seconds and shares it with all machines of the database. Without a running server, the list stays in this folder.';
const LICENSE = `
Known lists that come from their publishers may be used freely. Data of OpenSanctions is free for non-commercial use
only; a business needs their license: https://www.opensanctions.org/licensing/
`;

interface LoadOptions {
  force?: true;
  problems?: true;
}

type AddOptions = SourceOptions & LoadOptions;

const BY_FILE =
  'If this machine cannot reach it, fetch the list elsewhere and name its files: limen datasets add NAME FILE…';

export function addDatasetsCommands(program: Command, cli: Cli): void {
  const datasets = program.command('datasets').description('Sanctions lists: add, sync, diff, list, known, remove');
  const problemsOption = new Option(
    '--problems',
    'show everything that could not be used, not only the first problems',
  );
  datasets
    .command('add')
    .description('Load a list, or replace it; the old one stays in use until the new one is complete')
    .argument('<name>', 'name for the list, such as us_ofac_sdn')
    .argument('[source...]', 'file, address, or the files or folder of OFAC’s list; none for a known list')
    .addOption(new Option('--format <format>', 'format of the list, if it is not recognized').choices(LIST_FORMATS))
    .option('--aliases <file>', 'alt.csv of OFAC’s list')
    .option('--addresses <file>', 'add.csv of OFAC’s list')
    .option('--comments <file>', 'sdn_comments.csv of OFAC’s list')
    .option('--opensanctions [dataset]', 'take it from OpenSanctions, where it has this name or the same one')
    .addOption(problemsOption)
    .option('--force', 'load it even if it lost more than half of its entities or seems truncated')
    .addHelpText('after', `\nKnown lists: limen datasets known\n${LICENSE}`)
    .addHelpText(
      'after',
      examples(
        'limen datasets add us_ofac_sdn',
        'limen datasets add us_ofac_sdn sdn.csv alt.csv add.csv',
        'limen datasets add house_list https://lists.example.com/targets.simple.csv',
        'limen datasets add os_default --opensanctions default',
      ),
    )
    .action((name: string, sources: string[], options: AddOptions) => addDataset(cli, name, sources, options));
  datasets
    .command('sync')
    .description('Refresh the lists that came from an address; fetches only what has changed')
    .argument('[name...]', 'only these; a known list that is not loaded yet is added')
    .addOption(problemsOption)
    .option('--force', 'fetch and load everything again, even a list that lost more than half or seems truncated')
    .addHelpText('after', examples('limen datasets sync', 'limen datasets sync us_ofac_sdn'))
    .action((names: string[], options: LoadOptions) => syncDatasets(cli, names, options));
  datasets
    .command('list')
    .description('List what is loaded')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('limen datasets list'))
    .action((options: { json?: true }) => listDatasets(cli, options));
  datasets
    .command('diff')
    .description('Show what changed from the last version of a list to this one')
    .argument('<name>', 'name of the list, as shown by: limen datasets list')
    .addOption(new Option('--limit <n>', 'how many changes of each kind to show').argParser(parseCount).default(20))
    .option('--json', 'print all of them as JSON, with what each field was and is')
    .addHelpText('after', examples('limen datasets diff us_ofac_sdn', 'limen datasets diff us_ofac_sdn --json'))
    .action(async (name: string, { limit, json }: { limit: number; json?: true }) => {
      requireListName(name);
      await (json
        ? output.printDifferenceAsJson(cli.terminal, openFolder(cli), name)
        : output.printDifference(cli.terminal, openFolder(cli), name, limit)
      ).catch(throwCommandFailure);
    });
  datasets
    .command('known')
    .description('List what can be added by its name alone')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('limen datasets known'))
    .action(({ json }: { json?: true }) => {
      const { print, paint } = cli.terminal;
      print(
        json
          ? JSON.stringify(KNOWN_LISTS.map(output.knownRecord), null, 2)
          : `${output.printKnown(KNOWN_LISTS, paint)}\n${LICENSE}`,
      );
    });
  datasets
    .command('remove')
    .description('Remove a list and stop screening against it')
    .argument('<name>', 'name of the list, as shown by: limen datasets list')
    .addHelpText('after', examples('limen datasets remove house_list'))
    .action((name: string) => removeDataset(cli, name));
}

async function addDataset(cli: Cli, name: string, sources: string[], options: AddOptions): Promise<void> {
  requireName(name);
  const place = await findPlace(name, sources, options);
  await withDatasetTools(cli, options, async (tools, sync, progress) => {
    const recorded = recordFirst(tools, () => recordBeside(cli, 'dataset.add', name));
    const load = () =>
      place.kind === 'remote'
        ? loadRemote(name, place.remote, recorded, sync)
        : loadLocal(name, { ...place, format: options.format }, recorded, sync);
    const { info } = await reportLoad(cli, { progress, ...options }, load).catch((error: unknown) => {
      const isUnanswered = error instanceof OutboundError && ['unreachable', 'timeout'].includes(error.code);
      throw isUnanswered ? new CommandError(`${error.message} ${BY_FILE}`) : error;
    });
    if (info.format === 'ofac-csv' && place.kind === 'local' && place.files.aliases === undefined) {
      cli.terminal.complain('Without alt.csv the list has no aliases: people are found under their main name only.');
    }
  });
}

async function syncDatasets(cli: Cli, names: string[], options: LoadOptions): Promise<void> {
  for (const name of names) requireListName(name);
  await withDatasetTools(cli, options, async (tools, sync, progress) => {
    const refreshable = (await tools.folder.remembered()).filter(({ sync }) => sync !== undefined);
    const wanted = names.length > 0 ? names : refreshable.map(({ name }) => name);
    if (wanted.length === 0) {
      cli.terminal.print('No list came from an address; load one with: limen datasets add us_ofac_sdn');
      return;
    }
    let failed = 0;
    for (const name of wanted) {
      try {
        const recorded = recordFirst(tools, () => recordBeside(cli, 'dataset.sync', name));
        await reportLoad(cli, { progress, ...options }, () => syncDataset(name, recorded, sync));
      } catch (error) {
        if (sync.signal.aborted) throw error;
        failed += 1;
        cli.terminal.complain(`${name}: ${describeProblem(error) ?? describeFailure(error)}`);
      }
    }
    if (failed > 0) throw new CommandError(`Not refreshed: ${failed} of ${wanted.length}. They stay as they were.`);
  });
}

/** Records the act before the list changes, and not if the list could not be fetched or is refused. */
function recordFirst(tools: DatasetTools, record: () => Promise<void>): DatasetTools {
  const { folder } = tools;
  return {
    ...tools,
    folder: {
      ...folder,
      replace: (...args) => record().then(() => folder.replace(...args)),
      noteSync: (...args) => record().then(() => folder.noteSync(...args)),
    },
  };
}

async function reportLoad(
  cli: Cli,
  { progress, problems: all = false }: { problems?: boolean; progress: ProgressLine },
  load: () => Promise<SyncOutcome>,
): Promise<SyncOutcome> {
  const { terminal } = cli;
  const started = performance.now();
  const outcome = await load();
  progress.clear();
  const { info } = outcome;
  if (outcome.state === 'unchanged') {
    terminal.print(`${info.name} is up to date (version ${info.version}, ${countEntities(info.entityCount)}).`);
    return outcome;
  }
  const { report, how, fallback } = outcome;
  const problems = output.printProblems(report, all);
  if (problems !== undefined) terminal.complain(terminal.paint('yellow', problems));
  if (fallback !== undefined) terminal.complain(`Fetched the whole list instead of its changes: ${fallback}`);
  terminal.print(output.printLoaded(info, report, performance.now() - started));
  if (how === 'deltas') terminal.print('\nOnly the changes since the last version were fetched.');
  terminal.print(`\n${requireConfig(cli).DATABASE_URL === undefined ? PICKED_UP : SHARED}`);
  if (info.previous) terminal.print(`To see the changes: limen datasets diff ${info.name}`);
  return outcome;
}

async function listDatasets(cli: Cli, { json }: { json?: true }): Promise<void> {
  const { print, complain, paint } = cli.terminal;
  const { sound: infos, problems } = await examineLists(openFolder(cli), 'head');
  for (const problem of problems) complain(paint('red', problem));
  if (json) return print(JSON.stringify(infos.map(output.datasetRecord), null, 2));
  if (infos.length > 0) return print(output.printDatasets(infos, paint));
  print('There is only the fictional demo list; load a real one with: limen datasets add us_ofac_sdn');
}

async function removeDataset(cli: Cli, name: string): Promise<void> {
  requireListName(name);
  const folder = openFolder(cli);
  const isThere =
    (await folder.survey()).some((list) => list.name === name) ||
    (await missingLists(cli)).includes(name) ||
    typeof (await readAgreed(folder.path)).get(name)?.sum === 'string'; // other machines have it
  if (!isThere) throw new CommandError('There is no list with this name; see: limen datasets list');
  await recordBeside(cli, 'dataset.remove', name);
  await withDatasetLock(folder.path, name, () => folder.remove(name)).catch(throwCommandFailure);
  cli.terminal.print(`Removed ${name}; a server running on this folder drops it within a few seconds.`);
  cli.terminal.print(
    'Its hits end. Watched subjects without another list are no longer screened: limen subjects list --state no_list',
  );
}

/** Returns the missing lists of watched subjects, as after a restore. */
function missingLists(cli: Cli): Promise<string[]> {
  return withDatabaseForReading(cli, async (database) => {
    if (!database || !(await hasTable(database, 'watched_lists'))) return [];
    return (await new WorkedLists(database).all()).filter(({ begun }) => begun === LOST).map(({ name }) => name);
  });
}

function openFolder(cli: Cli): DatasetFolder {
  return createDatasetFolder(requireConfig(cli).DATA_DIR);
}

function requireListName(name: string): void {
  const reserved = explainReserved(name);
  if (reserved !== undefined) throw new CommandError(reserved, { usage: true });
  requireName(name);
}

function requireName(name: string): void {
  try {
    requireDatasetName(name);
  } catch (error) {
    throw new CommandError((error as Error).message, { usage: true });
  }
}

function withDatasetTools<T>(
  cli: Cli,
  { force = false, problems: all = false }: { force?: boolean; problems?: boolean },
  work: (tools: DatasetTools, sync: SyncOptions & { signal: AbortSignal }, progress: ProgressLine) => Promise<T>,
): Promise<T> {
  const outbound = createListOutbound();
  const progress = progressOnTerminal();
  return withInterrupt(async (signal) => {
    const sync = { force, signal, onStep: (step: SyncStep) => progress.show(describeStep(step)) };
    try {
      return await work({ folder: openFolder(cli), outbound, clock: cli.clock }, sync, progress);
    } catch (error) {
      progress.clear();
      if (signal.aborted) throw new CommandError('Stopped. The previous version is unchanged.');
      const problems = error instanceof DatasetError && output.printProblems({ problems: [...error.problems] }, all);
      if (problems) cli.terminal.complain(problems);
      return throwCommandFailure(error);
    } finally {
      await outbound.close();
    }
  });
}

function throwCommandFailure(error: unknown): never {
  const sentence = describeProblem(error);
  throw sentence === undefined ? error : new CommandError(sentence);
}

function describeStep(step: SyncStep): ProgressState {
  if (step.step === 'download') {
    return { label: `Fetching ${step.file}`, done: step.received, total: step.expected, unit: 'bytes' };
  }
  const { bytesRead, bytesTotal, entities } = step;
  const label = bytesRead < bytesTotal ? 'Reading' : 'Indexing';
  return { label, done: bytesRead, total: bytesTotal, unit: 'bytes', note: countEntities(entities) };
}
