// The page's languages.
import english from './languages/en.json' with { type: 'json' };
import { chooseLanguage } from './languages.ts';
import { type Catalogue, createTranslator, type Translator } from './translate.ts';

export { chooseLanguage, directionOf, LANGUAGES, type Language } from './languages.ts';
export type { TextKey, TextValues, Translator } from './translate.ts';

const SPARE = 'en';

type Fetch = (tag: string) => Promise<Catalogue>;

/** A language that does not arrive is no reason to show nothing: then it is English. */
export async function loadLanguage(locale: string, fetch: Fetch = fetchCatalogue): Promise<Translator> {
  const tag = chooseLanguage(locale);
  const catalogue = tag === SPARE ? english : await fetch(tag).catch(() => undefined);
  return catalogue ? createTranslator(tag, catalogue) : createTranslator(SPARE, english);
}

async function fetchCatalogue(tag: string): Promise<Catalogue> {
  const { default: catalogue } = await import(`./languages/${tag}.json`, { with: { type: 'json' } });
  return catalogue as Catalogue;
}
