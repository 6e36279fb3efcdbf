// Organizations and ships of a real list: in other spellings, recombined from several, and by
// number; compared with Jaro-Winkler and Fuse.js.
import {
  createScreener,
  IndexBuilder,
  type ListedEntity,
  readSubject,
  type Subject,
  SubjectScreener,
} from '@limen/screening';
import { createRandom, type Random } from '../shared/random.ts';
import { type Case, hashOf } from './cases.ts';
import { misspell, toCyrillic } from './distortions.ts';
import { bruteJaroWinkler, fuse, type Screen } from './peers.ts';
import { judge, percent, shareAt } from './quality.ts';

type Schema = 'Organization' | 'Vessel';
type Distort = (words: readonly string[], random: Random, entity: ListedEntity) => readonly string[] | undefined;

const PER_KIND = 120;
const NEGATIVES = 600;
/** Number of rows for the slow peers. */
const PEERS_EVERY = { 'Jaro-Winkler': 24, 'Fuse.js': 96 };

const FORMS =
  /^(ltd|limited|llc|inc|incorporated|co|company|corp|corporation|sa|ag|gmbh|ooo|oao|pjsc|jsc|plc|sarl|fze|est|bv|nv|spa|srl|pte|pty|bhd|sdn|oy|ab|as)\.?$/i;
/** Same legal form in another spelling. */
const OTHER_FORMS: Record<string, string> = {
  llc: 'OOO',
  ltd: 'Limited',
  limited: 'Ltd.',
  jsc: 'AO',
  ooo: 'LLC',
  co: 'Company',
  company: 'Co.',
  corp: 'Corporation',
  corporation: 'Corp.',
  inc: 'Incorporated',
  ag: 'Aktiengesellschaft',
  sa: 'S.A.',
  sarl: 'S.à r.l.',
};
const SHORT: Record<string, string> = {
  international: "Int'l",
  company: 'Co',
  corporation: 'Corp',
  industries: 'Ind.',
  trading: 'Trdg',
  general: 'Gen.',
  national: "Nat'l",
  manufacturing: 'Mfg',
  management: 'Mgmt',
  and: '&',
};
const NUMBERS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const ROMAN = ['', 'I', 'II', 'III', 'IV', 'V', 'VI', 'VII', 'VIII', 'IX', 'X'];

const bare = (word: string) => word.toLowerCase().replaceAll(/[^a-z]/g, '');

const SHARED: Record<string, Distort> = {
  'as listed': (words) => words,
  'one typo': (words, random) => {
    const long = words.findIndex((word) => /^[a-z]{5,}$/i.test(word));
    return long < 0 ? undefined : words.with(long, misspell(words[long]!, random));
  },
  'two words joined': (words) => {
    const at = words.findIndex((word, place) => isPlain(word) && isPlain(words[place + 1]));
    return at < 0 ? undefined : [...words.slice(0, at), words[at]! + words[at + 1]!, ...words.slice(at + 2)];
  },
  'word split': (words, random) => {
    const at = words.findIndex((word) => /^[a-z]{8,}$/i.test(word));
    if (at < 0) return undefined;
    const cut = 4 + random.below(words[at]!.length - 7);
    return [...words.slice(0, at), words[at]!.slice(0, cut), words[at]!.slice(cut), ...words.slice(at + 1)];
  },
};

const DISTORTIONS: Record<Schema, Record<string, Distort>> = {
  Organization: {
    ...SHARED,
    'legal form left out': (words) => {
      const kept = words.filter((word) => !FORMS.test(word.replaceAll(/[^a-z]/gi, '')));
      return kept.length < words.length && kept.length > 1 ? kept : undefined;
    },
    'legal form of others': (words) => change(words, OTHER_FORMS),
    'words abbreviated': (words) => change(words, SHORT),
    'in Cyrillic': (words) => words.map(toCyrillic),
    'its branch in a town': behind('- Dubai Branch'),
    'a town in brackets': behind('(Hamburg)'),
    'a town behind a comma': (words) => [...words.slice(0, -1), `${words.at(-1)},`, 'Damascus'],
    'in liquidation': behind('(in liquidation)'),
    'whom a payment is for': (words) => ['To', 'the', 'order', 'of', 'Messrs', ...words],
    'in one word': (words) =>
      words.every(isPlainOrForm) && words.length > 1 ? [words.join('').replaceAll(/[.,]/g, '')] : undefined,
  },
  Vessel: {
    ...SHARED,
    'with a prefix': (words) => ['M/V', ...words],
    'its type in front': (words) => ['Crude', 'Oil', 'Tanker', ...words],
    'its flag in brackets': behind('(Panama)'),
    'its IMO number behind': (words, _random, { identifiers }) => [...words, `(IMO ${identifiers[0]!.value})`],
    'the name of before': (words) => ['ORVELIA', '(ex', `${words.join(' ')})`],
    'number in words': (words) => changeNumber(words, (number) => NUMBERS[number]),
    'number in Roman letters': (words) => changeNumber(words, (number) => ROMAN[number] || undefined),
  },
};

function behind(addition: string): Distort {
  return (words) => [...words, addition];
}

function isPlainOrForm(word: string): boolean {
  return /^[a-z]{2,}[.,]?$/i.test(word);
}

function isPlain(word: string | undefined): boolean {
  return word !== undefined && /^[a-z]{3,}$/i.test(word) && !FORMS.test(word);
}

function change(words: readonly string[], table: Record<string, string>): readonly string[] | undefined {
  const changed = words.map((word) => table[bare(word)] ?? word);
  return changed.some((word, at) => word !== words[at]) ? changed : undefined;
}

