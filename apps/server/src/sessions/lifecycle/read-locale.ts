// The language that a session's creation asks for.
import { invalid } from '../../platform/base/errors.ts';

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

/**
 * Tags that are well-formed only because RFC 5646 names them (2.2.8), with what stands for them today. JavaScript knows none of
 * these.
 */
const GRANDFATHERED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'en-gb-oed': 'en-GB',
    'i-ami': 'ami',
    'i-bnn': 'bnn',
    'i-default': 'en',
    'i-enochian': 'en',
    'i-hak': 'hak',
    'i-klingon': 'tlh',
    'i-lux': 'lb',
    'i-mingo': 'see',
    'i-navajo': 'nv',
    'i-pwn': 'pwn',
    'i-tao': 'tao',
    'i-tay': 'tay',
    'i-tsu': 'tsu',
    'no-bok': 'nb',
    'no-nyn': 'nn',
    'sgn-be-fr': 'sfb',
    'sgn-be-nl': 'vgt',
    'sgn-ch-de': 'sgg',
    'zh-min': 'zh',
    'zh-min-nan': 'zh',
  }),
);

/** Tags of private use are well-formed and mean nothing to others. */
const PRIVATE_USE = /^x(-[a-z\d]{1,8})+$/i;
/** Subtags such as `cmn` in `zh-cmn-Hans`, which narrow down a language and which JavaScript does not read. */
const EXTENDED_LANGUAGE = /^([a-z]{2,3})(?:-[a-z]{3}){1,3}(?=-|$)/i;

function canonical(text: string): string {
  const tag = text.replaceAll('_', '-');
  if (PRIVATE_USE.test(tag)) return DEFAULT_LOCALE;
  try {
    return new Intl.Locale(GRANDFATHERED.get(tag.toLowerCase()) ?? tag.replace(EXTENDED_LANGUAGE, '$1')).toString();
  } catch {
    throw invalid('body.locale', 'must be a language tag such as en, de-AT or pt_BR');
  }
}
