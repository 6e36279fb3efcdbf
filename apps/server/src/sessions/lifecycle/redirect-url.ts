// Which addresses a browser may be sent to at the end of a session.
import { invalid } from '../../platform/base/errors.ts';

/** Schemes that run code, read what is local or are no place to return to. What is left is an app's own scheme. */
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

/** The same, with the refusal that a caller is told; `path` is where it was given. */
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
