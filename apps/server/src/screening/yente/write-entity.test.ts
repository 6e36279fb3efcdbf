// Entities in FollowTheMoney's format.
import { emptyEntity } from '@limen/screening';
import { expect, it } from 'vitest';
import { writeSearch } from './search-route.ts';
import { writeEntity } from './write-entity.ts';

const PERSON = { ...emptyEntity('x', 'Person'), caption: 'Tam Rorke', names: ['Tam Rorke'] };
const propertiesOf = (countries: string[]) =>
  writeEntity({ ...PERSON, countries, nationalities: countries }).properties;

it.each<[string[], string[] | undefined]>([
  [
    ['Uganda', 'cf', 'Region: Kafia Kingi'],
    ['ug', 'cf'],
  ],
  [['Region: Kafia Kingi', 'Undetermined'], undefined],
  [['Netherlands Antilles', 'an'], ['an']],
  [['su', 'Soviet Union', 'USSR', 'the former Soviet Union'], ['suhh']],
  [
    ['yu', 'Yugoslavia (former)', 'Serbia & Montenegro', 'Czechoslovakia'],
    ['yucs', 'csxx', 'cshh'],
  ],
  [
    ['eu', 'x-so', 'md-pmr'],
    ['eu', 'x-so', 'md'],
  ],
])('writes %j as %j', (countries, codes) => {
  const { country, nationality } = propertiesOf(countries);
  expect([country, nationality]).toEqual([codes, codes]);
});

it('writes country facets as codes with the name of each, and nothing else', () => {
  const entities = [{ ...PERSON, countries: ['Netherlands Antilles', 'su', 'Region: Kafia Kingi', 'Uganda'] }];
  const page = { limit: 1, offset: 0, sort: [], facets: ['countries'] };
  expect(writeSearch({ entities, complete: true }, page).facets['countries']!.values).toEqual([
    { name: 'an', label: 'Netherlands Antilles', count: 1 },
    { name: 'suhh', label: 'Soviet Union', count: 1 },
    { name: 'ug', label: 'Uganda', count: 1 },
  ]);
});
