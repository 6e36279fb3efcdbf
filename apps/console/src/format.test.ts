// Times are shown with the precision at which they are known.
import { expect, it } from 'vitest';
import { formatHour, replaceTimes } from './format.ts';

it('omits the minutes of a time known to the hour', () => {
  const now = new Date(2026, 2, 4, 15, 30).getTime();
  const at = (...time: [number, number, number, number]) => formatHour(new Date(2026, ...time).getTime(), now);
  expect(at(2, 4, 13, 0)).toBe(at(2, 4, 13, 59));
  expect(at(2, 4, 13, 0)).not.toBe(at(2, 4, 14, 0));
  expect(at(2, 4, 13, 59)).toMatch(/^13:\d0$/); // some time zones have a half-hour offset
  expect(at(2, 3, 13, 59)).toContain('3');
  expect(formatHour(new Date(2025, 2, 4).getTime(), now)).toContain('2025');
});

it('formats every copied time as ISO 8601', () => {
  const copied = {
    createdAt: 0,
    endedAt: null,
    timeline: [{ at: 1_000, detail: 'at' }],
    bodyKeptUntil: 'as it is',
    weight: 5,
  };
  expect(JSON.parse(JSON.stringify(copied, replaceTimes))).toEqual({
    ...copied,
    createdAt: '1970-01-01T00:00:00.000Z',
    timeline: [{ at: '1970-01-01T00:00:01.000Z', detail: 'at' }],
  });
});
