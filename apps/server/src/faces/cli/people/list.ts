// `limen people list`: shows who is enrolled, newest first and page by page, without anything of their faces or names.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Cli, examples } from '../../../command-line/command.ts';
import { parseShortText } from '../../../command-line/options.ts';
import { printTable, printTime } from '../../../command-line/terminal/print-table.ts';
import { type CustomerId, isUuid, type PersonId } from '../../../platform/base/ids.ts';
import type { World } from '../../../platform/base/world.ts';
import { DEFAULT_PEOPLE_LISTED, MAX_PEOPLE_LISTED } from '../../limits.ts';
import { type CountProofs, parseModelVersion, type ReadingTools, withPeopleForReading } from './tools.ts';

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
    .option('--limit <number>', `people on a page, at most ${MAX_PEOPLE_LISTED}`, parseLimit, DEFAULT_PEOPLE_LISTED)
    .option('--after <cursor>', 'the next page; the previous page ends with the cursor', parseCursor)
    .option('--json', 'print JSON')
    .addHelpText('after', examples('limen people list', 'limen people list --customer acme --limit 200'))
    .action((options: ListOptions) => listPeople(cli, countProofs, options));
}

type ListedPerson = Awaited<ReturnType<typeof readPage>>['people'][number];

async function listPeople(cli: Cli, countProofs: CountProofs, options: ListOptions): Promise<void> {
  const { people, next } = await withPeopleForReading(cli, (tools) => readPage(tools, countProofs, options), {
    people: [],
    next: undefined,
  });
  const { print, complain, paint } = cli.terminal;
  if (options.json) return print(JSON.stringify({ people: people.map(toRecord), next }, null, 2));
  if (people.length === 0) return print(describeNone(options));
  const columns = [
    { heading: 'PUID' },
    { heading: 'CUSTOMER' },
    { heading: 'WORLD' },
    { heading: 'VERSION' },
    { heading: 'LENGTH', align: 'right' as const },
    { heading: 'EMBEDDINGS', align: 'right' as const },
    { heading: 'TOKENS', align: 'right' as const },
    { heading: 'PASSKEYS', align: 'right' as const },
    { heading: 'DEVICES', align: 'right' as const },
    { heading: 'CREATED' },
  ];
  const rows = people.map((person) => [
    person.puid,
    person.customer,
    person.world,
    person.model_version,
    ...[person.dimensions, person.enroll_level, person.tokens, person.passkeys, person.devices].map(String),
    printTime(person.created_at),
  ]);
  print(printTable(columns, rows, (text) => paint('bold', text)));
  if (next !== undefined) complain(`There are more: ${commandFor(options, next)}`);
}

/** Reads a page, and where the next one begins if there is one. */
async function readPage({ census, queries }: ReadingTools, countProofs: CountProofs, options: ListOptions) {
  const { customer, world, modelVersion, limit, after: before } = options;
  // One more than is shown tells whether there is another page.
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
  if (after !== undefined) return 'There is nobody after that.';
  return customer === undefined && world === undefined && modelVersion === undefined
    ? 'Nobody is enrolled yet.'
    : 'Nobody who is enrolled matches; leave out --customer, --world and --model-version to list everybody.';
}

/** The call that shows the next page. */
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

function parseLimit(text: string): number {
  const number = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > MAX_PEOPLE_LISTED) {
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX_PEOPLE_LISTED}.`);
  }
  return number;
}

function parseCursor(text: string): string {
  if (!isUuid(text)) throw new InvalidArgumentError('It must be the cursor that the previous page ended with.');
  return text;
}
