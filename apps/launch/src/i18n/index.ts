// The page's languages.
export { chooseLanguage, directionOf, LANGUAGES, type Language } from './languages.ts';
export { loadLanguage } from './load-language.ts';
export type { TextKey, TextValues, Translator } from './translate.ts';
