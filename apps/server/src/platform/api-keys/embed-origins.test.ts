// Origins that may embed the hosted pages of a key.
import { expect, it } from 'vitest';
import { listOrigins, readOrigin, readOrigins, writeOrigins } from './embed-origins.ts';

it.each([
  ['https://shop.example', 'https://shop.example'],
  [' https://Shop.Example:443/ ', 'https://shop.example'],
  ['https://shop.example:8443', 'https://shop.example:8443'],
  ['http://localhost:3000', 'http://localhost:3000'],
  ['http://shop.example', undefined],
  ['https://shop.example/path', undefined],
  ['https://shop.example?x', undefined],
  ['https://user@shop.example', undefined],
  ['https://*.shop.example', undefined],
  ['*', undefined],
  ['null', undefined],
  ["https://shop.example; script-src 'unsafe-inline'", undefined],
  // Characters that a browser keeps in a host name would start another directive or source.
  ['https://a.example;script-src-elem', undefined],
  ['https://a.example,b.example', undefined],
  ["https://'none'", undefined],
  ['https://a_b.example', undefined],
  ['https://bücher.example', 'https://xn--bcher-kva.example'],
  ['http://[::1]:3000', 'http://[::1]:3000'],
  ['javascript:alert(1)', undefined],
  ['', undefined],
])('normalizes %s to %s', (text, origin) => {
  expect(readOrigin(text)).toBe(origin);
});

it('removes duplicate origins, keeps their order, and returns undefined if none are left', () => {
  const origins = readOrigins(['https://b.example', 'https://a.example/', 'https://a.example'], 'origins');
  expect(origins).toEqual(['https://a.example', 'https://b.example']);
  expect(listOrigins({ embed_origins: writeOrigins(origins) })).toEqual(origins);
  expect(listOrigins({ embed_origins: writeOrigins([]) })).toEqual([]);
  expect(() => readOrigins(['https://a.example', 'nowhere'], 'origins')).toThrow('origins.1');
});
