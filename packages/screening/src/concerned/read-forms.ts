// Parses a name into the parts with which a search for it starts.
import type { Kind } from '../kind.ts';
import type { QueryPart } from '../matching/query.ts';
import { nameForms } from '../names/name-forms.ts';

/** Returns each form of the name, including those with a part left out. */
export function readForms(name: string, kind: Kind): QueryPart[][] {
  const forms = nameForms(name, kind).map((form) =>
    form.map(({ text, vowelless, syllabic, letters, isFamily, start, end }, place) => ({
      text,
      vowelless,
      syllabic,
      letters,
      isFamily,
      place,
      written: name.slice(start, end),
    })),
  );
  return forms.filter((parts) => parts.length > 0);
}
