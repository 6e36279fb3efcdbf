// The one screening algorithm, under its own name and under the names that clients of yente use.
import { YENTE_ALGORITHM, type YenteAlgorithms } from '@limen/contract';
import type { FeatureName } from '@limen/screening';
import { badQuery } from './refusal.ts';

const ALIASES = ['best', 'logic-v1', 'logic-v2', 'name-based', 'name-qualified', 'regression-v1', 'regression-v2'];

const FEATURES: Readonly<Record<FeatureName, string>> = {
  name: 'How alike the closest names are, with the date of birth; on the scale of the score.',
  birthDate: '1 if the dates agree as far as both say, 0.5 if they are a year apart or agree in the year alone.',
  identifier: '1 if an identifier is the same; one that belongs to one holder is a match by itself.',
  country: '1 if there is a country in common; 0 speaks against the match.',
  address: '1 if an address agrees.',
};

const features = Object.fromEntries(
  Object.entries(FEATURES).map(([name, description]) => [name, { description, coefficient: 1, url: null }]),
);

export const ALGORITHMS: YenteAlgorithms = {
  algorithms: [YENTE_ALGORITHM, ...ALIASES.filter((name) => name !== 'best')].map((name) => {
    const description =
      name === YENTE_ALGORITHM
        ? 'Limen’s engine, its scores mapped to the scale of yente.'
        : `Another name for ${YENTE_ALGORITHM}.`;
    return { name, description, features, docs: { description, config: {}, features } };
  }),
  default: YENTE_ALGORITHM,
  best: YENTE_ALGORITHM,
};

export function requireAlgorithm(name: string): void {
  if (name === YENTE_ALGORITHM || ALIASES.includes(name)) return;
  throw badQuery(`Invalid algorithm. There are ${[YENTE_ALGORITHM, ...ALIASES].join(', ')}.`);
}
