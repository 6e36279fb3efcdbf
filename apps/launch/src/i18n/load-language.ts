// Loads the texts of one language, and of no other: a phone gets what it shows.
import { chooseLanguage } from './languages.ts';
import { type Catalogue, createTranslator, type Translator } from './translate.ts';

export async function loadLanguage(locale: string): Promise<Translator> {
  const tag = chooseLanguage(locale);
  const { default: catalogue } = await import(`./languages/${tag}.json`, { with: { type: 'json' } });
  return createTranslator(tag, catalogue as Catalogue);
}
