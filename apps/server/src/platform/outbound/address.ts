// Decides which addresses may be called, before any name is resolved, and where a redirect may lead.
import { OutboundError } from './error.ts';

export function parseAddress(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new OutboundError('invalid_address', 'The address must begin with http:// or https://.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new OutboundError('invalid_address', 'An address with a user name or password in it is not called.');
  }
  return url;
}

/** Resolves a `Location` header against the address that sent it. */
export function nextAddress(from: URL, location: string): URL {
  if (!URL.canParse(location, from.href)) {
    throw new OutboundError('redirect_refused', `${from.host} redirects to something that is no address.`);
  }
  const next = new URL(location, from);
  if (from.protocol === 'https:' && next.protocol !== 'https:') {
    throw new OutboundError('redirect_refused', `${from.host} redirects from https to http.`);
  }
  return parseAddress(next.href);
}
