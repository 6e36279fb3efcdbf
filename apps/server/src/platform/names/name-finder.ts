// Finds the known name that a client probably meant, for messages about names that are not known.

/** Longer names are never compared: no field is called like that, and the cost grows with the square of the length. */
const LONGEST_COMPARED = 40;
/** Shorter words are near to too many others. */
const SHORTEST_MISSPELT_WORD = 6;

/** Returns undefined if no known name is near. A usual word for a name that `isTaken` is meant for something else. */
export type NameFinder = (given: string, isTaken?: (name: string) => boolean) => string | undefined;

/** Letters to add, drop or change; any larger number if there are more than `most`. A test counts the calls. */
export type CountSteps = (left: string, right: string, most: number) => number;

interface NameFinderOptions {
  countSteps?: CountSteps;
  /** Most steps between a given name and a known one that is near. */
  mostSteps?: (given: string, known: string) => number;
}

interface PlainName {
  name: string;
  plain: string;
}

/** Prepares the search among these names. Case and characters other than letters and digits do not count. */
export function createNameFinder(
  known: readonly string[],
  { countSteps = countEdits, mostSteps = oneInThree }: NameFinderOptions = {},
): NameFinder {
  const names = known.map((name): PlainName => ({ name, plain: plainName(name) }));
  const words = known.flatMap((name) => (USUAL_NAMES[name] ?? []).map((plain): PlainName => ({ name, plain })));
  const longWords = words.filter(({ plain }) => plain.length >= SHORTEST_MISSPELT_WORD);
  const closest = (given: string, among: readonly PlainName[]) => {
    let best: { name: string; steps: number } | undefined;
    for (const { name, plain } of among) {
      const most = mostSteps(given, plain);
      if (Math.abs(given.length - plain.length) > most) continue;
      const steps = countSteps(given, plain, most);
      if (steps <= most && steps < (best?.steps ?? Number.POSITIVE_INFINITY)) best = { name, steps };
    }
    return best?.name;
  };
  return (given, isTaken = () => false) => {
    if (given.length > LONGEST_COMPARED) return undefined;
    const plain = plainName(given);
    if (plain === '') return undefined;
    const isOpen = ({ name }: PlainName) => !isTaken(name);
    return (
      words.find((word) => word.plain === plain && isOpen(word))?.name ??
      closest(plain, names) ??
      closest(plain, longWords.filter(isOpen))
    );
  };
}

/** Finders by the fields of a schema, whose names never change. */
const finders = new WeakMap<object, NameFinder>();

export function nameFinderOf(properties: object): NameFinder {
  const finder = finders.get(properties) ?? createNameFinder(Object.keys(properties));
  finders.set(properties, finder);
  return finder;
}

function oneInThree(given: string, known: string): number {
  return Math.floor(Math.max(given.length, known.length) / 3);
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** Two rows of the table, reused by all calls; a name that is compared has at most one and a half times the longest length. */
const rows = [new Uint8Array(2 * LONGEST_COMPARED), new Uint8Array(2 * LONGEST_COMPARED)] as const;

function countEdits(left: string, right: string, most: number): number {
  let [row, next]: readonly Uint8Array[] = rows;
  for (let at = 0; at <= right.length; at += 1) row![at] = at;
  for (let down = 1; down <= left.length; down += 1) {
    const letter = left.charCodeAt(down - 1);
    next![0] = down;
    let least = down;
    for (let at = 1; at <= right.length; at += 1) {
      const change = row![at - 1]! + (letter === right.charCodeAt(at - 1) ? 0 : 1);
      const steps = Math.min(change, row![at]! + 1, next![at - 1]! + 1);
      next![at] = steps;
      if (steps < least) least = steps;
    }
    if (least > most) return least;
    [row, next] = [next, row];
  }
  return row![right.length]!;
}

/** By the name here; the words are in small letters, without any other character. */
export const USUAL_NAMES: Readonly<Record<string, readonly string[]>> = {
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
  callback: ['webhook', 'webhookurl', 'callbackurl', 'notificationurl'],
  ageThreshold: ['age', 'minage', 'minimumage', 'threshold'],
  locale: ['language', 'lang'],
  metadata: ['customdata', 'clientdata'],
  redirectUrl: ['returnurl', 'successurl', 'redirecturi'],
  redirectURL: ['returnurl', 'successurl', 'redirecturi'],
  transactionID: ['correlationid', 'externalid'],
};

export interface Explained<Sentence> {
  explained: Sentence[];
  hasMore: boolean;
}

/** Explains the first `most` things. The others are neither explained nor read, so an endless list costs no more. */
export function explainSome<Thing, Sentence>(
  things: Iterable<Thing>,
  most: number,
  explain: (thing: Thing) => Sentence,
): Explained<Sentence> {
  const explained: Sentence[] = [];
  for (const thing of things) {
    if (explained.length === most) return { explained, hasMore: true };
    explained.push(explain(thing));
  }
  return { explained, hasMore: false };
}
