// Retry-After in all its forms.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRetryAfter } from './retry-after.ts';

const NOW = Date.UTC(2026, 0, 1, 12, 0, 0);

describe('parseRetryAfter', () => {
  it.each([
    ['0', 0],
    ['7', 7],
    ['Thu, 01 Jan 2026 12:00:30 GMT', 30],
    ['Thu, 01 Jan 2026 11:00:00 GMT', 0],
  ])('reads %s', (header, seconds) => {
    expect(parseRetryAfter(header, NOW)).toBe(seconds);
  });

  it.each([null, '', '-5', '1.5', 'soon', '2026-01-01T12:00:30Z', 'Thu, 99 Jan 2026 12:00:30 GMT'])(
    'ignores %s',
    (header) => {
      expect(parseRetryAfter(header, NOW)).toBeUndefined();
    },
  );

  it('rounds up: a retry never comes before the date', () => {
    expect(parseRetryAfter('Thu, 01 Jan 2026 12:00:30 GMT', NOW + 1)).toBe(30);
  });

  it('reads every date that toUTCString writes', () => {
    const wholeSeconds = fc.integer({ min: 0, max: 10_000_000 });
    fc.assert(
      fc.property(wholeSeconds, (seconds) => {
        expect(parseRetryAfter(new Date(NOW + seconds * 1000).toUTCString(), NOW)).toBe(seconds);
      }),
    );
  });
});
