// The language that a session's creation asks for.
import { invalid } from '../../platform/errors.ts';

const DEFAULT_LOCALE = 'en';

/** What hosts ask for is one of a few, and to read one costs more than to look a session up. */
const known = new Map<string, string>();
const MAX_KNOWN = 256;

/** In its canonical form; `en_US` is how many platforms write it. */
export function readLocale(text = DEFAULT_LOCALE): string {
  let locale = known.get(text);
  if (locale === undefined) {
    locale = canonical(text);
    if (known.size === MAX_KNOWN) known.delete(known.keys().next().value!);
    known.set(text, locale);
  }
  return locale;
}

function canonical(text: string): string {
  try {
    return new Intl.Locale(text.replaceAll('_', '-')).toString();
  } catch {
    throw invalid('body.locale', 'must be a language tag such as en, de-AT or pt_BR');
  }
}
