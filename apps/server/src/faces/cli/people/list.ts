// `limen people list`: lists enrolled people page by page, newest first, without data of their faces or names.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Cli, examples } from '../../../command-line/command.ts';
import { parseShortText, parseUpTo } from '../../../command-line/options.ts';
import { printTable, printTime } from '../../../command-line/terminal/print-table.ts';
import { type CustomerId, isUuid, type PersonId } from '../../../platform/base/ids.ts';
import type { World } from '../../../platform/base/world.ts';
import { DEFAULT_PEOPLE_LISTED, MAX_PEOPLE_LISTED } from '../../limits.ts';
import { type CountProofs, countColumn, parseModelVersion, type ReadingTools, withPeopleForReading } from './tools.ts';

interface ListOptions {
  customer?: CustomerId;
  world?: World;
  modelVersion?: string;
  limit: number;
  after?: PersonId;
  json?: true;
}

export function addPeopleList(people: Command, cli: Cli, countProofs: CountProofs): void {
  people
    .command('list')
    .description('List enrolled people, newest first; never their faces or the names that callers gave them')
    .option('--customer <id>', 'only people of this customer', parseShortText)
    .addOption(new Option('--world <world>', 'only people of this world').choices(['live', 'test']))
    .option('--model-version <version>', 'only people enrolled with this face model', parseModelVersion)
    .option(
      '--limit <number>',
      `people on a page, at most ${MAX_PEOPLE_LISTED}`,
      parseUpTo(MAX_PEOPLE_LISTED),
      DEFAULT_PEOPLE_LISTED,
    )
    .option('--after <cursor>', 'cursor of the next page, printed at the end of the previous one', parseCursor)
    .option('--json', 'print JSON')
    .addHelpText('after', examples('limen people list', 'limen people list --customer acme --limit 200'))
    .action((options: ListOptions) => listPeople(cli, countProofs, options));
}

type ListedPerson = Awaited<ReturnType<typeof readPage>>['people'][number];

const COLUMNS = [
  { heading: 'PUID', cell: (person: ListedPerson): string => person.puid },
  { heading: 'CUSTOMER', cell: ({ customer }: ListedPerson) => customer },
  { heading: 'WORLD', cell: ({ world }: ListedPerson) => world },
  { heading: 'VERSION', cell: (person: ListedPerson) => person.model_version },
  countColumn('LENGTH', ({ dimensions }: ListedPerson) => dimensions),
  countColumn('EMBEDDINGS', (person: ListedPerson) => person.enroll_level),
  countColumn('TOKENS', ({ tokens }: ListedPerson) => tokens),
  countColumn('PASSKEYS', ({ passkeys }: ListedPerson) => passkeys),
  countColumn('DEVICES', ({ devices }: ListedPerson) => devices),
  { heading: 'CREATED', cell: (person: ListedPerson) => printTime(person.created_at) },
];

async function listPeople(cli: Cli, countProofs: CountProofs, options: ListOptions): Promise<void> {
  const { people, next } = await withPeopleForReading(cli, (tools) => readPage(tools, countProofs, options), {
    people: [],
    next: undefined,
  });
  const { print, complain, paint } = cli.terminal;
  if (options.json) return print(JSON.stringify({ people: people.map(toRecord), next }, null, 2));
  if (people.length === 0) return print(describeNone(options));
  const rows = people.map((person) => COLUMNS.map(({ cell }) => cell(person)));
  print(printTable(COLUMNS, rows, (text) => paint('bold', text)));
  if (next !== undefined) complain(`There are more: ${commandFor(options, next)}`);
}

async function readPage({ census, queries }: ReadingTools, countProofs: CountProofs, options: ListOptions) {
  const { customer, world, modelVersion, limit, after: before } = options;
  const rows = await census.listPeople({ customer, world, modelVersion, before, limit: limit + 1 });
  const shown = rows.slice(0, limit);
  const ids = shown.map(({ id }) => id);
  const { passkeys, devices } = await countProofs(queries, ids);
  const people = shown.map((person) => ({
    ...person,
    passkeys: passkeys.get(person.id) ?? 0,
    devices: devices.get(person.id) ?? 0,
  }));
  return { people, next: rows.length > limit ? people.at(-1)?.id : undefined };
}

function toRecord(person: ListedPerson) {
  const { puid, customer, world, dimensions, tokens, passkeys, devices } = person;
  return {
    ...{ puid, customer, world, modelVersion: person.model_version, dimensions, enrollLevel: person.enroll_level },
    ...{ tokens, passkeys, devices, createdAt: new Date(person.created_at).toISOString() },
  };
}

function describeNone({ customer, world, modelVersion, after }: ListOptions): string {
  if (after !== undefined) return 'There are no more people.';
  return customer === undefined && world === undefined && modelVersion === undefined
    ? 'No one is enrolled yet.'
    : 'No enrolled person matches; omit --customer, --world and --model-version to list everyone.';
}

function commandFor({ customer, world, modelVersion, limit }: ListOptions, next: string): string {
  const options = [
    ...(customer === undefined ? [] : ['--customer', quoteForShell(customer)]),
    ...(world === undefined ? [] : ['--world', world]),
    ...(modelVersion === undefined ? [] : ['--model-version', modelVersion]),
    ...(limit === DEFAULT_PEOPLE_LISTED ? [] : ['--limit', `${limit}`]),
  ];
  return ['limen people list', ...options, '--after', next].join(' ');
}

function quoteForShell(text: string): string {
  return /^[\w.@:/+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function parseCursor(text: string): string {
  if (!isUuid(text)) throw new InvalidArgumentError('It must be the cursor that the previous page ended with.');
  return text;
}
