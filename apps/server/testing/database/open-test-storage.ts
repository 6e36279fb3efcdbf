// Storage for one test: a separate database with tables and keys, on a fake clock, removed when the
// test ends.
import { onTestFinished } from 'vitest';
import { createIds } from '../../src/platform/base/ids.ts';
import { openStorage } from '../../src/platform/storage.ts';
import { createManualClock } from '../manual-clock.ts';
import { TEST_MASTER_KEY } from '../processes/people-process.ts';
import { createTestDatabase } from './test-database.ts';

export async function openTestStorage() {
  const place = await createTestDatabase();
  const clock = createManualClock();
  const ids = createIds(clock);
  const { database, sealer } = await openStorage({ ...place, masterKey: TEST_MASTER_KEY, clock, ids });
  onTestFinished(async () => {
    await database.close();
    await place.dispose();
  });
  return { clock, ids, database, sealer };
}
