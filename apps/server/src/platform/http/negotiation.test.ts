// Who gets a page at `/`.
import { expect, it } from 'vitest';
import { prefersHtml } from './negotiation.ts';

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
