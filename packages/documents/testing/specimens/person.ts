// Fictional people with random names, born between 1946 and 2009.

import { createRandom } from '../distort/random.ts';

export interface Person {
  readonly surname: string;
  readonly givenNames: string;
  readonly sex: 'M' | 'F' | 'X';
  /** YYYY-MM-DD. */
  readonly birth: string;
  /** As in a zone. Real states only, because readers reject ICAO's specimen state. */
  readonly nationality: string;
}

const SURNAMES = [
  'Eriksson',
  'Abara',
  'Okonkwo-Lindt',
  'Martin',
  'van der Meer',
  'Östberg',
  'Nakagawa',
  'Silva Prado',
  'Kowalczyk',
  "O'Rourke",
  'Haddad',
  'Featherstonehaugh',
  'Li',
  'Müller',
  'Ibsen',
  'Quispe',
  'Zeleny',
  'Brandvold',
  'Ferreira',
  'Jovanovska',
];
const GIVEN = {
  F: [
    'Anna Maria',
    'Ngozi',
    'Ilse',
    'Yuki',
    'Beatriz',
    'Zoe',
    'Leïla',
    'Karin Elisabeth',
    'Wei',
    'Olivia',
    'Jo',
    'Petra',
  ],
  M: [
    'Jonas',
    'Kwame',
    'Per Olof',
    'Hiroshi',
    'Rafael',
    'Max',
    'Karim',
    'Georg Friedrich',
    'Bo',
    'Liam',
    'Viktor',
    'Éric',
  ],
};
const NATIONALITIES = ['FIN', 'ITA', 'KEN', 'D', 'FRA', 'NLD', 'SWE', 'BRA', 'JPN', 'CAN', 'USA', 'IND', 'ZAF', 'MEX'];

export function drawPerson(seed: number): Person {
  const random = createRandom(seed * 101 + 5);
  const chance = random.next();
  const sex = chance < 0.48 ? 'F' : chance < 0.96 ? 'M' : 'X';
  const year = 1946 + random.below(64);
  const month = 1 + random.below(12);
  const day = 1 + random.below(new Date(Date.UTC(year, month, 0)).getUTCDate());
  return {
    surname: random.pick(SURNAMES),
    givenNames: random.pick(GIVEN[sex === 'M' ? 'M' : 'F']),
    sex,
    birth: `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`,
    nationality: random.pick(NATIONALITIES),
  };
}
