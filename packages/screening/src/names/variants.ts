// Forms of a name that no spelling rule finds: other languages, conventional romanizations, short
// forms.
import { isCommonName } from './part-class.ts';
import { canonicalSpelling } from './spelling.ts';
import { NAMES_IN_ARABIC_SCRIPT } from './tables/arabic-names.ts';
import { MEN_WITH_WOMEN_IN_E } from './tables/men-and-women.ts';
import { EQUIVALENT_NAMES, NICKNAMES } from './tables/name-variants.ts';

export interface NameForm {
  text: string;
  canonical: string;
  nickname: boolean;
  /** Spellings in its table group, if it comes from one. */
  spellings?: readonly string[];
}

/** A form from a group, with the group's members that sound like the original name. */
interface GroupedForm extends NameForm {
  spellings: readonly string[];
  of: readonly string[];
}

interface KnownForms {
  byCanonical: Map<string, GroupedForm[]>;
  /** Groups of each name as written in the tables. */
  groups: Map<string, ReadonlySet<string>[]>;
}

const NO_FORMS: readonly GroupedForm[] = [];

let forms: KnownForms | undefined;

function knownForms(): KnownForms {
  forms ??= buildForms(); // on first search, because not every user of the package searches
  return forms;
}

/**
 * Keyed by canonical spelling, so that every romanization of a known form leads to the others. A
 * name that the tables contain literally uses only its own groups: Joan sounds like Juan and is no
 * form of John. Short forms have arbitrary spellings.
 */
export function findOtherForms(text: string, canonical: string): readonly NameForm[] {
  const { byCanonical, groups } = knownForms();
  const found = byCanonical.get(canonical) ?? NO_FORMS;
  if (found.length === 0 || !groups.has(text)) return found;
  return found.filter(({ of, nickname }) => nickname || of.some((name) => mayBeOne(text, name)));
}

/** Returns whether a name that sounds like another form is that form. */
export function isSpelling(text: string, { nickname, spellings }: NameForm): boolean {
  return nickname || spellings === undefined || spellings.some((name) => mayBeOne(text, name));
}

/** Returns whether two equal-sounding names may be one. False if the tables distinguish them. */
function mayBeOne(text: string, name: string): boolean {
  if (text === name) return true;
  const { groups } = knownForms();
  const [own, otherGroups] = [groups.get(text), groups.get(name)];
  return own === undefined || otherGroups === undefined || own.some((group) => group.has(name));
}

/** Returns whether the tables contain the name literally. */
export function isKnownName(text: string): boolean {
  return knownForms().groups.has(text);
}

/** Returns whether the tables contain both names literally, but never as one: Bashar and Bushra. */
export function areTwoNames(left: string, right: string): boolean {
  if (left === right || !isTableName(left) || !isTableName(right)) return false;
  return !(
    knownForms()
      .groups.get(left)
      ?.some((group) => group.has(right)) ?? false
  );
}

/** Returns whether a table contains the name literally. */
export function isTableName(text: string): boolean {
  return isKnownName(text) || text in NAMES_IN_ARABIC_SCRIPT;
}

function buildForms(): KnownForms {
  const known: KnownForms = { byCanonical: new Map(), groups: new Map() };
  for (const group of EQUIVALENT_NAMES) addGroup(known, group.split(' '), false);
  for (const group of NICKNAMES) addGroup(known, group.split(' '), true);
  return known;
}

function addGroup({ byCanonical, groups }: KnownForms, members: string[], nickname: boolean): void {
  const group = new Set(members);
  for (const member of members) groups.set(member, [...(groups.get(member) ?? []), group]);
  const bySound = Map.groupBy(members, canonicalSpelling);
  for (const [canonical, of] of bySound) {
    const otherSounds = [...bySound].filter(([sound]) => sound !== canonical);
    const added = otherSounds.map(([sound, spellings]) => ({
      text: spellings[0]!,
      canonical: sound,
      nickname,
      spellings,
      of,
    }));
    // A pair in both tables has the closer kind, which comes first.
    byCanonical.set(canonical, [...(byCanonical.get(canonical) ?? []), ...added]);
  }
}

