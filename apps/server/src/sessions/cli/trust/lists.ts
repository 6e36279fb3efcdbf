// `limen trust add-list | sync | lists | known | remove-list`: lists that providers maintain.
import { readFile } from 'node:fs/promises';
import { AnchorError, PROFILES, type ProfileId, readAnchors, readSigners } from '@limen/wallet';
import { type Command, Option } from 'commander';
import { type Cli, CommandError, examples, requireConfig } from '../../../command-line/command.ts';
import { recordBeside } from '../../../command-line/context.ts';
import { describeFailure } from '../../../command-line/terminal/describe-failure.ts';
import { printTable, printTime, toPrintable } from '../../../command-line/terminal/print-table.ts';
import { withoutQuery } from '../../../platform/outbound/error.ts';
import { createListOutbound } from '../../../platform/outbound/lists.ts';
import { formatCount } from '../../../platform/text/count-of.ts';
import { createTrustFolder } from '../../proofs/wallets/trust/folder.ts';
import {
  addTrustList,
  createTrustListStore,
  KNOWN_TRUST_LISTS,
  requireListName,
  type SyncedTrustList,
  sentenceOfTrust,
  syncTrustList,
  TRUST_LIST_FORMATS,
  type TrustList,
  type TrustListFormat,
  type TrustListSource,
  type TrustListTools,
  USUAL_FORMATS,
} from '../../proofs/wallets/trust/lists.ts';

const PICKED_UP = 'A server running on this folder uses it within a few seconds, and refreshes it once a day.';

interface AddListOptions {
  provider: string;
  profile?: ProfileId;
  format?: TrustListFormat;
  serviceType?: string[];
  json?: true;
}

export function addTrustListCommands(trust: Command, cli: Cli): void {
  trust
    .command('add-list')
    .description('Trust the authorities of a list that its provider signs, and follow its changes')
    .argument('<name>', 'name for the list, or of a known one')
    .argument('[address]', 'where the list is; none for a known list')
    .requiredOption('--provider <file>', 'PEM: the authority of a VICAL’s signer, or the signers of a trusted list')
    .addOption(new Option('--profile <profile>', 'what its authorities vouch for').choices(Object.keys(PROFILES)))
    .addOption(new Option('--format <format>', 'if it is not the usual one').choices(TRUST_LIST_FORMATS))
    .option('--service-type <uri...>', 'services of a trusted list that count, in place of the usual ones')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nKnown lists: limen trust known\n')
    .addHelpText(
      'after',
      examples(
        'limen trust add-list us_aamva --provider aamva-root.pem',
        'limen trust add-list age_issuers https://lists.example.eu/tl.xml --profile eu_age --provider operator.pem',
      ),
    )
    .action((name: string, address: string | undefined, options: AddListOptions) =>
      addList(cli, name, address, options),
    );

  trust
    .command('sync')
    .description('Fetch the lists again; one that cannot be believed leaves everything as it was')
    .argument('[name...]', 'only these')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('limen trust sync', 'limen trust sync us_aamva'))
    .action((names: string[], options: { json?: true }) => syncLists(cli, names, options));

  trust
    .command('lists')
    .description('Show the lists that are followed')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('limen trust lists'))
    .action((options: { json?: true }) => showLists(cli, options));

  trust
    .command('known')
    .description('Show the lists that can be added by their name')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('limen trust known'))
    .action(({ json }: { json?: true }) => {
      const { print, paint } = cli.terminal;
      if (json) return print(JSON.stringify(KNOWN_TRUST_LISTS, null, 2));
      const rows = KNOWN_TRUST_LISTS.map((known) => {
        const { name, profile, format, url, providerAt, title } = known;
        return [name, profile, format, url, providerAt, title];
      });
      const headings = ['NAME', 'PROFILE', 'FORMAT', 'ADDRESS', 'PROVIDER', 'LIST'];
      print(printTable(headings, rows, (text) => paint('bold', text)));
    });

  trust
    .command('remove-list')
    .description('Follow a list no longer, and trust none of its authorities')
    .argument('<name>', 'name of the list, as shown by: limen trust lists')
    .addHelpText('after', examples('limen trust remove-list us_aamva'))
    .action((name: string) => removeList(cli, name));
}

async function addList(cli: Cli, name: string, address: string | undefined, options: AddListOptions): Promise<void> {
  const source = await findSource(name, address, options);
  await withTools(cli, async (tools, signal) => {
    const record = () => recordBeside(cli, 'trust.add-list', name);
    const added = await addTrustList(source, { ...tools, record }, signal);
    if (options.json) return cli.terminal.print(JSON.stringify(syncRecord(added), null, 2));
    report(cli, added);
    cli.terminal.print(PICKED_UP);
  });
}

async function findSource(
  name: string,
  address: string | undefined,
  options: AddListOptions,
): Promise<TrustListSource> {
  try {
    requireListName(name);
  } catch (error) {
    throw new CommandError((error as Error).message, { usage: true });
  }
  const known = address === undefined ? KNOWN_TRUST_LISTS.find((list) => list.name === name) : undefined;
  const [url, profile] = [address ?? known?.url, options.profile ?? known?.profile];
  const misuse = (sentence: string) => new CommandError(sentence, { usage: true });
  if (url === undefined) throw misuse('No known list has this name; pass its address, or see: limen trust known');
  if (profile === undefined) throw misuse('Say what the list is for: --profile');
  if (!URL.canParse(url)) throw misuse('The address of the list is not one.');
  const format = options.format ?? known?.format ?? USUAL_FORMATS[profile];
  const provider = await readPemFile(options.provider, async (pem) => {
    await (format === 'vical' ? readAnchors(pem, profile) : readSigners(pem));
    return pem;
  });
  return { name, profile, format, url, provider, ...(options.serviceType && { serviceTypes: options.serviceType }) };
}

