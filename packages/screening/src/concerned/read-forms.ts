// A name as the parts that a search for it begins with.
import type { Kind } from '../kind.ts';
import type { QueryPart } from '../matching/query.ts';
import { nameForms } from '../names/name-forms.ts';

/** In each of its forms, those without a part left out. */
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
