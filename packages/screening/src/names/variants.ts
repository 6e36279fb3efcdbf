// Other forms of a name that no spelling rule finds: other languages, conventional romanisations, short forms.
import { canonicalSpelling } from './spelling.ts';
import { EQUIVALENT_NAMES, NICKNAMES } from './tables/name-variants.ts';

export interface NameForm {
  text: string;
  nickname: boolean;
}

const formsByCanonical = new Map<string, Map<string, boolean>>();
for (const group of EQUIVALENT_NAMES) addGroup(group.split(' '), false);
for (const group of NICKNAMES) addGroup(group.split(' '), true);

/** Looked up by canonical spelling, so that every romanisation of a known form leads to the others. */
export function otherFormsOf(text: string): NameForm[] {
  const forms = formsByCanonical.get(canonicalSpelling(text));
  return forms ? [...forms].map(([form, nickname]) => ({ text: form, nickname })) : [];
}

function addGroup(members: string[], nickname: boolean): void {
  for (const member of members) {
    const key = canonicalSpelling(member);
    const forms = formsByCanonical.get(key) ?? new Map<string, boolean>();
    for (const other of members) {
      // A pair that is in both tables counts as the closer of the two.
      if (canonicalSpelling(other) !== key) forms.set(other, nickname && (forms.get(other) ?? true));
    }
    formsByCanonical.set(key, forms);
  }
}
