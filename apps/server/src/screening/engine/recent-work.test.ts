import { expect, it } from 'vitest';
import { createRecentWork } from './recent-work.ts';

it('counts the last minute and forgets what was before', () => {
  let now = 30_000;
  const recent = createRecentWork(() => now);
  recent.add(1_000);
  expect(recent.ms).toBe(1_000);
  now = 60_000;
  expect(recent.ms).toBe(1_000);
  now = 90_000;
  recent.add(200);
  expect(recent.ms).toBe(700);
  now = 150_000;
  expect(recent.ms).toBe(100);
  now = 180_000;
  expect(recent.ms).toBe(0);
  recent.add(1);
  now = 600_000;
  expect(recent.ms).toBe(0);
});
