// Size and retention of the demo's memory.
import { expect, it } from 'vitest';
import { named } from '../../../apps/server/src/platform/base/ids.ts';
import { createManualClock } from '../../../apps/server/testing/manual-clock.ts';
import { type Check, createCheckList } from './check-list.ts';

const newCheck = (id: string, createdAt: number) => ({ id, createdAt, sessionId: `session of ${id}` }) as Check;

it('keeps the latest fifty', () => {
  const clock = createManualClock();
  const checks = createCheckList(clock);
  for (let nth = 0; nth < 51; nth += 1) checks.add(newCheck(String(nth), clock.now()));
  expect(checks.find('0')).toBeUndefined();
  expect(checks.findBySession(named('session of 0'))).toBeUndefined();
  expect(checks.find('1')).toBeDefined();
  expect(checks.findBySession(named('session of 50'))?.id).toBe('50');
});

it('forgets after an hour', () => {
  const clock = createManualClock();
  const checks = createCheckList(clock);
  checks.add(newCheck('early', clock.now()));
  clock.advance(1_800_000);
  checks.add(newCheck('late', clock.now()));
  clock.advance(1_799_999);
  expect(checks.find('early')).toBeDefined();
  clock.advance(1);
  expect(checks.find('early')).toBeUndefined();
  expect(checks.find('late')).toBeDefined();
});
