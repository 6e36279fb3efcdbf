// Valid redirect URLs for a browser.
import { expect, it } from 'vitest';
import { readRedirectUrl } from './read-contents.ts';

it.each([
  ['https://shop.example/back?order=1', 'https://shop.example/back?order=1'],
  ['http://localhost:3000', 'http://localhost:3000/'],
  ['myapp://done', 'myapp://done'],
  ['com.example.app:/age', 'com.example.app:/age'],
])('accepts %s', (text, href) => {
  expect(readRedirectUrl(text)).toBe(href);
});

it.each([
  'javascript:alert(1)',
  ' JavaScript:alert(1)',
  'java\nscript:alert(1)',
  '\u0001javascript:alert(1)',
  'vbscript:x',
  'data:text/html,x',
  'file:///etc/passwd',
  'blob:https://shop.example/1',
  'filesystem:https://shop.example/1',
  'view-source:https://shop.example',
  'feed:javascript:1',
  'mhtml:http://shop.example',
  'about:blank',
  'mailto:a@shop.example',
  '/relative',
  '//shop.example',
  'shop.example',
  'https://',
  'https://shop.example@evil.example/',
  'https://ann:secret@shop.example/',
  '',
])('refuses %j', (text) => {
  expect(readRedirectUrl(text)).toBe(undefined);
});
