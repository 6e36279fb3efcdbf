// Targets that a redirect may have.
import { describe, expect, it } from 'vitest';
import { nextAddress } from './address.ts';

const next = (from: string, location: string) => nextAddress(new URL(from), location).href;

describe('a redirect', () => {
  it.each([
    ['https://a.example/x/y', '../z', 'https://a.example/z'],
    ['https://a.example/', 'https://b.example/', 'https://b.example/'],
    ['http://a.example/', 'https://a.example/', 'https://a.example/'],
    ['http://a.example/', 'http://b.example/', 'http://b.example/'],
    ['https://a.example/', '//b.example/', 'https://b.example/'],
  ])('from %s to %s is followed', (from, location, href) => {
    expect(next(from, location)).toBe(href);
  });

  it.each([
    ['https://a.example/', 'http://a.example/', 'from https to http'],
    ['https://a.example/', 'ftp://a.example/', 'from https to'],
    ['http://a.example/', 'javascript:1', 'must begin with http'],
    ['http://a.example/', 'http://u:p@a.example/', 'user name or password'],
    ['http://a.example/', 'http://[', 'no address'],
  ])('from %s to %s is refused', (from, location, sentence) => {
    expect(() => next(from, location)).toThrow(sentence);
  });
});
