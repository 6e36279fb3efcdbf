// `limen keys`: creates, lists, shows and revokes API keys, and renews the keys of face tokens.
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ApiKeyKind, CreatedApiKey } from '../../platform/api-keys/api-keys.ts';
import { inOrder, MAX_ORIGINS, ORIGIN_NEEDED, originsOf, readOrigin } from '../../platform/api-keys/embed-origins.ts';
import { listApiKeys } from '../../platform/api-keys/store.ts';
import { hasTable } from '../../platform/database/migrate.ts';
import { type Cli, CommandFailure, examples } from '../command.ts';
import { withContext } from '../open-context.ts';
import { withDatabaseForReading } from '../open-for-reading.ts';
import { parseShortText } from '../parse-options.ts';
import { printFields, printTable, printTime } from '../terminal/print-table.ts';
import { addKeysDevelopment } from './development.ts';
import { toKeyRecord } from './key-record.ts';
import { addKeysRotateData } from './rotate-data.ts';
import { addKeysRotateEnrol } from './rotate-enrol.ts';

interface CreateOptions {
  kind: ApiKeyKind;
  label?: string;
  customer?: string;
  apiId?: string;
  usagePlan?: string;
  product?: string;
  embedOrigin?: string[];
  clientCredentials: boolean;
  json?: true;
}

export function addKeysCommands(program: Command, cli: Cli): void {
  const keys = program.command('keys').description('API keys: create, list, revoke; keys of face tokens: rotate');

  keys
    .command('create')
    .description('Create an API key, by default with client credentials, and show its secrets once')
    .addOption(
      new Option('--kind <kind>', 'what the key is for').choices(['live', 'test', 'development']).default('live'),
    )
    .option(
      '--label <text>',
      'name that people recognise it by; the launch page shows it as the one who asks',
      parseShortText,
    )
    .option('--customer <id>', 'customer it belongs to; keys of one customer share what they own', parseShortText)
    .option('--api-id <id>', 'kept in the record as api_id', parseShortText)
    .option('--usage-plan <id>', 'kept in the record as usage_plan_id', parseShortText)
    .option('--product <code>', 'kept in the record as product_code', parseShortText)
    .option(
      '--embed-origin <origin...>',
      'the only sites that may embed its pages, such as https://shop.example',
      addOrigin,
    )
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
    .action((id: string, origins: string[] = []) => limitKey(cli, id, sitesOf(origins)));

  addKeysDevelopment(keys, cli);
  addKeysRotateEnrol(keys, cli);
  addKeysRotateData(keys, cli);
}

async function createKey(cli: Cli, options: CreateOptions): Promise<void> {
  const created = await withContext(cli, async ({ config, apiKeys, ids, record }) => {
    if (options.kind === 'development' && config.production) {
      throw new CommandFailure('Development keys are refused in production; create one with --kind live or test.');
    }
    const id = ids.random();
    await record('key.create', id);
    return apiKeys.create({
      id,
      kind: options.kind,
      clientCredentials: options.clientCredentials,
      ...(options.label !== undefined && { label: options.label }),
      ...(options.customer !== undefined && { customerId: options.customer }),
      ...(options.apiId !== undefined && { apiId: options.apiId }),
      ...(options.usagePlan !== undefined && { usagePlanId: options.usagePlan }),
      ...(options.product !== undefined && { productCode: options.product }),
      ...(options.embedOrigin !== undefined && { embedOrigins: sitesOf(options.embedOrigin) }),
    });
  });
  cli.terminal.print(options.json ? createdAsJson(created) : createdAsText(created, cli));
}

function createdAsJson({ record, apiKey, clientSecret }: CreatedApiKey): string {
  const secrets = { api_key: apiKey, ...(clientSecret !== undefined && { client_secret: clientSecret }) };
  return JSON.stringify({ ...toKeyRecord(record), ...secrets }, null, 2);
}

function createdAsText({ record, apiKey, clientId, clientSecret }: CreatedApiKey, { terminal }: Cli): string {
  const fields: [string, string][] = [
    ['id', record.id],
    ['api key', apiKey],
  ];
  if (clientId !== undefined) fields.push(['client id', clientId]);
  if (clientSecret !== undefined) fields.push(['client secret', clientSecret]);
  const origins = originsOf(record);
  if (origins.length > 0) fields.push(['sites', origins.join(' ')]);
  const warning =
    clientSecret === undefined
      ? 'Store the key now: it is shown only this once.'
      : 'Store key and secret now: they are shown only this once.';
  return `Created a ${record.kind} key.\n\n${printFields(fields)}\n\n${terminal.paint('yellow', warning)}`;
}

async function listKeys(cli: Cli, { json }: { json?: true }): Promise<void> {
  const rows = await withDatabaseForReading(cli, async (database) =>
    database && (await hasTable(database, 'api_keys')) ? listApiKeys(database.queries) : [],
  );
  const { print, paint } = cli.terminal;
  rows.sort((a, b) => a.when_created - b.when_created);
  if (json) return print(JSON.stringify(rows.map(toKeyRecord), null, 2));
  if (rows.length === 0) return print('There are no API keys yet; create one with: limen keys create');
  const columns = [
    { heading: 'ID' },
    { heading: 'KIND' },
    {
      heading: 'STATUS',
      paint: (text: string, status: string) => paint(status === 'active' ? 'green' : 'red', text),
    },
    { heading: 'LABEL' },
    { heading: 'CUSTOMER' },
    { heading: 'CREATED' },
    { heading: 'SITES' },
  ];
  const cells = rows.map((row) => [
    row.id,
    row.kind,
    row.status,
    row.label ?? '-',
    row.customer_id ?? '-',
    printTime(row.when_created),
    originsOf(row).join(' ') || '-',
  ]);
  print(printTable(columns, cells, (text) => paint('bold', text)));
}

async function revokeKey(cli: Cli, id: string): Promise<void> {
  const sentence = await withContext(cli, async ({ apiKeys, record }) => {
    const key = (await apiKeys.list()).find((one) => one.id === id);
    if (!key) throw new CommandFailure('There is no API key with this id; see: limen keys list');
    if (key.status === 'revoked') return `Key ${id} was already revoked.`;
    await record('key.revoke', id);
    await apiKeys.revoke(id);
    return `Revoked key ${id}; requests with it are refused from now on.`;
  });
  cli.terminal.print(sentence);
}

async function limitKey(cli: Cli, id: string, origins: string[]): Promise<void> {
  const found = await withContext(cli, async ({ apiKeys, record }) => {
    if (!(await apiKeys.list()).some((key) => key.id === id)) return false;
    await record('key.origins', id);
    return apiKeys.limitOrigins(id, origins);
  });
  if (!found) throw new CommandFailure('There is no API key with this id; see: limen keys list');
  cli.terminal.print(
    origins.length === 0
      ? `Key ${id} names no sites; FRAME_ANCESTORS decides where its pages may be embedded.`
      : `Pages of key ${id} may be embedded by: ${origins.join(', ')}`,
  );
}

function sitesOf(origins: string[]): string[] {
  const sites = inOrder(origins);
  if (sites.length > MAX_ORIGINS) throw new CommandFailure(`A key can name ${MAX_ORIGINS} sites at most.`);
  return sites;
}

/** Commander gives them one by one. */
function addOrigin(text: string, before: string[] = []): string[] {
  const origin = readOrigin(text);
  if (origin === undefined) throw new InvalidArgumentError(`It ${ORIGIN_NEEDED}.`);
  return [...before, origin];
}
