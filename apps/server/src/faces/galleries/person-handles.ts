// Names people to the key-holder, by keys of their own that go with them: what it counted or wrote of a deleted person is nobody's.
import { createHmac, randomBytes } from 'node:crypto';
import { isMissingReference } from '../../platform/base/database-failures.ts';
import { named, type PersonId } from '../../platform/base/ids.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Sealer } from '../../platform/sealing/sealer.ts';
import { tables } from '../tables.ts';

const { places } = tables.person_keys;

const KEY_BYTES = 32;
/** Nobody's id: what is looked up in place of somebody. */
const NOBODY = named<PersonId>('00000000-0000-0000-0000-000000000000');

export function createPersonHandles({ queries }: Database, sealer: Sealer) {
  const decoyKey = randomBytes(KEY_BYTES);
  let decoy = sealer.seal(decoyKey, places.sealed({ person_id: NOBODY }));
  /** Sealed anew once the keys have changed: the earlier one will be destroyed. */
  const currentDecoy = () => {
    const header = sealer.header();
    if (header.compare(decoy, 0, header.length) !== 0)
      decoy = sealer.seal(decoyKey, places.sealed({ person_id: NOBODY }));
    return decoy;
  };

  const find = (personId: PersonId) =>
    queries.selectFrom('person_keys').select('sealed').where('person_id', '=', personId).executeTakeFirst();

  /** Creates the key at first need. */
  async function make(personId: PersonId): Promise<Uint8Array | undefined> {
    const sealed = sealer.seal(randomBytes(KEY_BYTES), places.sealed({ person_id: personId }));
    try {
      await queries
        .insertInto('person_keys')
        .values({ person_id: personId, sealed })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    } catch (error) {
      if (isMissingReference(error)) return undefined; // deleted meanwhile
      throw error;
    }
    return (await find(personId))?.sealed;
  }

  async function handle(personId: PersonId | undefined, what: string): Promise<string | undefined> {
    const id = personId ?? NOBODY;
    const found = (await find(id))?.sealed ?? (personId === undefined ? currentDecoy() : await make(id));
    const made =
      found &&
      createHmac('sha256', sealer.open(found, places.sealed({ person_id: id })))
        .update(what)
        .digest('base64url');
    return personId === undefined ? undefined : made;
  }

  return {
    /** Returns undefined if there is no such person, after the same work as for a known person. */
    ofPerson: (personId: PersonId | undefined) => handle(personId, 'person'),
    /** The handle of a device or passkey that identifies the person. */
    ofDevice: (personId: PersonId, deviceId: string) => handle(personId, `device ${deviceId}`),
  };
}
