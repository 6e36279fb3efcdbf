// Who gets a page at `/`, and who a compressed body.
import { expect, it } from 'vitest';
import { acceptsGzip, prefersHtml } from './negotiation.ts';

it.each([
  [undefined, false],
  ['*/*', false],
  ['application/json', false],
  ['text/html', true],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', true],
  ['text/html;q=0.5, application/json', false],
  ['application/json;q=0.5, TEXT/HTML', true],
  ['text/html;q=0', false],
  ['text/html;q=nonsense', false],
])('Accept: %s → %s', (accept, html) => {
  expect(prefersHtml(accept)).toBe(html);
});

it.each([
  [undefined, false],
  ['gzip, deflate, br, zstd', true],
  ['br, GZIP;q=0.5', true],
  ['gzip;q=0', false],
  ['identity', false],
  ['*', false],
])('Accept-Encoding: %s → gzip %s', (acceptEncoding, gzip) => {
  expect(acceptsGzip(acceptEncoding)).toBe(gzip);
});
