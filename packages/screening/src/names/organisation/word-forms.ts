// Other forms of a word in an organization's name: translations, abbreviations, adjectives of
// places.
import { canonicalSpelling } from '../spelling.ts';
import { ORGANIZATION_SYNONYMS } from '../tables/organisation-synonyms.ts';
import type { NameForm } from '../variants.ts';

let forms: Map<string, NameForm[]> | undefined;
/** Keyed by the stem of Slavic adjectives and nouns. */
let stems: Map<string, NameForm[]> | undefined;

/** Keyed by canonical spelling, so that every romanization leads to the others. */
export function findOrganizationForms(canonical: string): readonly NameForm[] {
  forms ??= buildForms();
  return forms.get(canonical) ?? [];
}

function buildForms(): Map<string, NameForm[]> {
  const byCanonical = new Map<string, NameForm[]>();
  for (const line of ORGANIZATION_SYNONYMS) {
    const group = line.split(' ').map(formOf);
    for (const { canonical } of group) {
      const known = byCanonical.get(canonical) ?? [];
      byCanonical.set(canonical, [...known, ...group.filter((form) => form.canonical !== canonical)]);
    }
  }
  return byCanonical;
}

/** Endings of adjectives and of nouns such as `investitsiya`, in any case. */
const CASE_ENDING =
  /^(.{4,}?)(?:iy|yy|yi|ii|oy|oi|ey|aya|aia|yaya|oe|oye|ee|ogo|ego|omu|emu|ykh|ikh|ym|im|ymi|imi|uyu|ye|iya|ia|iyu|iey|iyam|iyakh|ie|iye)$/;
const SHORT_ENDING = /^(.{3,}(?:sk|n))[yi]$/;

function stemOf(text: string): string | undefined {
  const stem = (CASE_ENDING.exec(text) ?? SHORT_ENDING.exec(text))?.[1];
  return stem === undefined ? undefined : canonicalSpelling(stem);
}

/** Words in another case or gender than in the tables: `natsionalny`. */
function inflectedForms(text: string): readonly NameForm[] {
  stems ??= buildStems();
  const stem = stemOf(text);
  return (stem === undefined ? undefined : stems.get(stem)) ?? [];
}

function buildStems(): Map<string, NameForm[]> {
  const byStem = new Map<string, NameForm[]>();
  for (const line of ORGANIZATION_SYNONYMS) {
    const group = line.split(' ');
    for (const stem of new Set(group.map(stemOf).filter((stemText) => stemText !== undefined)))
      byStem.set(stem, [...(byStem.get(stem) ?? []), ...group.map(formOf)]);
  }
  return byStem;
}

/** Technology companies: Ortekh, Ortech, Ortec. */
const TECH = /^(.{2,})te(?:kh|ch|h|c|k|q|x)$/;
const TECH_ENDINGS = ['tekh', 'tech', 'tec'];

function techForms(text: string): NameForm[] {
  const stem = TECH.exec(text)?.[1];
  return stem === undefined ? [] : TECH_ENDINGS.map((ending) => formOf(stem + ending));
}

const ADJECTIVE = /^(.{3,})sk(?:iy|ii|ij|y|i|aya|aia|oe|oye|ogo|oy|oi|a)$/;
const ENDINGS = ['skiy', 'skaya', 'skoe'];
const MIN_PLACE = 4;

/** Forms that no table has: other cases, other endings of made-up names, adjectives. */
export function derivedForms(text: string): NameForm[] {
  return [...inflectedForms(text), ...techForms(text), ...adjectiveForms(text)];
}

/** Slavic adjectives of places: Murom and Muromskiy, Sverdlovsk and Sverdlovskaya. */
function adjectiveForms(text: string): NameForm[] {
  const stem = ADJECTIVE.exec(text)?.[1];
  if (stem !== undefined) return [stem, `${stem}sk`, ...ENDINGS.map((ending) => stem + ending)].map(formOf);
  if (text.length < MIN_PLACE) return [];
  const place = text.endsWith('sk') ? text.slice(0, -2) : text;
  return ENDINGS.map((ending) => formOf(place + ending));
}

function formOf(text: string): NameForm {
  return { text, canonical: canonicalSpelling(text), nickname: false };
}
