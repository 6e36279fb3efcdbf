// Languages of the page, and the choice of a language for a locale.

export interface Language {
  /** BCP 47 tag; also the name of the file in languages/. */
  tag: string;
  /** Name in the language itself. */
  name: string;
}

export const LANGUAGES: readonly Language[] = [
  { tag: 'ar', name: 'العربية' },
  { tag: 'bg', name: 'Български' },
  { tag: 'bn', name: 'বাংলা' },
  { tag: 'ca', name: 'Català' },
  { tag: 'cs', name: 'Čeština' },
  { tag: 'da', name: 'Dansk' },
  { tag: 'de', name: 'Deutsch' },
  { tag: 'el', name: 'Ελληνικά' },
  { tag: 'en', name: 'English' },
  { tag: 'es', name: 'Español' },
  { tag: 'et', name: 'Eesti' },
  { tag: 'fa', name: 'فارسی' },
  { tag: 'fi', name: 'Suomi' },
  { tag: 'fil', name: 'Filipino' },
  { tag: 'fr', name: 'Français' },
  { tag: 'he', name: 'עברית' },
  { tag: 'hi', name: 'हिन्दी' },
  { tag: 'hr', name: 'Hrvatski' },
  { tag: 'hu', name: 'Magyar' },
  { tag: 'id', name: 'Bahasa Indonesia' },
  { tag: 'it', name: 'Italiano' },
  { tag: 'ja', name: '日本語' },
  { tag: 'ko', name: '한국어' },
  { tag: 'lt', name: 'Lietuvių' },
  { tag: 'lv', name: 'Latviešu' },
  { tag: 'ms', name: 'Bahasa Melayu' },
  { tag: 'nb', name: 'Norsk bokmål' },
  { tag: 'nl', name: 'Nederlands' },
  { tag: 'pl', name: 'Polski' },
  { tag: 'pt-BR', name: 'Português (Brasil)' },
  { tag: 'pt-PT', name: 'Português (Portugal)' },
  { tag: 'ro', name: 'Română' },
  { tag: 'ru', name: 'Русский' },
  { tag: 'sk', name: 'Slovenčina' },
  { tag: 'sl', name: 'Slovenščina' },
  { tag: 'sr', name: 'Српски' },
  { tag: 'sv', name: 'Svenska' },
  { tag: 'th', name: 'ไทย' },
  { tag: 'tr', name: 'Türkçe' },
  { tag: 'uk', name: 'Українська' },
  { tag: 'ur', name: 'اردو' },
  { tag: 'vi', name: 'Tiếng Việt' },
  { tag: 'zh-Hans', name: '简体中文' },
  { tag: 'zh-Hant', name: '繁體中文' },
];

const FALLBACK = 'en';
const RIGHT_TO_LEFT = new Set(['ar', 'fa', 'he', 'ur']);
/** Alternative tags, and languages whose speakers read a related one. */
const READ_INSTEAD = new Map([
  ['pt', 'pt-PT'],
  ['no', 'nb'],
  ['nn', 'nb'],
  ['tl', 'fil'],
  ['iw', 'he'],
  ['in', 'id'],
]);

/** Returns the language nearest to a locale: by region, script, language, or else English. */
export function chooseLanguage(locale: string): string {
  const { language, script, region } = readLocale(locale);
  const wanted = [`${language}-${region}`, `${language}-${script}`, language, READ_INSTEAD.get(language)];
  return wanted.find((tag) => LANGUAGES.some((known) => known.tag === tag)) ?? FALLBACK;
}

export function getDirection(tag: string): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.has(tag) ? 'rtl' : 'ltr';
}

function readLocale(text: string): { language: string; script: string | undefined; region: string | undefined } {
  try {
    // Adds likely subtags, so that zh-TW is known to use traditional characters.
    const { language, script, region } = new Intl.Locale(text.replaceAll('_', '-')).maximize();
    return { language, script, region };
  } catch {
    return { language: FALLBACK, script: undefined, region: undefined };
  }
}
