// Reads the language, redirect address and requester of new sessions.
import { REQUESTER_MAX_LENGTH } from '@limen/contract';
import { invalid } from '../../platform/base/errors.ts';

const DEFAULT_LOCALE = 'en';

/** Grandfathered tags (RFC 5646, 2.2.8) and their replacements. JavaScript knows none of them. */
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

const PRIVATE_USE = /^x(-[a-z\d]{1,8})+$/i;
/** Extended language subtags such as `cmn` in `zh-cmn-Hans`, which JavaScript does not read */
const EXTENDED_LANGUAGE = /^([a-z]{2,3})(?:-[a-z]{3}){1,3}(?=-|$)/i;

/** Returns the canonical form. Accepts underscores, as in `en_US`. */
export function readLocale(text = DEFAULT_LOCALE): string {
  const tag = text.replaceAll('_', '-');
  if (PRIVATE_USE.test(tag)) return DEFAULT_LOCALE;
  try {
    return new Intl.Locale(GRANDFATHERED.get(tag.toLowerCase()) ?? tag.replace(EXTENDED_LANGUAGE, '$1')).toString();
  } catch {
    throw invalid('body.locale', 'must be a language tag such as en, de-AT or pt_BR');
  }
}

/** Schemes that run code, read local data or cannot be a return address. Other schemes belong to apps. */
const REFUSED_SCHEMES: ReadonlySet<string> = new Set(
  [
    'javascript vbscript livescript data blob file filesystem about view-source jar resource cid mid',
    'chrome chrome-extension chrome-search chrome-untrusted devtools edge moz-extension safari-web-extension',
    'ws wss ftp ftps mailto tel sms',
    'content feed mhtml ms-msdt search-ms',
  ].flatMap((line) => line.split(' ')),
);

/** Returns the address as browsers read it, or undefined if it is refused. */
export function readRedirectUrl(text: string): string | undefined {
  // Browsers skip tabs and line breaks in an address, and so does this parser.
  const url = URL.parse(text);
  if (url === null || REFUSED_SCHEMES.has(url.protocol.slice(0, -1))) return undefined;
  // A password would reach every device, and a user name can pass for a host name.
  return url.username === '' && url.password === '' ? url.href : undefined;
}

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

/** Returns the label on one line, cut for pages, without controls that reorder text. */
export function readRequester(label: string | null): string | null {
  const line = (label ?? '')
    .replace(/\p{Bidi_Control}+/gu, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return [...line].slice(0, REQUESTER_MAX_LENGTH).join('').trim() || null;
}
