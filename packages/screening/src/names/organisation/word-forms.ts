// Other forms of a word in an organisation's name: translations, abbreviations, the adjectives of places.
import { canonicalSpelling } from '../spelling.ts';
import { ORGANISATION_FORMS } from '../tables/organisation-forms.ts';
import type { NameForm } from '../variants.ts';

let forms: Map<string, NameForm[]> | undefined;

/** Looked up by canonical spelling, so that every romanisation leads to the others. */
export function organisationFormsOf(canonical: string): readonly NameForm[] {
  forms ??= buildForms();
  return forms.get(canonical) ?? [];
}

function buildForms(): Map<string, NameForm[]> {
  const byCanonical = new Map<string, NameForm[]>();
  for (const line of ORGANISATION_FORMS) {
    const group = line.split(' ').map(formOf);
    for (const { canonical } of group) {
      const known = byCanonical.get(canonical) ?? [];
      byCanonical.set(canonical, [...known, ...group.filter((form) => form.canonical !== canonical)]);
    }
  }
  return byCanonical;
}

const ADJECTIVE = /^(.{3,})sk(?:iy|ii|ij|y|i|aya|aia|oe|oye|ogo|oy|oi|a)$/;
const ENDINGS = ['skiy', 'skaya', 'skoe'];
const MIN_PLACE = 4;

/** Slavic adjectives of places: Murom and Muromskiy, Sverdlovsk and Sverdlovskaya. */
export function adjectiveForms(text: string): NameForm[] {
  const stem = ADJECTIVE.exec(text)?.[1];
  if (stem !== undefined) return [stem, `${stem}sk`, ...ENDINGS.map((ending) => stem + ending)].map(formOf);
  if (text.length < MIN_PLACE) return [];
  const place = text.endsWith('sk') ? text.slice(0, -2) : text;
  return ENDINGS.map((ending) => formOf(place + ending));
}

function formOf(text: string): NameForm {
  return { text, canonical: canonicalSpelling(text), nickname: false };
}
