// Databases whose rows are then edited: with two people, or with a key-holder.
import pino from 'pino';
import { onTestFinished } from 'vitest';
import { openTestStorage } from '#testing/database/open-test-storage.ts';
import { insertPerson } from '#testing/database/person-rows.ts';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { liveOwner, testOwner } from '#testing/owners.ts';
import { openLocalKeyHolder } from '../faces/local-key-holder.ts';

export const OWNER = liveOwner('acme');
export const OWNERS = [OWNER, liveOwner('another'), testOwner('acme')];
export const NO_LOG = pino({ level: 'silent' });

/** Opens a database with two people of one customer. */
export async function openWithPeople() {
  const { clock, ids, database, sealer } = await openTestStorage();
  const [victim, thief] = [
    await insertPerson({ database, sealer, ids }, OWNER),
    await insertPerson({ database, sealer, ids }, OWNER),
  ];
  return { database, sealer, clock, ids, victim, thief };
}

/** Opens a database with a key-holder, for processes that use face tokens. */
export async function openTokenPlace() {
  const place = await createTestDatabase();
  const keyHolder = await openLocalKeyHolder();
  onTestFinished(async () => {
    await keyHolder.close();
    await place.dispose();
  });
  return { place, keyHolder };
}
