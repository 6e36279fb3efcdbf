// Distortions of a listed name by clerks, forms and other alphabets.
import type { Random } from '../shared/random.ts';

export interface WrittenName {
  /** Parts of the given and the family name, as listed. */
  given: string[];
  family: string[];
}

/** Returns undefined if a name cannot be distorted in this way. */
export type Distortion = (name: WrittenName, random: Random) => WrittenName | undefined;

const SHORT_FORMS: Record<string, string> = {
  alexander: 'alex',
  aleksandr: 'sasha',
  robert: 'bob',
  william: 'bill',
  michael: 'mike',
  james: 'jim',
  jose: 'pepe',
  francisco: 'paco',
  vladimir: 'volodya',
  mikhail: 'misha',
  dmitry: 'dima',
  sergey: 'seryozha',
  thomas: 'tom',
  daniel: 'dan',
  joseph: 'joe',
  david: 'dave',
  nikolai: 'kolya',
  ivan: 'vanya',
  jesus: 'chuy',
  ignacio: 'nacho',
  antonio: 'tony',
  samuel: 'sam',
  benjamin: 'ben',
  eduardo: 'lalo',
  guillermo: 'memo',
  roberto: 'beto',
  manuel: 'manolo',
  andrei: 'andryusha',
  konstantin: 'kostya',
};
const PARTICLES = /^(al|el|bin|ibn|de|la|del|van|von|der|ul|abu)$/i;
const ADDED = ['Maria', 'Ahmed', 'Jose', 'Ali', 'Lee', 'Ivanovich', 'Antonio', 'Hassan', 'Ann', 'Karim'];
/** Respellings between romanizations, in both directions. */
const RESPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/kh/i, 'h'],
  [/ou/i, 'u'],
  [/oo/i, 'u'],
  [/sh/i, 'ch'],
  [/ei/i, 'ey'],
  [/ay/i, 'ai'],
  [/iy$/i, 'y'],
  [/ii$/i, 'iy'],
  [/q/i, 'k'],
  [/w/i, 'v'],
  [/o/i, 'u'],
  [/e/i, 'a'],
  [/ph/i, 'f'],
  [/y$/i, 'i'],
  [/([bdfglmnrst])\1/i, '$1'],
  [/gh/i, 'g'],
  [/j/i, 'dj'],
  [/([aeiou])([lmnrs])([aeiou])/i, '$1$2$2$3'],
];
const SOUNDS: readonly (readonly [RegExp, string])[] = [
  [/c(?=[aou])/i, 'k'],
  [/k/i, 'c'],
  [/z/i, 's'],
  [/v/i, 'f'],
  [/d$/i, 't'],
  [/b$/i, 'p'],
  [/f/i, 'v'],
  [/ck/i, 'k'],
  [/i/i, 'y'],
  [/a/i, 'e'],
  [/u/i, 'o'],
];
const CYRILLIC: Record<string, string> = {
  shch: 'щ',
  zh: 'ж',
  kh: 'х',
  ts: 'ц',
  ch: 'ч',
  sh: 'ш',
  yu: 'ю',
  ya: 'я',
  yo: 'ё',
  ye: 'е',
  ph: 'ф',
  th: 'т',
  a: 'а',
  b: 'б',
  c: 'к',
  d: 'д',
  e: 'е',
  f: 'ф',
  g: 'г',
  h: 'х',
  i: 'и',
  j: 'дж',
  k: 'к',
  l: 'л',
  m: 'м',
  n: 'н',
  o: 'о',
  p: 'п',
  q: 'к',
  r: 'р',
  s: 'с',
  t: 'т',
  u: 'у',
  v: 'в',
  w: 'в',
  x: 'кс',
  y: 'й',
  z: 'з',
};
const ACCENTS: Record<string, string> = { a: 'á', e: 'é', i: 'í', o: 'ö', u: 'ü', c: 'ç', n: 'ñ', s: 'š', z: 'ž' };

