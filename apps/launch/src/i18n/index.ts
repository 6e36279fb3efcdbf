import english from './languages/en.json' with { type: 'json' };
import { chooseLanguage } from './languages.ts';
import { type Catalogue, createTranslator, type Translator } from './translate.ts';

export { chooseLanguage, getDirection as directionOf, LANGUAGES, type Language } from './languages.ts';
export type { TextKey, TextValues, Translator } from './translate.ts';

const FALLBACK = 'en';

type Fetch = (tag: string) => Promise<Catalogue>;

/** Loads the language of a locale. Falls back to English if it fails to load. */
export async function loadLanguage(locale: string, fetch: Fetch = fetchCatalogue): Promise<Translator> {
  const tag = chooseLanguage(locale);
  const catalogue = tag === FALLBACK ? english : await fetch(tag).catch(() => undefined);
  return catalogue ? createTranslator(tag, catalogue) : createTranslator(FALLBACK, english);
}

async function fetchCatalogue(tag: string): Promise<Catalogue> {
  const { default: catalogue } = await import(`./languages/${tag}.json`, { with: { type: 'json' } });
  return catalogue as Catalogue;
}
