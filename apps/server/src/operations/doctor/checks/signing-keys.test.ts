// What the doctor makes of signing keys.
import { expect, it } from 'vitest';
import { OLD_KEY_MS } from '../../../signing/rules.ts';
import { judgeSigningKeys } from './signing-keys.ts';

const KEY = { id: 'live-a', world: 'live' as const, number: 1, created_at: 0, signs_from: 0 };

it('tells ages, and asks for another key where one is old', () => {
  expect(judgeSigningKeys([], 0)).toMatchObject([{ level: 'ok', found: expect.stringContaining('none yet') }]);
  expect(judgeSigningKeys([KEY], OLD_KEY_MS - 1)).toEqual([
    { level: 'ok', found: 'live: live-a has signed for 399 days; 0 more published' },
  ]);
  expect(judgeSigningKeys([KEY], OLD_KEY_MS)).toEqual([
    {
      level: 'warning',
      found: 'live: live-a has signed for 400 days; 0 more published',
      remedy: 'limen signing-keys rotate --world live',
    },
  ]);
});
