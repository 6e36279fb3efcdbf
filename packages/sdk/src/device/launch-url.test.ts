// Parsing of launch URLs.
import { expect, it } from 'vitest';
import { parseLaunchUrl } from '../device.ts';

it.each([
  ['https://check.example/launch?sessionId=a-1', { sessionId: 'a-1' }],
  ['https://check.example/launch?sessionId=a-1#handoff=c_-2', { sessionId: 'a-1', code: 'c_-2' }],
  ['https://check.example/launch?sessionId=a-1#handoff=c_-2.k_-3', { sessionId: 'a-1', code: 'c_-2', boxKey: 'k_-3' }],
  ['https://check.example/launch?sessionId=a-1#handoff=.k', { sessionId: 'a-1' }],
  ['https://check.example/launch?sessionId=a-1#response_code=r_-4', { sessionId: 'a-1', responseCode: 'r_-4' }],
  ['https://check.example/launch?sessionId=a-1&utm=x#top', { sessionId: 'a-1' }],
  ['https://check.example/launch?sessionId=a-1#handoff=', { sessionId: 'a-1' }],
  ['https://check.example/launch#handoff=c', undefined],
  ['https://check.example/launch?sessionId=', undefined],
  ['not a url', undefined],
])('parses %s', (url, parts) => {
  expect(parseLaunchUrl(url)).toEqual(parts);
});
