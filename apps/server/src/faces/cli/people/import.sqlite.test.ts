// An import line while the database is briefly or permanently unavailable.
import { expect, it, onTestFinished } from 'vitest';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { makeFace } from '#testing/faces.ts';
import { liveOwner } from '#testing/owners.ts';
import { openPeopleProcess } from '#testing/processes/people-process.ts';
import { enrollRow } from './import.ts';

it.each([
  { code: '40P01', faults: 2, isEnrolled: true, left: 0 },
  { code: '40P01', faults: 9, isEnrolled: false, left: 6 },
  // our own fault, so a retry does not help
  { code: '42P01', faults: 9, isEnrolled: false, left: 8 },
])('handles $code in $faults transactions', async ({ code, faults, isEnrolled, left }) => {
  const place = await createTestDatabase();
  onTestFinished(place.dispose);
  let faultsLeft = faults;
  const { people, database } = await openPeopleProcess(place, {
    wrapDatabase: (real) => ({
      ...real,
      transact: async (work) => {
        if (faultsLeft === 0) return real.transact(work);
        faultsLeft -= 1;
        throw Object.assign(new Error('injected'), { code });
      },
    }),
  });
  const row = { kind: 'person' as const, vectors: [makeFace(1)], modelVersion: 'FACE3_3', identifier: 'a' };
  const enrolled = enrollRow(people, liveOwner('c'), row);
  if (isEnrolled) expect(await enrolled).toBe(true);
  else await expect(enrolled).rejects.toMatchObject({ code });
  expect(faultsLeft).toBe(left);
  expect(await database.queries.selectFrom('people').select('id').execute()).toHaveLength(isEnrolled ? 1 : 0);
});