export const DISTORTIONS: Record<string, Distortion> = {
  'as listed': (name) => name,
  'given and family name exchanged': ({ given, family }) => ({ given: family, family: given }),
  'capitals and accents': (name) =>
    mapParts(name, (part) => part.toLowerCase().replace(/[aeioucnsz]/g, (letter) => ACCENTS[letter] ?? letter)),
  'one typo': (name, random) => typo(name, random),
  'two typos': (name, random) => {
    const once = typo(name, random);
    return once && typo(once, random);
  },
  'middle part dropped': ({ given, family }, random) => {
    if (given.length > 1) return { given: without(given, 1 + random.below(given.length - 1)), family };
    return family.filter((part) => !PARTICLES.test(part)).length > 1 ? { given, family: [family[0]!] } : undefined;
  },
  'part added': ({ given, family }, random) => ({ given: [...given, random.pick(ADDED)], family }),
  'given names as initials': ({ given, family }) =>
    given.length > 0 && family.join('').length > 3 ? { given: given.map((part) => `${part[0]}.`), family } : undefined,
  'other romanisation': (name, random) => respell(name, random, RESPELLINGS, 2),
  'by ear': (name, random) => respell(name, random, SOUNDS, 1),
  'words joined': ({ given, family }) =>
    given.length > 1
      ? { given: [given[0]! + given[1]!.toLowerCase(), ...given.slice(2)], family }
      : family.length > 1
        ? { given, family: [family[0]! + family[1]!.toLowerCase(), ...family.slice(2)] }
        : { given: [], family: [(given[0] ?? '') + family[0]!.toLowerCase()] },
  'word split': ({ given, family }, random) => {
    const at = family.findIndex((part) => part.length >= 7);
    if (at < 0) return undefined;
    const cut = 3 + random.below(family[at]!.length - 5);
    const halves = [family[at]!.slice(0, cut), family[at]!.slice(cut)];
    return { given, family: [...family.slice(0, at), ...halves, ...family.slice(at + 1)] };
  },
  'particle dropped': ({ given, family }) => {
    const kept = {
      given: given.filter((part) => !PARTICLES.test(part)),
      family: family.filter((part) => !PARTICLES.test(part)),
    };
    const dropped = kept.given.length + kept.family.length < given.length + family.length;
    return dropped && kept.family.length > 0 ? kept : undefined;
  },
  'short form of a given name': (name) => {
    const at = name.given.findIndex((part) => SHORT_FORMS[part.toLowerCase()] !== undefined);
    return at < 0 ? undefined : { ...name, given: name.given.with(at, SHORT_FORMS[name.given[at]!.toLowerCase()]!) };
  },
  'in Cyrillic': (name) => mapParts(name, toCyrillic),
};

function mapParts({ given, family }: WrittenName, map: (part: string) => string): WrittenName {
  return { given: given.map(map), family: family.map(map) };
}

function without(parts: string[], at: number): string[] {
  return parts.filter((_, position) => position !== at);
}

/** One letter replaced, dropped, doubled or swapped, in a part of at least four letters. */
function typo(name: WrittenName, random: Random): WrittenName | undefined {
  const long = [...name.given, ...name.family].filter((part) => part.length >= 4);
  if (long.length === 0) return undefined;
  const target = random.pick(long);
  let done = false;
  return mapParts(name, (part) => {
    if (part !== target || done) return part;
    done = true;
    return misspell(part, random);
  });
}

export function misspell(part: string, random: Random): string {
  const at = random.below(part.length);
  const letter = 'abcdefghijklmnopqrstuvwxyz'[random.below(26)]!;
  switch (random.below(4)) {
    case 0:
      return part.slice(0, at) + letter + part.slice(at + 1);
    case 1:
      return part.slice(0, at) + part.slice(at + 1);
    case 2:
      return part.slice(0, at) + letter + part.slice(at);
    default:
      return at + 1 < part.length
        ? part.slice(0, at) + part[at + 1] + part[at] + part.slice(at + 2)
        : part.slice(0, at) + letter;
  }
}

function respell(
  name: WrittenName,
  random: Random,
  rules: readonly (readonly [RegExp, string])[],
  times: number,
): WrittenName | undefined {
  let changed = 0;
  const order = random.shuffle([...rules]);
  const respelled = mapParts(name, (part) => {
    let text = part;
    for (const [pattern, replacement] of order) {
      if (changed < times && part.length > 3 && pattern.test(text)) {
        text = text.replace(pattern, replacement);
        changed += 1;
        break;
      }
    }
    return text;
  });
  return changed > 0 ? respelled : undefined;
}

export function toCyrillic(part: string): string {
  return part
    .toLowerCase()
    .replace(/shch|zh|kh|ts|ch|sh|yu|ya|yo|ye|ph|th|[a-z]/g, (sound) => CYRILLIC[sound] ?? sound);
}
