// Which addresses lead into a private network.
import { expect, it } from 'vitest';
import { leadsToPrivate } from './leads-to-private.ts';

it.each([
  ['http://127.0.0.1:8080/list', true],
  ['http://[::1]/', true],
  ['http://10.1.2.3/', true],
  ['http://localhost/', true],
  ['https://1.1.1.1/', false],
  ['http://[2606:4700:4700::1111]/', false],
  ['http://169.254.169.254/', false],
  ['https://nowhere.invalid/', false],
])('%s: %s', async (url, expected) => {
  expect(await leadsToPrivate(url)).toBe(expected);
});
