// Changes of a list may only be skipped if no score depends on them.
import { describe, expect, it } from 'vitest';
import { listed } from '../../testing/small-list.ts';
import type { ListedEntity } from '../entity.ts';
import { IndexBuilder } from '../index/build-index.ts';
import { createScreener } from '../matching/screener.ts';
import { SubjectScreener } from '../subjects/screen-subject.ts';
import { readSubject } from '../subjects/subject.ts';
import type { EntityField } from './compare-lists.ts';
import { selectNewlyComparable } from './newly-comparable.ts';

const IMRE = listed('Imre Valdor', {
  id: 'a',
  birthDates: ['1971-02-03'],
  countries: ['is'],
  addresses: ['12 Quay Street, Hofn'],
  identifiers: [{ kind: 'passportNumber', value: 'N1234567' }],
});

const OTHERWISE: Record<EntityField, Partial<ListedEntity>> = {
  names: { names: ['Imre Valdor', 'Orla Feather'] },
  weakNames: { weakNames: ['The Quill'] },
  schema: { schema: 'Company' },
  birthDates: { birthDates: ['1972'] },
  countries: { countries: ['is', 'no'] },
  addresses: { addresses: [] },
  identifiers: { identifiers: [] },
  topics: { topics: ['role.pep'] },
  caption: { caption: 'Valdor' },
  nationalities: { nationalities: ['no'] },
  positions: { positions: ['Harbour master'] },
  programs: { programs: ['ANOTHER'] },
  datasets: { datasets: ['another'] },
  referents: { referents: ['another-id'] },
  firstSeen: { firstSeen: '2020-01-01' },
  lastChange: { lastChange: '2020-01-01' },
};
const FIELDS = Object.keys(OTHERWISE) as EntityField[];

const changeOf = (field: EntityField) => ({
  change: 'changed' as const,
  before: IMRE,
  after: { ...IMRE, ...OTHERWISE[field] },
  fields: [field],
});

/** Score of the entity alone, for subjects who match in everything, in part, or in one fact. */
function scoresOf(entity: ListedEntity): number[] {
  const builder = new IndexBuilder();
  builder.add(entity);
  const index = builder.finish();
  const screener = new SubjectScreener(index, createScreener(index));
  const context = { countries: ['is'], addresses: ['12 Quay Street, Hofn'], birthDate: '1971-02-03' };
  const identifiers = [{ kind: 'passportNumber' as const, value: 'N1234567' }];
  return [
    { names: ['Imre Valdor'], ...context },
    { names: ['Imre Valdur'], countries: ['no'], birthDate: '1972' },
    { names: ['Somebody Else'], identifiers },
    { names: ['Orla Feather'] },
    { names: ['The Quill'] },
    { names: ['Imre Valdor'], schema: 'Person' },
  ].map((subject) => screener.screen(readSubject(subject), { limit: 1, threshold: 0, topic: 'all' }).best);
}

describe('a changed entity', () => {
  it.each(FIELDS.filter((field) => selectNewlyComparable(changeOf(field)) === undefined))(
    'is not searched if %s changes, because no score does',
    (field) => {
      expect(scoresOf({ ...IMRE, ...OTHERWISE[field] })).toEqual(scoresOf(IMRE));
    },
  );

  it.each(['schema', 'birthDates', 'countries', 'addresses', 'identifiers', 'topics'] as const)(
    'is searched as a whole if %s changes',
    (field) => {
      expect(selectNewlyComparable(changeOf(field))).toEqual({ ...IMRE, ...OTHERWISE[field] });
    },
  );

  it('is searched by its new names, including weak ones, and not by the old ones', () => {
    const { names, weakNames, identifiers } = selectNewlyComparable(changeOf('names'))!;
    expect({ names, weakNames, identifiers }).toEqual({ names: ['Orla Feather'], weakNames: [], identifiers: [] });
    expect(selectNewlyComparable(changeOf('weakNames'))).toMatchObject({ names: [], weakNames: ['The Quill'] });
    const fewer = { change: 'changed' as const, before: { ...IMRE, ...OTHERWISE.names }, after: IMRE };
    expect(selectNewlyComparable({ ...fewer, fields: ['names'] })).toBeUndefined();
  });

  it('is searched as a whole if it is new, and not if it was removed', () => {
    expect(selectNewlyComparable({ change: 'added', after: IMRE })).toBe(IMRE);
    expect(selectNewlyComparable({ change: 'removed', before: IMRE })).toBeUndefined();
  });
});
