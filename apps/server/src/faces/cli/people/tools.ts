// Opens what the commands about people need: the census for reading, and `People` for changes.
import { InvalidArgumentError } from 'commander';
import type { Cli } from '../../../command-line/command.ts';
import { type CommandContext, withContext } from '../../../command-line/context.ts';
import { withDatabaseForReading } from '../../../command-line/read-only.ts';
import type { PersonId, Puid } from '../../../platform/base/ids.ts';
import type { Core } from '../../../platform/core.ts';
import type { Queries } from '../../../platform/database/database.ts';
import { hasTable } from '../../../platform/database/migrate.ts';
import type { Act } from '../../../records/audit/acts.ts';
import { type ForgetPerson, openPeople } from '../../galleries/open.ts';
import { createPeopleCensus, type PeopleCensus } from '../../galleries/store/people-census.ts';
import { readVersion } from '../../node/read-request.ts';
import { peopleSettings } from '../../settings.ts';

export interface ReadingTools {
  census: PeopleCensus;
  queries: Queries;
}

export type CountProofs = (
  queries: Queries,
  people: readonly PersonId[],
) => Promise<Record<'passkeys' | 'devices', ReadonlyMap<PersonId, number>>>;

export type CreateForgetPerson = (context: Core) => ForgetPerson;

type PeopleTools = ReturnType<typeof openTools>;

function openTools(context: CommandContext, forget: CreateForgetPerson) {
  const { config, database, sealer, apiKeys } = context;
  return {
    /** Has an index that is neither prepared nor loaded, because deletions need neither. */
    ...openPeople(context, peopleSettings(config), { onRemove: forget(context) }),
    census: createPeopleCensus(database),
    apiKeys,
    /** Writes the audit record with a digest, so that nothing leads back to a deleted person. */
    record: (act: Act, puid: Puid) => context.record(act, sealer.digest('audit/person', puid).toString('base64url')),
  };
}

/** Opens the people as the server does, and always ends the threads of the index. */
export function withPeople<T>(
  cli: Cli,
  forget: CreateForgetPerson,
  work: (tools: PeopleTools) => Promise<T>,
): Promise<T> {
  return withContext(cli, async (context) => {
    const tools = openTools(context, forget);
    try {
      return await work(tools);
    } finally {
      await tools.index.close();
    }
  });
}

/** Opens the census without keys. Returns `none` if nothing was ever enrolled. */
export function withPeopleForReading<T>(cli: Cli, look: (tools: ReadingTools) => Promise<T>, none: T): Promise<T> {
  return withDatabaseForReading(cli, async (database) => {
    if (!database || !(await hasTable(database, 'galleries'))) return none;
    return look({ census: createPeopleCensus(database), queries: database.queries });
  });
}

export function parseModelVersion(text: string): string {
  try {
    return readVersion(text);
  } catch {
    throw new InvalidArgumentError('It must be 1 to 32 capital letters, digits or underscores, such as FACE3_1.');
  }
}

export function countColumn<Row>(heading: string, count: (row: Row) => number | string | null) {
  return { heading, align: 'right' as const, cell: (row: Row) => `${count(row)}` };
}
