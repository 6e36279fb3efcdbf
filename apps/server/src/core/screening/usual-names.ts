// What fields of a subject are called elsewhere: whoever writes dateOfBirth for birthDate is told the name here, and not only that
// theirs is not known. Spelling mistakes are left to the closest name.
import { findClosestName, plainName } from '../../platform/closest-name.ts';

/** By the name here; without case and whatever is no letter or digit, as names are compared. */
const USUAL_NAMES: Readonly<Record<string, readonly string[]>> = {
  reference: ['id', 'customerid', 'clientid', 'externalid', 'recordid', 'ref'],
  schema: ['type', 'entitytype', 'kind'],
  name: ['fullname', 'wholename', 'displayname', 'caption', 'companyname', 'legalname', 'entityname', 'vesselname'],
  firstName: ['givenname', 'givennames', 'forename', 'forenames', 'fname', 'first'],
  lastName: ['surname', 'familyname', 'secondname', 'lname', 'last'],
  aliases: ['alias', 'aka', 'akas', 'alsoknownas', 'othernames', 'alternativenames', 'altnames', 'weakalias'],
  birthDate: ['dob', 'dateofbirth', 'birthdate', 'birthday', 'born', 'birth', 'yearofbirth', 'birthyear'],
  countries: ['country', 'countrycode', 'countryofresidence', 'residence', 'jurisdiction', 'flag'],
  nationalities: ['nationality', 'citizenship', 'citizenships', 'countryofcitizenship'],
  identifiers: [
    ...['identifier', 'identification', 'documentnumber', 'passport', 'passportnumber', 'idnumber', 'nationalid'],
    ...['taxid', 'taxnumber', 'registrationnumber', 'imo', 'imonumber', 'lei', 'leicode'],
  ],
  addresses: ['address', 'fulladdress', 'street', 'streetaddress'],
  dataset: ['list', 'collection', 'datasets'],
  scoreThreshold: ['threshold', 'minscore', 'cutoff'],
  callbackUrl: ['callback', 'webhook', 'webhookurl'],
};

const MEANINGS = new Map(
  Object.entries(USUAL_NAMES).flatMap(([name, others]) => others.map((other) => [other, name] as const)),
);
/** Shorter ones are near to too much. */
const LEAST_MISSPELT = 6;
const LONG_NAMES = [...MEANINGS.keys()].filter((name) => name.length >= LEAST_MISSPELT);

/**
 * Of the known names the one that may have been meant; undefined where none is near. `open` are those that are not given beside it:
 * another word for what is there already is meant for something else.
 */
export function findMeantName(
  given: string,
  known: readonly string[],
  open: readonly string[] = known,
): string | undefined {
  const usualName = (word: string | undefined) => {
    const usual = MEANINGS.get(word ?? '');
    return usual !== undefined && open.includes(usual) ? usual : undefined;
  };
  return usualName(plainName(given)) ?? findClosestName(given, known) ?? usualName(findClosestName(given, LONG_NAMES));
}
