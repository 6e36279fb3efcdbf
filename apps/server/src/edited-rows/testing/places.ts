// Databases with two people, or with a key-holder for the faces of some, whose rows are then edited.
import pino from 'pino';
import { onTestFinished } from 'vitest';
import { insertPerson } from '#testing/database/person-rows.ts';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { createManualClock } from '#testing/manual-clock.ts';
import { liveOwner, testOwner } from '#testing/owners.ts';
import { TEST_MASTER_KEY } from '#testing/processes/people-process.ts';
import { openLocalKeyHolder } from '../../keyholder/testing/local-key-holder.ts';
import { createIds } from '../../platform/ids.ts';
import { openStorage } from '../../platform/open-storage.ts';

export const OWNER = liveOwner('acme');
export const OWNERS = [OWNER, liveOwner('another'), testOwner('acme')];
export const NO_LOG = pino({ level: 'silent' });

/** With two people of one customer. */
export async function openWithPeople() {
  const place = await createTestDatabase();
  const clock = createManualClock();
  const ids = createIds(clock);
  const { database, sealer } = await openStorage({ ...place, masterKey: TEST_MASTER_KEY, clock, ids });
  onTestFinished(async () => {
    await database.close();
    await place.dispose();
  });
  const [victim, thief] = [
    await insertPerson({ database, sealer, ids }, OWNER),
    await insertPerson({ database, sealer, ids }, OWNER),
  ];
  return { database, sealer, clock, ids, victim, thief };
}

/** With a key-holder, for processes that keep face tokens. */
export async function openTokenPlace() {
  const place = await createTestDatabase();
  const keyHolder = await openLocalKeyHolder();
  onTestFinished(async () => {
    await keyHolder.close();
    await place.dispose();
  });
  return { place, keyHolder };
}
