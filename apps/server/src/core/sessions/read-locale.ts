// The language that a session's creation asks for.
import { invalid } from '../../platform/errors.ts';

const DEFAULT_LOCALE = 'en';

/** In its canonical form; `en_US` is how many platforms write it. */
export function readLocale(text = DEFAULT_LOCALE): string {
  try {
    return new Intl.Locale(text.replaceAll('_', '-')).toString();
  } catch {
    throw invalid('body.locale', 'must be a language tag such as en, de-AT or pt_BR');
  }
}
