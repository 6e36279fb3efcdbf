// `limen keys`: creates, lists, shows and revokes API keys, and renews the keys of face tokens.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Cli, CommandError, examples } from '../../command-line/command.ts';
import { revealDevelopmentKey, withContext } from '../../command-line/context.ts';
import { parseShortText } from '../../command-line/options.ts';
import { withDatabaseForReading } from '../../command-line/read-only.ts';
import { printFields, printTable, printTime } from '../../command-line/terminal/print-table.ts';
import type { ApiKeyRecord, ApiKeys, CreatedApiKey, NewApiKey } from '../../platform/api-keys/api-keys.ts';
import { inOrder, listOrigins, MAX_ORIGINS, ORIGIN_NEEDED, readOrigin } from '../../platform/api-keys/embed-origins.ts';
import { type KeyTraits, listKeyTraits, NO_TRAITS } from '../../platform/api-keys/key-traits.ts';
import { listApiKeys } from '../../platform/api-keys/store.ts';
import { hasTable } from '../../platform/database/migrate.ts';
import type { Act } from '../../records/audit/acts.ts';

interface CreateOptions extends Partial<KeyTraits>, Pick<NewApiKey, 'kind' | 'label' | 'apiId' | 'clientCredentials'> {
  customer?: string;
  usagePlan?: string;
  product?: string;
  embedOrigin?: string[];
  json?: true;
}

const NATIVE_APP = 'its sessions run in a native app: missing browser data is no reason for a review';
const KIOSK = 'many people use one device or address: bursts of checks are no reason for a review';

export function addKeysCommands(program: Command, cli: Cli): Command {
  const keys = program.command('keys').description('API keys: create, list, revoke; keys of face tokens: rotate');

  keys
    .command('create')
    .description('Create an API key, by default with client credentials, and show its secrets once')
    .addOption(
      new Option('--kind <kind>', 'what the key is for').choices(['live', 'test', 'development']).default('live'),
    )
    .option(
      '--label <text>',
      'name that people recognize it by; the launch page shows it as the one who asks',
      parseShortText,
    )
    .option('--customer <id>', 'customer that owns the key; keys of one customer share their data', parseShortText)
    .option('--api-id <id>', 'kept in the record as api_id', parseShortText)
    .option('--usage-plan <id>', 'kept in the record as usage_plan_id', parseShortText)
    .option('--product <code>', 'kept in the record as product_code', parseShortText)
    .option(
      '--embed-origin <origin...>',
      'the only sites that may embed its pages, such as https://shop.example',
      addOrigin,
    )
    .option('--native-app', NATIVE_APP)
    .option('--kiosk', KIOSK)
    .option('--no-client-credentials', 'create no client id and secret')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('limen keys create --label "Web shop" --customer acme'))
    .action((options: CreateOptions) => createKey(cli, options));

  keys
    .command('list')
    .description('List API keys; the keys themselves are never shown')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('limen keys list'))
    .action((options: { json?: true }) => listKeys(cli, options));

  keys
    .command('revoke')
    .description('Revoke an API key; requests with it are refused from then on')
    .argument('<id>', 'id of the key, as shown by: limen keys list')
    .addHelpText('after', examples('limen keys revoke 5f0c8a52-6a3e-4c55-9d0e-0b6f3f9f2f57'))
    .action((id: string) => revokeKey(cli, id));

  keys
    .command('embed')
    .description('Say which sites may embed the pages of an API key; without any, FRAME_ANCESTORS decides')
    .argument('<id>', 'id of the key, as shown by: limen keys list')
    .argument('[origins...]', 'sites, such as https://shop.example', addOrigin)
    .addHelpText('after', examples('limen keys embed 5f0c8a52-6a3e-4c55-9d0e-0b6f3f9f2f57 https://shop.example'))
    .action((id: string, origins: string[] = []) => limitKey(cli, id, formatOrigins(origins)));

  keys
    .command('mark')
    .description('Change what the sessions of an API key are exempt from; without options, nothing')
    .argument('<id>', 'id of the key, as shown by: limen keys list')
    .option('--native-app', NATIVE_APP)
    .option('--kiosk', KIOSK)
    .addHelpText('after', examples('limen keys mark 5f0c8a52-6a3e-4c55-9d0e-0b6f3f9f2f57 --native-app'))
    .action(async (id: string, options: Partial<KeyTraits>) => {
      const traits = { ...NO_TRAITS, ...options };
      await changeKey(cli, id, 'key.traits', (apiKeys) => apiKeys.setTraits(id, traits));
      cli.terminal.print(`Traits of key ${id}: ${traitNames(traits) || 'none'}`);
    });

  keys
    .command('development')
    .description('Print the development key that npm start shows, and nothing else')
    .addHelpText('after', examples('limen keys development'))
    .action(async () => cli.terminal.print(await withContext(cli, revealDevelopmentKey)));
  return keys;
}

async function createKey(cli: Cli, options: CreateOptions): Promise<void> {
  const { nativeApp = false, kiosk = false } = options;
  const traits = { nativeApp, kiosk };
  const created = await withContext(cli, async ({ config, apiKeys, ids, record }) => {
    if (options.kind === 'development' && config.production) {
      throw new CommandError('Development keys are refused in production; create one with --kind live or test.');
    }
    const id = ids.random();
    await record('key.create', id);
    const { kind, label, customer, apiId, usagePlan, product, embedOrigin, clientCredentials } = options;
    return apiKeys.create({
      ...{ id, kind, label, apiId, clientCredentials, traits: nativeApp || kiosk ? traits : undefined },
      ...{ customerId: customer, usagePlanId: usagePlan, productCode: product },
      embedOrigins: embedOrigin && formatOrigins(embedOrigin),
    });
  });
  const { record, apiKey, clientSecret } = created;
  const asJson = { ...toKeyRecord(record, traits), api_key: apiKey, client_secret: clientSecret };
  cli.terminal.print(options.json ? JSON.stringify(asJson, null, 2) : createdAsText(created, traits, cli));
}

