// Reads what both kinds of sessions are created with: language, redirect address and requester.

import { REQUESTER_MAX_LENGTH } from '@limen/contract';
import { invalid } from '../../platform/base/errors.ts';

const DEFAULT_LOCALE = 'en';

/** Cache: hosts use few locales, and parsing a locale costs more than a session lookup. */
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

/**
 * Schemes that run code, read local data or cannot be a return address. The remaining schemes
 * belong to apps.
 */
const REFUSED_SCHEMES: ReadonlySet<string> = new Set(
  [
    'javascript vbscript livescript data blob file filesystem about view-source jar resource cid mid',
    'chrome chrome-extension chrome-search chrome-untrusted devtools edge moz-extension safari-web-extension',
    'ws wss ftp ftps mailto tel sms',
    'content feed mhtml ms-msdt search-ms',
  ].flatMap((line) => line.split(' ')),
);

/** The address as browsers read it, or undefined when it is refused. */
export function readRedirectUrl(text: string): string | undefined {
  // Browsers skip tabs and line ends inside an address, and so does this parser: the scheme that is checked is theirs.
  const url = URL.parse(text);
  if (url === null || REFUSED_SCHEMES.has(url.protocol.slice(0, -1))) return undefined;
  // A password would reach every device, and a name before an @ passes for the host that it leads to.
  return url.username === '' && url.password === '' ? url.href : undefined;
}

/** Returns the address as browsers read it, or throws an error that names `path`. */
export function requireRedirectUrl(text: string, path: string): string {
  const url = readRedirectUrl(text);
  if (url === undefined) {
    throw invalid(
      path,
      'must be an absolute http or https address, or one with an app’s scheme, without user name and password',
    );
  }
  return url;
}

/**
 * The operator's own words, on one line and no longer than a page can show. Marks that turn the direction of writing
 * would turn that of the words around them too.
 */
export function readRequester(label: string | null): string | null {
  const line = (label ?? '')
    .replace(/\p{Bidi_Control}+/gu, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return [...line].slice(0, REQUESTER_MAX_LENGTH).join('').trim() || null;
}
