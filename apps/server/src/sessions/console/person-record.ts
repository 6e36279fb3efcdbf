// All that is kept about one person, in numbers and dates: for who asks what that is, without a face or a token in it.
import { ownerFrom } from '../../platform/api-keys/owner.ts';
import type { Puid } from '../../platform/base/ids.ts';
import type { Database } from '../../platform/database/database.ts';

export type PersonRecord = NonNullable<Awaited<ReturnType<typeof findPersonRecord>>>;

/** Finds the person of this puid. Rows whose seal does not verify count too: all of them are deleted with the person. */
export async function findPersonRecord({ queries }: Pick<Database, 'queries'>, puid: Puid) {
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