function createdAsText(
  { record, apiKey, clientId, clientSecret }: CreatedApiKey,
  traits: KeyTraits,
  { terminal }: Cli,
): string {
  const fields: [string, string][] = [
    ['id', record.id],
    ['api key', apiKey],
    ['client id', clientId ?? ''],
    ['client secret', clientSecret ?? ''],
    ['sites', listOrigins(record).join(' ')],
    ['traits', traitNames(traits)],
  ];
  const warning =
    clientSecret === undefined
      ? 'Store the key now: it is shown only this once.'
      : 'Store key and secret now: they are shown only this once.';
  return `Created a ${record.kind} key.\n\n${printFields(fields.filter(([, value]) => value !== ''))}\n\n${terminal.paint('yellow', warning)}`;
}

async function listKeys(cli: Cli, { json }: { json?: true }): Promise<void> {
  const { rows, traits } = await withDatabaseForReading(cli, async (database) =>
    database && (await hasTable(database, 'api_keys'))
      ? { rows: await listApiKeys(database.queries), traits: await listKeyTraits(database.queries) }
      : { rows: [], traits: new Map<string, KeyTraits>() },
  );
  const { print, paint } = cli.terminal;
  rows.sort((a, b) => a.when_created - b.when_created);
  if (json) {
    const records = rows.map((row) => toKeyRecord(row, traits.get(row.id)));
    return print(JSON.stringify(records, null, 2));
  }
  if (rows.length === 0) return print('There are no API keys yet; create one with: limen keys create');
  const status = {
    heading: 'STATUS',
    paint: (text: string, value: string) => paint(value === 'active' ? 'green' : 'red', text),
  };
  const columns = ['ID', 'KIND', status, 'LABEL', 'CUSTOMER', 'CREATED', 'SITES', 'TRAITS'];
  const cells = rows.map((row) => [
    row.id,
    row.kind,
    row.status,
    row.label ?? '-',
    row.customer_id ?? '-',
    printTime(row.when_created),
    listOrigins(row).join(' ') || '-',
    traitNames(traits.get(row.id)) || '-',
  ]);
  print(printTable(columns, cells, (text) => paint('bold', text)));
}

async function revokeKey(cli: Cli, id: string): Promise<void> {
  const sentence = await withContext(cli, async ({ apiKeys, record }) => {
    const key = (await apiKeys.list()).find((listed) => listed.id === id);
    if (!key) throw noSuchKey();
    if (key.status === 'revoked') return `Key ${id} was already revoked.`;
    await record('key.revoke', id);
    await apiKeys.revoke(id);
    return `Revoked key ${id}; requests with it are refused from now on.`;
  });
  cli.terminal.print(sentence);
}

async function changeKey(
  cli: Cli,
  id: string,
  act: Act,
  change: (apiKeys: ApiKeys) => Promise<boolean>,
): Promise<void> {
  const isFound = await withContext(cli, async ({ apiKeys, record }) => {
    if (!(await apiKeys.list()).some((key) => key.id === id)) return false;
    await record(act, id);
    return change(apiKeys);
  });
  if (!isFound) throw noSuchKey();
}

function noSuchKey(): CommandError {
  return new CommandError('No API key has this id; see: limen keys list');
}

function traitNames({ nativeApp, kiosk }: KeyTraits = NO_TRAITS): string {
  return [...(nativeApp ? ['native-app'] : []), ...(kiosk ? ['kiosk'] : [])].join(' ');
}

async function limitKey(cli: Cli, id: string, origins: string[]): Promise<void> {
  await changeKey(cli, id, 'key.origins', (apiKeys) => apiKeys.limitOrigins(id, origins));
  cli.terminal.print(
    origins.length === 0
      ? `Key ${id} names no sites; FRAME_ANCESTORS decides where its pages may be embedded.`
      : `Pages of key ${id} may be embedded by: ${origins.join(', ')}`,
  );
}

function formatOrigins(origins: string[]): string[] {
  const sites = inOrder(origins);
  if (sites.length > MAX_ORIGINS) throw new CommandError(`A key can name ${MAX_ORIGINS} sites at most.`);
  return sites;
}

function addOrigin(text: string, before: string[] = []): string[] {
  const origin = readOrigin(text);
  if (origin === undefined) throw new InvalidArgumentError(`It ${ORIGIN_NEEDED}.`);
  return [...before, origin];
}

function toKeyRecord(key: ApiKeyRecord, { nativeApp, kiosk }: KeyTraits = NO_TRAITS): object {
  const fields = {
    id: key.id,
    customer_id: key.customer_id,
    api_id: key.api_id,
    usage_plan_id: key.usage_plan_id,
    product_code: key.product_code,
    status: key.status,
    when_created: new Date(key.when_created).toISOString(),
    last_updated: new Date(key.last_updated).toISOString(),
    kind: key.kind,
    label: key.label,
    client_id: key.client_id,
    embed_origins: listOrigins(key).join(' ') || null,
    native_app: nativeApp || null,
    kiosk: kiosk || null,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
