// Completes a wish to the printed details.

import { createRandom } from '../distort/random.ts';
import { drawSilhouette } from './silhouette.ts';
import type { Details, SpecimenWish } from './wish.ts';

const LETTERS = 'CFGHJKLMNPRTVWXYZ';

/** Fills open numbers and dates by the seed. */
export function decideDetails(wish: SpecimenWish): Details {
  const random = createRandom(wish.seed * 53 + 29);
  const digits = (count: number) => Array.from({ length: count }, () => random.below(10)).join('');
  const day = `${1 + random.below(12)}-${1 + random.below(28)}`.replace(/\d+/g, (part) => part.padStart(2, '0'));
  const issued = wish.issued ?? `${2023 + random.below(3)}-${day}`;
  const [year, month, date] = issued.split('-') as [string, string, string];
  const expires = wish.expires ?? `${Number(year) + 10}-${month}-${date}`;
  const number =
    random.pick([...LETTERS]) + random.pick([...LETTERS]) + digits(6) + random.pick([...LETTERS, '7', '3']);
  const { birth } = wish.person;
  const birthShown =
    wish.break === 'no_birth'
      ? ''
      : wish.break === 'partial_birth'
        ? birth.slice(0, wish.seed % 2 === 0 ? 7 : 4)
        : birth;
  return { ...wish, face: wish.portrait ?? drawSilhouette(wish.seed), number, issued, expires, birthShown };
}
