// Finds the known name that a client probably meant, for messages about unknown names.

/** Longer names are not compared: no field has such a name, and the cost grows with the square of the length. */
const LONGEST_COMPARED = 40;
/** Minimum length: shorter words resemble too many others */
const SHORTEST_MISSPELT_WORD = 6;

/** Returns undefined if no known name is near. `isTaken` excludes names already in use from synonyms. */
export type NameFinder = (misspelled: string, isTaken?: (name: string) => boolean) => string | undefined;

interface PlainName {
  name: string;
  plain: string;
}

/** Ignores case, and characters other than letters and digits. `maxSteps` returns the most steps between near names. */
export function createNameFinder(
  known: readonly string[],
  maxSteps: (misspelled: string, known: string) => number = oneInThree,
): NameFinder {
  const names = known.map((name): PlainName => ({ name, plain: plainName(name) }));
  const words = known.flatMap((name) => (USUAL_NAMES[name] ?? []).map((plain): PlainName => ({ name, plain })));
  const longWords = words.filter(({ plain }) => plain.length >= SHORTEST_MISSPELT_WORD);
  const closest = (misspelled: string, among: readonly PlainName[]) => {
    let best: { name: string; steps: number } | undefined;
    for (const { name, plain } of among) {
      const most = maxSteps(misspelled, plain);
      if (Math.abs(misspelled.length - plain.length) > most) continue;
      const steps = countEdits(misspelled, plain);
      if (steps <= most && steps < (best?.steps ?? Infinity)) best = { name, steps };
    }
    return best?.name;
  };
  return (misspelled, isTaken = () => false) => {
    if (misspelled.length > LONGEST_COMPARED) return undefined;
    const plain = plainName(misspelled);
    if (plain === '') return undefined;
    const isOpen = ({ name }: PlainName) => !isTaken(name);
    return (
      words.find((word) => word.plain === plain && isOpen(word))?.name ??
      closest(plain, names) ??
      closest(plain, longWords.filter(isOpen))
    );
  };
}

const finders = new WeakMap<object, NameFinder>();

export function findNameFinder(properties: object): NameFinder {
  const finder = finders.get(properties) ?? createNameFinder(Object.keys(properties));
  finders.set(properties, finder);
  return finder;
}

function oneInThree(misspelled: string, known: string): number {
  return Math.floor(Math.max(misspelled.length, known.length) / 3);
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** Counts the letters to add, drop or change (Levenshtein distance). */
function countEdits(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, at) => at);
  for (const [down, letter] of [...left].entries()) {
    const next = [down + 1];
    for (let at = 0; at < right.length; at += 1) {
      const change = row[at]! + (letter === right[at] ? 0 : 1);
      next.push(Math.min(change, row[at + 1]! + 1, next[at]! + 1));
    }
    row = next;
  }
  return row[right.length]!;
}

/** Other usual names by the name here, in plain lower-case letters. */
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
  callback: ['webhook', 'webhookurl', 'callbackurl', 'notificationurl'],
  ageThreshold: ['age', 'minage', 'minimumage', 'threshold'],
  locale: ['language', 'lang'],
  metadata: ['customdata', 'clientdata'],
  redirectUrl: ['returnurl', 'successurl', 'redirecturi'],
  redirectURL: ['returnurl', 'successurl', 'redirecturi'],
  transactionID: ['correlationid', 'externalid'],
};

/** Explains the first `most` things. It reads only one more, so that an endless list costs no more. */
export function explainSome<Thing, Sentence>(
  things: Iterable<Thing>,
  most: number,
  explain: (thing: Thing) => Sentence,
): { explained: Sentence[]; hasMore: boolean } {
  const some = Iterator.from(things)
    .take(most + 1)
    .toArray();
  return { explained: some.slice(0, most).map((thing) => explain(thing)), hasMore: some.length > most };
}
