// Arithmetic of the sizing page.
import { expect, it } from 'vitest';
import { needOf } from './render-capacity.ts';

it('computes cores and bytes of the peak from the cost of one operation', () => {
  const cost = {
    name: 'c',
    what: '',
    count: 1,
    serviceMs: 6,
    databaseMs: 3,
    bytesIn: 0,
    bytesOut: 1_000,
    rowsWritten: 1,
    storedBytes: 5_000,
    logBytes: 10_000,
    statements: 20,
  };
  // 2,592,000 a month are one per second.
  const need = needOf(cost, 2_592_000);
  expect(need.perSecond).toBe(5);
  expect(need.serviceCores).toBeCloseTo(0.05);
  expect(need.databaseCores).toBeCloseTo(0.025);
  expect(need.logMbPerSecond).toBeCloseTo(0.05);
  expect(need.logGbPerDay).toBeCloseTo(0.864);
  expect(need.mbitOut).toBeCloseTo(0.04);
});
