import { expect, it } from 'vitest';
import { parseUrl } from './parse-url.ts';

it.each([
  ['https://a.example/b', undefined, 'https://a.example/b'],
  ['c?d', 'https://a.example/b', 'https://a.example/c?d'],
  ['c', undefined, undefined],
  ['http://', 'https://a.example', undefined],
])('%s on %s', (text, base, url) => {
  expect(parseUrl(text, base)?.href).toBe(url);
});
