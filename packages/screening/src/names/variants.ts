// Other forms of a name that no spelling rule finds: other languages, conventional romanisations, short forms.
import { isCommonName } from './part-class.ts';
import { canonicalSpelling } from './spelling.ts';
import { EQUIVALENT_NAMES, NICKNAMES } from './tables/name-variants.ts';

export interface NameForm {
  text: string;
  canonical: string;
  nickname: boolean;
}

let forms: Map<string, NameForm[]> | undefined;

/** Looked up by canonical spelling, so that every romanisation of a known form leads to the others. */
export function otherFormsOf(canonical: string): readonly NameForm[] {
  forms ??= buildForms(); // with the first search, because not everybody who loads the package searches
  return forms.get(canonical) ?? [];
}

function buildForms(): Map<string, NameForm[]> {
  const formsByCanonical = new Map<string, NameForm[]>();
  for (const group of EQUIVALENT_NAMES) addGroup(formsByCanonical, group.split(' '), false);
  for (const group of NICKNAMES) addGroup(formsByCanonical, group.split(' '), true);
  return formsByCanonical;
}

function addGroup(formsByCanonical: Map<string, NameForm[]>, members: string[], nickname: boolean): void {
  const group = members.map((text) => ({ text, canonical: canonicalSpelling(text), nickname }));
  for (const { canonical } of group) {
    const known = formsByCanonical.get(canonical) ?? [];
    for (const form of group) {
      // A pair that is in both tables counts as the closer of the two, which comes first.
      const isNew = form.canonical !== canonical && !known.some((other) => other.canonical === form.canonical);
      if (isNew) known.push(form);
    }
    formsByCanonical.set(canonical, known);
  }
}

const MASCULINE = /(?:ov|ev|in|yn)$/;
const FEMININE = /(?:ov|ev|in|yn)a$/;
const MASCULINE_SKY = /sk(?:y|iy|ii|ij|yi|i)$/;
const FEMININE_SKY = /sk(?:aya|aia|aja|a)$/;

/** Slavic family names have two forms: Ivanov and Ivanova. Given names such as Martin and Martina are two names. */
export function genderForms(text: string): NameForm[] {
  if (text.length < 5 || isCommonGiven(text)) return [];
  const form = FEMININE.test(text)
    ? text.slice(0, -1)
    : MASCULINE.test(text)
      ? `${text}a`
      : FEMININE_SKY.test(text)
        ? text.replace(FEMININE_SKY, 'sky')
        : MASCULINE_SKY.test(text)
          ? text.replace(MASCULINE_SKY, 'skaya')
          : undefined;
  if (form === undefined || isCommonGiven(form)) return [];
  return [formOf(form)];
}

/** Common family names on -ov and -ev are forms of each other all the same. */
function isCommonGiven(text: string): boolean {
  return isCommonName(text) && !/[oe]va?$/.test(text);
}

const SOUTH_SLAVIC = /[aeiou](?:vi|i)c$/;

/** Family names with Đ are written with Dj where the letter is missing, and with D where only its stroke is: Dukanovic. */
export function strokeForms(text: string): NameForm[] {
  if (!text.includes('d') || !SOUTH_SLAVIC.test(text)) return [];
  const form = text.includes('dj') ? text.replaceAll('dj', 'd') : text.replace(/d(?=[aeiou])/g, 'dj');
  return form === text ? [] : [formOf(form)];
}

function formOf(text: string): NameForm {
  return { text, canonical: canonicalSpelling(text), nickname: false };
}

/** Whether one of two names is the other's feminine: Karl and Karla, which is no slip. Family names are forms of each other. */
export function isFeminineOf(feminine: string, masculine: string): boolean {
  return feminine.length === masculine.length + 1 && feminine.endsWith('a') && feminine.startsWith(masculine);
}

/** Given names of women and men that differ in more than an -a. Where a man may bear both, as Simone in Italy, they are not here. */
const OTHER_GENDER = new Map(
  [
    ['alexandra', 'alexander'],
    ['danielle', 'daniel'],
    ['gabrielle', 'gabriel'],
    ['michelle', 'michael'],
    ['nicole', 'nicolas'],
  ].flatMap(([feminine, masculine]) => [
    [feminine!, masculine!],
    [masculine!, feminine!],
  ]) as [string, string][],
);

/** The given name of the other gender that this one is easily taken for, if there is one. */
export function otherGenderOf(text: string): string | undefined {
  return OTHER_GENDER.get(text);
}
