// Tools of the commands about people: the store for commands that only read, and `People` for
// commands that change something.
import { InvalidArgumentError } from 'commander';
import type { Cli } from '../../../command-line/command.ts';
import { withContext } from '../../../command-line/context.ts';
import { withDatabaseForReading } from '../../../command-line/read-only.ts';
import type { ApiKeys } from '../../../platform/api-keys/api-keys.ts';
import type { PersonId, Puid } from '../../../platform/base/ids.ts';
import type { Core } from '../../../platform/core.ts';
import type { Queries } from '../../../platform/database/database.ts';
import { hasTable } from '../../../platform/database/migrate.ts';
import type { Act } from '../../../records/audit/acts.ts';
import type { FaceIndex } from '../../galleries/index/face-index.ts';
import { type ForgetPerson, openPeople } from '../../galleries/open.ts';
import type { People } from '../../galleries/people.ts';
import { createPeopleCensus, type PeopleCensus } from '../../galleries/store/people-census.ts';
import { readVersion } from '../../node/read-request.ts';
import { peopleSettings } from '../../settings.ts';

export interface ReadingTools {
  census: PeopleCensus;
  queries: Queries;
}

/** Counts the passkeys and devices of people. */
export type CountProofs = (
  queries: Queries,
  people: readonly PersonId[],
) => Promise<Record<'passkeys' | 'devices', ReadonlyMap<PersonId, number>>>;

/** Makes what deletes what others keep about a person. */
export type ForgetElsewhere = (context: Core) => ForgetPerson;

export interface PeopleTools {
  people: People;
  /** Not prepared and not loaded: what only deletes needs neither. */
  index: FaceIndex;
  census: PeopleCensus;
  apiKeys: ApiKeys;
  /** Writes the audit record with a digest, so that nothing leads back to a deleted person. */
  record(act: Act, puid: Puid): Promise<void>;
}

/** Opens the people as the server does, runs `work`, and always ends the threads of the index. */
export function withPeople<T>(cli: Cli, forget: ForgetElsewhere, work: (tools: PeopleTools) => Promise<T>): Promise<T> {
  return withContext(cli, async ({ record: recordAct, ...context }) => {
    const { config, database, sealer, apiKeys } = context;
    const opened = openPeople(context, peopleSettings(config), { onRemove: forget(context) });
    const record = (act: Act, puid: Puid) => recordAct(act, sealer.digest('audit/person', puid).toString('base64url'));
    try {
      return await work({ ...opened, census: createPeopleCensus(database), apiKeys, record });
    } finally {
      await opened.index.close();
    }
  });
}

/** For commands that only look; `none` is the answer where nothing was ever enrolled. */
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
