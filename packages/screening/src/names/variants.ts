// Other forms of a name that no spelling rule finds: other languages, conventional romanisations, short forms.
import { canonicalSpelling } from './spelling.ts';
import { EQUIVALENT_NAMES, NICKNAMES } from './tables/name-variants.ts';

export interface NameForm {
  text: string;
  canonical: string;
  nickname: boolean;
}

const formsByCanonical = new Map<string, NameForm[]>();
for (const group of EQUIVALENT_NAMES) addGroup(group.split(' '), false);
for (const group of NICKNAMES) addGroup(group.split(' '), true);

/** Looked up by canonical spelling, so that every romanisation of a known form leads to the others. */
export function otherFormsOf(canonical: string): readonly NameForm[] {
  return formsByCanonical.get(canonical) ?? [];
}

function addGroup(members: string[], nickname: boolean): void {
  const forms = members.map((text) => ({ text, canonical: canonicalSpelling(text), nickname }));
  for (const { canonical } of forms) {
    const known = formsByCanonical.get(canonical) ?? [];
    for (const form of forms) {
      // A pair that is in both tables counts as the closer of the two, which comes first.
      const isNew = form.canonical !== canonical && !known.some((other) => other.canonical === form.canonical);
      if (isNew) known.push(form);
    }
    formsByCanonical.set(canonical, known);
  }
}