const MASCULINE = /(?:ov|ev|in|yn)$/;
const FEMININE = /(?:ov|ev|in|yn)a$/;
const MASCULINE_SKY = /sk(?:y|iy|ii|ij|yi|i)$/;
const FEMININE_SKY = /sk(?:aya|aia|aja|a)$/;

/** Slavic family names have two forms: Ivanov and Ivanova. Given names do not. */
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

/** Common family names on -ov and -ev are forms of each other nevertheless. */
function isCommonGiven(text: string): boolean {
  return isCommonName(text) && !/[oe]va?$/.test(text);
}

const FATHER = /^([a-z]{3,}?)(?:[yi]?[oea]v[iy]t?ch|[yi]?[oe][vw]itsch|([yi]?[oei]vna|[ae]una))$/;
/** Endings after a father's name that lost its last vowel, and after those that end in one. */
const FATHERS_ENDINGS = ['', 'y', 'i', 'iy', 'ei', 'a'];
const SONS = ['ovich', 'evich', 'ievich', 'avich'];
const DAUGHTERS = ['ovna', 'evna', 'ievna', 'ivna', 'auna', 'euna'];

/** Patronymics with the father's name in another language: Ryhoravich is Grigoryevich. */
export function patronymicForms(text: string): NameForm[] {
  if (!text.endsWith('ch') && !text.endsWith('na')) return [];
  const [, stem, daughter] = FATHER.exec(text) ?? [];
  if (stem === undefined) return [];
  const endings = daughter === undefined ? SONS : DAUGHTERS;
  const stems = new Set(
    FATHERS_ENDINGS.flatMap((ending) => findOtherForms(stem + ending, canonicalSpelling(stem + ending)))
      .filter(({ nickname }) => !nickname)
      .map((form) => form.text.replace(/[aeiouy]{1,2}$/, '')),
  );
  return [...stems].flatMap((father) => endings.map((ending) => formOf(father + ending)));
}

const SOUTH_SLAVIC = /[aeiou](?:vi|i)c$/;

/** Family names with Đ become Dj without the letter, and D without its stroke: Dukanovic. */
function strokeForms(text: string): NameForm[] {
  if (!text.includes('d') || !SOUTH_SLAVIC.test(text)) return [];
  const form = text.includes('dj') ? text.replaceAll('dj', 'd') : text.replace(/d(?=[aeiou])/g, 'dj');
  return form === text ? [] : [formOf(form)];
}

function formOf(text: string): NameForm {
  return { text, canonical: canonicalSpelling(text), nickname: false };
}

/**
 * Returns whether one name is the feminine of the other: Karl and Karla, which is no typo. Family
 * names are forms of each other.
 */
export function isFeminineOf(feminine: string, masculine: string): boolean {
  return feminine.length === masculine.length + 1 && feminine.endsWith('a') && feminine.startsWith(masculine);
}

const menWithWomenInE = new Set(MEN_WITH_WOMEN_IN_E);

/** Simone and Simon, Marcelle and Marcel: female and male in most languages, longer first. */
export function isWomanInE(feminine: string, masculine: string): boolean {
  if (!feminine.endsWith('e') || !feminine.startsWith(masculine) || !menWithWomenInE.has(masculine)) return false;
  const added = feminine.slice(masculine.length);
  return added === 'e' || added === `${masculine.at(-1)}e`;
}

/** Given names of women and men that differ in more than an ending. */
const OTHER_GENDER = new Map(
  [
    ['alexandra', 'alexander'],
    ['michelle', 'michael'],
    ['nicole', 'nicolas'],
  ].flatMap(([feminine, masculine]) => [
    [feminine!, masculine!],
    [masculine!, feminine!],
  ]) as [string, string][],
);

/** Returns whether this is a separate name that could be split into a man's name and a rest. */
export function isWomansName(text: string): boolean {
  if (OTHER_GENDER.has(text)) return true;
  return isWomanInE(text, text.slice(0, -1)) || isWomanInE(text, text.slice(0, -2));
}

/** Returns the given name of the other gender with which this one is easily confused, if any. */
export function findOtherGender(text: string): string | undefined {
  return OTHER_GENDER.get(text);
}

/** Returns all forms of a person's name. */
export function findNameForms(text: string, canonical: string): NameForm[] {
  return [...findOtherForms(text, canonical), ...genderForms(text), ...strokeForms(text), ...patronymicForms(text)];
}
