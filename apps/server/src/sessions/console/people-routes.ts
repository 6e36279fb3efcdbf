// Calls on people: stored data, export, deletion, and the retention settings.
import { Type } from 'typebox';
import { Answer, type Console } from '../../console/door/console.ts';
import type { People } from '../../faces/galleries/people.ts';
import { ownerColumns, ownerFrom } from '../../platform/api-keys/owner.ts';
import { AppError } from '../../platform/base/errors.ts';
import { isUuid, named, type Puid } from '../../platform/base/ids.ts';
import { SERVICE, VERSION } from '../../platform/base/version.ts';
import type { Context } from '../../platform/context.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Signing } from '../../signing/sign.ts';

/** Puids identify people: they are sent in bodies, never in addresses. */
const Wanted = Type.Object({ puid: Type.String({ minLength: 1, maxLength: 100 }) });
const Deletion = Type.Object({ ...Wanted.properties, ...Answer.properties });

export type DeletedPersonView = { receipt: string };

export interface RetentionView {
  name: string;
  value: number;
  unit: 'hours' | 'days';
  isDefault: boolean;
  description: string;
}

interface PeopleSources {
  people: Pick<People, 'remove'>;
  signing: Pick<Signing, 'deleteWithReceipt'>;
  retention: readonly RetentionView[];
}

export function addPeopleConsole(
  { add, digest, record, recordWith, confirm, keyNames }: Console,
  { database, clock }: Pick<Context, 'database' | 'clock'>,
  { people, signing, retention }: PeopleSources,
): void {
  add('GET /console/api/retention', {}, async () => ({ settings: retention }));

  add('POST /console/api/people/find', { body: Wanted }, async ({ body, request }) => {
    await record(request, 'person.view', aboutOf(readPuid(body.puid)));
    const person = await find(body.puid);
    return { ...presentPerson(person), customer: (await keyNames()).customerOf(person.owner.customer) };
  });

  add('POST /console/api/people/export', { body: Wanted }, async ({ body, request }) => {
    const { id: _, owner, ...kept } = await find(body.puid);
    await record(request, 'person.export', aboutOf(kept.puid));
    return {
      service: `${SERVICE} ${VERSION}`,
      writtenAt: new Date(clock.now()).toISOString(),
      person: withTimes({ ...kept, ...ownerColumns(owner) }),
    };
  });

  add('POST /console/api/people/delete', { body: Deletion }, async ({ body, request }) => {
    const puid = readPuid(body.puid);
    await confirm(request, 'person.delete', puid, body);
    const { owner } = await find(puid);
    const writeAudit = recordWith(request, 'person.delete', aboutOf(puid));
    const receipt = await signing.deleteWithReceipt(
      'application/jwt',
      { owner, kind: 'person', id: puid },
      async () => {
        if (!(await people.remove(owner, puid, undefined, writeAudit))) throw noSuchPerson();
      },
    );
    return { receipt: receipt! };
  });

  /** Recorded as a digest, which does not lead to the person after their deletion. */
  function aboutOf(puid: Puid): string {
    return digest('audit/person', puid);
  }

  async function find(text: string): Promise<PersonRecord> {
    const person = await findPersonRecord(database, readPuid(text));
    if (!person) throw noSuchPerson();
    return person;
  }
}

/** Names each field, because more operators may see this than may export the whole record. */
function presentPerson({ owner, tokens, passkeys, devices, sessions, ...person }: PersonRecord) {
  const used = [...passkeys, ...devices].map(({ lastUsedAt }) => lastUsedAt);
  return {
    puid: person.puid,
    ...ownerColumns(owner),
    createdAt: person.createdAt,
    modelVersion: person.modelVersion,
    isProvisional: person.isProvisional,
    hasIdentifier: person.hasIdentifier,
    embeddings: person.embeddings,
    tokens: tokens.length,
    passkeys: passkeys.length,
    devices: devices.length,
    sessions: sessions.length,
    lastUsedAt: used.length === 0 ? null : Math.max(...used),
  };
}

function withTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withTimes);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      name.endsWith('At') && typeof field === 'number' ? new Date(field).toISOString() : withTimes(field),
    ]),
  );
}

function readPuid(text: string): Puid {
  const puid = text.trim().toLowerCase();
  if (!isUuid(puid)) throw noSuchPerson();
  return named<Puid>(puid);
}

function noSuchPerson(): AppError {
  return new AppError('not_found', 'No one is enrolled under this puid.');
}

export type PersonView = ReturnType<typeof presentPerson> & { customer: string };
type PersonRecord = NonNullable<Awaited<ReturnType<typeof findPersonRecord>>>;

/** Finds a person. Edited rows count too: all of them are deleted with the person. */
async function findPersonRecord({ queries }: Pick<Database, 'queries'>, puid: Puid) {
  const person = await queries
    .selectFrom('people')
    .innerJoin('galleries', 'galleries.id', 'people.gallery_id')
    .select(['people.id', 'people.puid', 'people.created_at', 'people.provisional_session', 'people.identifier_digest'])
    .select(['galleries.customer', 'galleries.world', 'galleries.model_version', 'galleries.dimensions'])
    .where('people.puid', '=', puid)
    .executeTakeFirst();
  if (!person) return undefined;
  const { id } = person;
  const credentials = (table: 'passkeys' | 'person_devices') =>
    queries
      .selectFrom(table)
      .select(['created_at as createdAt', 'last_used_at as lastUsedAt', 'vouched'])
      .where('person_id', '=', id)
      .orderBy('created_at')
      .execute();
  const [embeddings, tokens, passkeys, devices, sessions] = await Promise.all([
    queries
      .selectFrom('embeddings')
      .select(({ fn }) => fn.countAll<number | string>().as('count'))
      .where('person_id', '=', id)
      .executeTakeFirst(),
    queries.selectFrom('tokens').select('created_at as createdAt').where('person_id', '=', id).execute(),
    credentials('passkeys'),
    credentials('person_devices'),
    queries
      .selectFrom('sessions')
      .select(['id', 'kind', 'state', 'created_at as createdAt', 'ended_at as endedAt', 'purge_at as purgeAt'])
      .where('person_id', '=', id)
      .orderBy('created_at')
      .execute(),
  ]);
  return {
    id,
    puid: person.puid,
    owner: ownerFrom(person),
    createdAt: person.created_at,
    modelVersion: person.model_version,
    dimensions: person.dimensions,
    isProvisional: person.provisional_session !== null,
    hasIdentifier: person.identifier_digest !== null,
    embeddings: Number(embeddings?.count ?? 0),
    tokens,
    passkeys,
    devices,
    sessions,
  };
}
