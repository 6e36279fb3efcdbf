import { expect, test } from 'vitest';
import { listed } from '../testing/small-list.ts';
import { type EntityFilter, fitsFilter } from './entity-filter.ts';

const entity = listed('Marwan Dellaji', {
  datasets: ['north', 'south'],
  topics: ['sanction', 'crime'],
  countries: ['Tunisia', 'fr'],
  lastChange: '2026-02-02T10:00:00',
});

test.each<[EntityFilter, boolean]>([
  [{}, true],
  [{ schemas: ['Company', 'Person'] }, true],
  [{ schemas: ['Company'] }, false],
  [{ schemas: [] }, false],
  [{ withoutSchemas: ['Person'] }, false],
  [{ withoutSchemas: ['Vessel'] }, true],
  [{ datasets: ['south', 'west'] }, true],
  [{ datasets: ['west'] }, false],
  [{ withoutDatasets: ['south'] }, false],
  [{ withoutDatasets: ['west'] }, true],
  [{ topics: ['crime', 'role.pep'] }, true],
  [{ topics: ['role.pep'] }, false],
  [{ countries: ['TN'] }, true],
  [{ countries: ['de', 'nowhere'] }, false],
  [{ changedSince: '2026-02-02' }, true],
  [{ changedSince: '2026-02-03' }, false],
  [{ datasets: ['north'], topics: ['role.pep'] }, false],
])('%j returns %s', (filter, fits) => {
  expect(fitsFilter(entity, filter)).toBe(fits);
});

test('excludes entities whose last change is unknown from a "changed since" filter', () => {
  expect(fitsFilter({ ...entity, lastChange: null }, { changedSince: '1970' })).toBe(false);
});
