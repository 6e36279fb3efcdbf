// Texts in one language, with placeholders, plurals and numbers.
import type english from './languages/en.json';

export type TextKey = keyof typeof english;
/** A text, or one text per plural category (CLDR). */
export type Catalogue = Readonly<Record<TextKey, string | Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>>>;

/** `count` selects the plural. Numbers are formatted for the language. */
export type TextValues = Readonly<Record<string, string | number>>;

export type Translator = ReturnType<typeof createTranslator>;

export function createTranslator(tag: string, catalogue: Catalogue) {
  const plurals = new Intl.PluralRules(tag);
  const numbers = new Intl.NumberFormat(tag);
  const percents = new Intl.NumberFormat(tag, { style: 'percent', maximumFractionDigits: 0 });
  const times = new Intl.RelativeTimeFormat(tag, { numeric: 'auto' });

  function choose(key: TextKey, values: TextValues): string {
    const entry = catalogue[key];
    if (typeof entry === 'string') return entry;
    const { count } = values;
    return (typeof count === 'number' ? entry[plurals.select(count)] : undefined) ?? entry.other ?? '';
  }

  return {
    tag,
    /** Returns the text of a key. Keeps a placeholder without a value, so that tests find it. */
    text: (key: TextKey, values: TextValues = {}): string =>
      choose(key, values).replace(/\{(\w+)\}/g, (placeholder, name: string) => {
        const value = Object.hasOwn(values, name) ? values[name] : undefined;
        if (value === undefined) return placeholder;
        return typeof value === 'number' ? numbers.format(value) : value;
      }),
    percent: (share: number): string => percents.format(share),
    /** Formats an approximate age: "now", "3 minutes ago". */
    ago(ms: number): string {
      const minutes = Math.max(Math.floor(ms / 60_000), 0);
      if (minutes === 0) return times.format(0, 'second');
      return minutes < 60 ? times.format(-minutes, 'minute') : times.format(-Math.floor(minutes / 60), 'hour');
    },
  };
}