async function syncLists(cli: Cli, names: string[], options: { json?: true }): Promise<void> {
  await withTools(cli, async (tools, signal) => {
    const { lists } = await tools.store.read();
    const unknown = names.find((name) => !lists.some((list) => list.name === name));
    if (unknown !== undefined) {
      throw new CommandError(`There is no list ${toPrintable(unknown)}; see: limen trust lists`);
    }
    const wanted = names.length > 0 ? lists.filter(({ name }) => names.includes(name)) : lists;
    if (wanted.length === 0) {
      return cli.terminal.print(options.json ? '[]' : 'No list is followed; add one with: limen trust add-list');
    }
    const synced: SyncedTrustList[] = [];
    for (const list of wanted) {
      try {
        const record = () => recordBeside(cli, 'trust.sync', list.name);
        synced.push(await syncTrustList(list, { ...tools, record }, signal));
      } catch (error) {
        if (signal.aborted) throw error;
        cli.terminal.complain(`${list.name}: ${describeFailure(asCommandFailure(error))}`);
      }
    }
    if (options.json) cli.terminal.print(JSON.stringify(synced.map(syncRecord), null, 2));
    else for (const refreshed of synced) report(cli, refreshed);
    const failed = wanted.length - synced.length;
    if (failed > 0) throw new CommandError(`Not refreshed: ${failed} of ${wanted.length}. They stay as they were.`);
  });
}

async function showLists(cli: Cli, { json }: { json?: true }): Promise<void> {
  const { print, complain, paint } = cli.terminal;
  const { lists, problems } = await createTrustListStore(requireConfig(cli).DATA_DIR).read();
  for (const { file, sentence } of problems) complain(paint('red', `${file}: ${sentence}`));
  if (json) return print(JSON.stringify(lists.map(listRecord), null, 2));
  if (lists.length === 0) return print('No list is followed; add one with: limen trust add-list');
  const rows = lists.map(({ name, profile, format, checkedAt, issuedAt, nextUpdate, url }) => [
    name,
    profile,
    format,
    printTime(Date.parse(checkedAt)),
    printTime(Date.parse(issuedAt)),
    nextUpdate === null ? '-' : printTime(Date.parse(nextUpdate)),
    withoutQuery(url),
  ]);
  const headings = ['NAME', 'PROFILE', 'FORMAT', 'CHECKED', 'ISSUED', 'NEXT UPDATE', 'FROM'];
  print(printTable(headings, rows, (text) => paint('bold', text)));
}

async function removeList(cli: Cli, name: string): Promise<void> {
  const { DATA_DIR } = requireConfig(cli);
  const store = createTrustListStore(DATA_DIR);
  const list = (await store.read()).lists.find((known) => known.name === name);
  if (!list) throw new CommandError('There is no list with this name; see: limen trust lists');
  await recordBeside(cli, 'trust.remove-list', name);
  // First, so that a concurrent refresh does not bring it back.
  await store.remove(name);
  await createTrustFolder(DATA_DIR).replaceList(name, list.profile, []);
  cli.terminal.print(`Removed ${name}; a server running on this folder drops it within a few seconds.`);
}

function report({ terminal }: Cli, synced: SyncedTrustList): void {
  const { list, anchors, added, gone, skipped } = synced;
  const changes = added.length + gone.length === 0 ? 'unchanged' : `${added.length} new, ${gone.length} gone`;
  terminal.print(`${list.name}: ${formatCount(anchors, 'authority', 'authorities')} for ${list.profile} (${changes}).`);
  if (skipped > 0) terminal.complain(`${list.name}: ${skipped} more cannot be used, or have expired.`);
}

function listRecord(list: TrustList) {
  const { name, profile, format, url, checkedAt, issuedAt, nextUpdate, without } = list;
  return { name, profile, format, url: withoutQuery(url), checkedAt, issuedAt, nextUpdate, without };
}

function syncRecord({ list, anchors, added, gone, skipped }: SyncedTrustList) {
  return { ...listRecord(list), anchors, added: added.length, gone: gone.length, skipped };
}

/** Runs `work` with folder, store and network. Ctrl-C aborts it without a change. */
async function withTools(cli: Cli, work: (tools: TrustListTools, signal: AbortSignal) => Promise<void>): Promise<void> {
  const { DATA_DIR } = requireConfig(cli);
  const outbound = createListOutbound();
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const [folder, store] = [createTrustFolder(DATA_DIR), createTrustListStore(DATA_DIR)];
  try {
    await work({ folder, store, outbound, clock: cli.clock }, interrupted.signal);
  } catch (error) {
    if (interrupted.signal.aborted) throw new CommandError('Stopped. The previous version is unchanged.');
    throw asCommandFailure(error);
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    await outbound.close();
  }
}

function asCommandFailure(error: unknown): unknown {
  const sentence = sentenceOfTrust(error);
  return sentence === undefined ? error : new CommandError(sentence);
}

export async function readPemFile<T>(file: string, read: (pem: string) => Promise<T>): Promise<T> {
  const pem = await readFile(file, 'utf8').catch(() => {
    throw new CommandError(`${toPrintable(file)} cannot be read.`);
  });
  return read(pem).catch((error: unknown) => {
    if (error instanceof AnchorError) throw new CommandError(`${toPrintable(file)}: ${error.message}`);
    throw error;
  });
}
