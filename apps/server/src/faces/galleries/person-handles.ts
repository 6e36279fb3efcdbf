// Derives the names by which the key-holder knows people. Each person's key is deleted with the person, and the key-holder's
// counters and audit lines then lead to no one.
import { createHmac, randomBytes } from 'node:crypto';
import { isMissingReference } from '../../platform/base/database-failures.ts';
import { named, type PersonId } from '../../platform/base/ids.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Sealer } from '../../platform/sealing/sealer.ts';
import { tables } from '../tables.ts';

const KEY_BYTES = 32;
/** Id of no person, looked up for unknown people so that the timing does not differ */
const NO_PERSON = named<PersonId>('00000000-0000-0000-0000-000000000000');

export function createPersonHandles({ queries }: Database, sealer: Sealer) {
  const placeOf = (person_id: PersonId) => tables.person_keys.places.sealed({ person_id });
  const decoyKey = randomBytes(KEY_BYTES);
  let decoy = sealer.seal(decoyKey, placeOf(NO_PERSON));
  /** Seals the decoy again after a change of the data keys, because the earlier key will be destroyed. */
  const currentDecoy = () => {
    const header = sealer.header();
    if (header.compare(decoy, 0, header.length) !== 0) decoy = sealer.seal(decoyKey, placeOf(NO_PERSON));
    return decoy;
  };

  const findKey = (personId: PersonId) =>
    queries.selectFrom('person_keys').select('sealed').where('person_id', '=', personId).executeTakeFirst();

  async function createKey(personId: PersonId): Promise<Uint8Array | undefined> {
    const sealed = sealer.seal(randomBytes(KEY_BYTES), placeOf(personId));
    try {
      await queries
        .insertInto('person_keys')
        .values({ person_id: personId, sealed })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    } catch (error) {
      if (isMissingReference(error)) return undefined; // the person was deleted
      throw error;
    }
    return (await findKey(personId))?.sealed;
  }

  async function handle(personId: PersonId | undefined, what: string): Promise<string | undefined> {
    const id = personId ?? NO_PERSON;
    const sealed = (await findKey(id))?.sealed ?? (personId === undefined ? currentDecoy() : await createKey(id));
    const digest =
      sealed &&
      createHmac('sha256', sealer.open(sealed, placeOf(id)))
        .update(what)
        .digest('base64url');
    return personId === undefined ? undefined : digest;
  }

  return {
    /** Returns undefined if there is no such person, after the same work as for a known person. */
    ofPerson: (personId: PersonId | undefined) => handle(personId, 'person'),
    ofDevice: (personId: PersonId, deviceId: string) => handle(personId, `device ${deviceId}`),
  };
}