function changeNumber(words: readonly string[], write: (number: number) => string | undefined) {
  const at = words.findIndex((word) => /^([1-9]|10)$/.test(word));
  const written = at < 0 ? undefined : write(Number(words[at]));
  return written === undefined ? undefined : words.with(at, written);
}

export async function compareOrganizations(list: readonly ListedEntity[]): Promise<void> {
  // This edition of the list has none.
  const entities = list.map((entity, at) => ({ ...entity, identifiers: identifiersOf(entity, at) }));
  const builder = new IndexBuilder();
  for (const entity of entities) builder.add(entity);
  const index = builder.finish();
  const screener = new SubjectScreener(index, createScreener(index));
  const ask = (subject: Subject) =>
    screener
      .screen(readSubject(subject), { limit: 5, threshold: 0.5, topic: 'all' })
      .matches.map(({ score, entity }) => ({ score, id: entity.id }));
  for (const schema of ['Organization', 'Vessel'] as const) {
    const { listed, others } = makeRows(entities, schema);
    const ours: Screen = ({ lastName }) => ask({ schema, names: [lastName] } as Subject);
    console.log(
      `\n${schema === 'Vessel' ? 'ships' : 'organisations'} found, by how they are written (held-out half)   0.85`,
    );
    for (const kind of Object.keys(DISTORTIONS[schema])) {
      const rows = listed.filter((row) => row.kind === kind);
      if (rows.length > 0) console.log(`${kind.padEnd(40)} ${share(ours, rows)}  (${rows.length})`);
    }
    const engines: [string, Screen, number][] = [
      ['Limen', ours, 1],
      ['Jaro-Winkler', bruteJaroWinkler(entities, schema), PEERS_EVERY['Jaro-Winkler']],
      ['Fuse.js', fuse(entities, schema), PEERS_EVERY['Fuse.js']],
    ];
    for (const [name, screen, every] of engines) {
      const some = (rows: readonly Case[]) => rows.filter((_, at) => at % every === 0);
      console.log(
        `${name.padEnd(40)} ${share(screen, some(listed))} found, ${share(screen, some(others))} of others flagged`,
      );
    }
  }
  reportIdentifiers(entities, ask);
}

function share(screen: Screen, rows: readonly Case[]): string {
  return percent(shareAt(judge(screen, rows).judged, 0.85)).padStart(7);
}

/** Distorted names of the held-out half, and names combined from two entries. */
function makeRows(entities: readonly ListedEntity[], schema: Schema): { listed: Case[]; others: Case[] } {
  const random = createRandom(18);
  const own = entities.filter((entity) => entity.schema === schema && hashOf(entity.id) % 2 === 1);
  const row = (words: readonly string[], kind: string, expected?: string): Case => ({
    ...{ kind, expected, firstName: '', lastName: words.join(' '), birthDate: '' },
  });
  const listed = Object.entries(DISTORTIONS[schema]).flatMap(([kind, distort]) => {
    const rows: Case[] = [];
    for (const entity of random.shuffle([...own])) {
      if (rows.length === PER_KIND) break;
      const words = distort(entity.names[0]!.split(' '), random, entity);
      if (words) rows.push(row(words, kind, entity.id));
    }
    return rows;
  });
  const known = new Set(entities.flatMap(({ names }) => names.map((name) => name.toLowerCase())));
  const several = own.map(({ names }) => names[0]!.split(' ')).filter((words) => words.length > 1);
  const others: Case[] = [];
  while (others.length < NEGATIVES) {
    const [one, other] = [random.pick(several), random.pick(several)];
    const words = [...one.slice(0, Math.ceil(one.length / 2)), ...other.slice(Math.ceil(other.length / 2))];
    if (!known.has(words.join(' ').toLowerCase())) others.push(row(words, 'recombined'));
  }
  return { listed, others };
}

function identifiersOf({ schema }: ListedEntity, at: number): ListedEntity['identifiers'] {
  if (schema === 'Vessel') return [{ kind: 'imoNumber', value: imoNumber(9_000_00 + at) }];
  return schema === 'Organization' ? [{ kind: 'registrationNumber', value: `RN-${10_000_000 + at * 37}` }] : [];
}

/** Six digits and their check digit. */
function imoNumber(six: number): string {
  const digits = [...String(six)].map(Number);
  const sum = digits.reduce((total, digit, at) => total + digit * (7 - at), 0);
  return `${six}${sum % 10}`;
}

/** By number alone, in another notation; and an unassigned number. */
function reportIdentifiers(
  entities: readonly ListedEntity[],
  ask: (subject: Subject) => { id: string; score: number }[],
): void {
  for (const [schema, kind, respell] of [
    ['Vessel', 'imoNumber', (value: string) => `IMO ${value}`],
    ['Organization', 'registrationNumber', (value: string) => value.replace('-', ' ')],
  ] as const) {
    const own = entities.filter((entity) => entity.schema === schema).slice(0, 500);
    const asked = (value: string) => ask({ schema, names: [], identifiers: [{ kind, value }] } as unknown as Subject);
    const found = own.filter(({ id, identifiers }) =>
      asked(respell(identifiers[0]!.value)).some((match) => match.id === id && match.score >= 0.95),
    );
    const strangers = own.filter((_, at) => asked(respell(`99${String(at).padStart(5, '0')}1`)).length > 0);
    console.log(
      `${kind} alone, written otherwise`.padEnd(40),
      percent(found.length / own.length).padStart(7),
      `found at 0.95, ${percent(strangers.length / own.length)} of numbers that nobody has`,
    );
  }
}
