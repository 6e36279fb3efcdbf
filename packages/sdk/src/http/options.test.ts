// Invalid options are reported immediately, without quoting values.
import { describe, expect, it, vi } from 'vitest';
import { createLimenClient, type LimenClientOptions } from '../index.ts';
import { parseBaseUrl, parseUrl } from './options.ts';

const SECRET = 'sEcReT';
const create = (options: Partial<LimenClientOptions>) => () =>
  createLimenClient({ baseUrl: 'https://limen.example', ...options });

describe('baseUrl', () => {
  it.each([
    ['https://limen.example', 'https://limen.example/'],
    ['https://limen.example/', 'https://limen.example/'],
    ['https://host.example/limen', 'https://host.example/limen/'],
    ['http://127.0.0.1:8080/a/b/', 'http://127.0.0.1:8080/a/b/'],
  ])('normalizes %s to %s', (given, used) => {
    expect(parseBaseUrl(given).href).toBe(used);
  });

  it('may be relative only on a page', () => {
    expect(() => parseBaseUrl('/limen')).toThrow(/baseUrl must be a URL/);
    vi.stubGlobal('location', { href: 'https://shop.example/checkout?step=2' });
    try {
      expect(parseBaseUrl('/limen').href).toBe('https://shop.example/limen/');
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it.each([
    `https://user:${SECRET}@limen.example`,
    `https://limen.example/?key=${SECRET}`,
    `https://limen.example/#${SECRET}`,
    `ftp://limen.example/${SECRET}`,
    SECRET,
  ])('rejects %s', (baseUrl) => {
    expect(create({ baseUrl })).toThrow(TypeError);
    expect(create({ baseUrl })).not.toThrow(SECRET);
  });
});

it.each([`${SECRET}\n`, `${SECRET} `, `${SECRET}ü`, ''])(
  'rejects an API key that is not a valid header value',
  (apiKey) => {
    expect(create({ apiKey })).toThrow('apiKey must contain visible ASCII characters only');
  },
);

it.each([
  { timeoutMs: 0 },
  { timeoutMs: Number.POSITIVE_INFINITY },
  { timeoutMs: 2 ** 31 },
  { retries: { attempts: 0 } },
  { retries: { attempts: 1.5 } },
  { retries: { baseDelayMs: -1 } },
  { retries: { maxDelayMs: Number.NaN } },
  { retries: { maxRetryAfterMs: -1 } },
])('rejects %o', (options) => {
  expect(create(options)).toThrow(RangeError);
});

it.each([
  ['https://a.example/b', undefined, 'https://a.example/b'],
  ['c?d', 'https://a.example/b', 'https://a.example/c?d'],
  ['c', undefined, undefined],
  ['http://', 'https://a.example', undefined],
])('resolves %s on %s', (text, base, url) => {
  expect(parseUrl(text, base)?.href).toBe(url);
});
