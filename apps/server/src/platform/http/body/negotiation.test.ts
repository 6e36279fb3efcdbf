// Requests that ask for a JWT or a compressed reply.
import { expect, it } from 'vitest';
import { acceptsGzip, prefersJwt } from './negotiation.ts';

it.each([
  [undefined, false],
  ['', false],
  ['*/*', false],
  ['application/*', false],
  ['application/json', false],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', false],
  ['application/jwt', true],
  ['APPLICATION/JWT ; Q=0.3', true],
  ['application/jwt, */*', true],
  ['application/jwt, application/json', true],
  ['application/jwt, application/json;q=0.9', true],
  ['application/jwt;q=0.5, application/json', false],
  ['application/jwt;q=0.5, */*', false],
  ['application/jwt;q=0.5, application/*;q=0.6, */*;q=0.1', false],
  ['application/jwt;q=0.5, application/json;q=0.1, */*', true],
  ['application/jwt;q=0.5, text/html', false],
  ['application/jwt;q=0', false],
  ['application/jwt;q=0.000, */*;q=0', false],
  ['application/jwt;q=2', false],
  ['application/jwt;q=-1', false],
  ['application/jwt;q=nonsense', false],
  ['application/jwtx', false],
])('answers "Accept: %s" with JWT %s', (accept, jwt) => {
  expect(prefersJwt(accept)).toBe(jwt);
});

it.each([
  [undefined, false],
  ['gzip, deflate, br, zstd', true],
  ['br, GZIP;q=0.5', true],
  ['gzip;q=0', false],
  ['identity', false],
  ['*', false],
])('answers "Accept-Encoding: %s" with gzip %s', (acceptEncoding, gzip) => {
  expect(acceptsGzip(acceptEncoding)).toBe(gzip);
});
