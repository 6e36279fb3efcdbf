// Times are shown no more exactly than they are known.
import { expect, it } from 'vitest';
import { hourTime, withIsoTimes } from './format.ts';

it('shows what is known to the hour without the minutes of it', () => {
  const now = new Date(2026, 2, 4, 15, 30).getTime();
  const at = (...time: [number, number, number, number]) => hourTime(new Date(2026, ...time).getTime(), now);
  expect(at(2, 4, 13, 0)).toBe(at(2, 4, 13, 59));
  expect(at(2, 4, 13, 0)).not.toBe(at(2, 4, 14, 0));
  expect(at(2, 4, 13, 59)).toMatch(/^13:\d0$/); // some zones are half an hour off
  expect(at(2, 3, 13, 59)).toContain('3');
  expect(hourTime(new Date(2025, 2, 4).getTime(), now)).toContain('2025');
});

it('has one format for every time that is copied', () => {
  const copied = {
    createdAt: 0,
    endedAt: null,
    timeline: [{ at: 1_000, detail: 'at' }],
    bodyKeptUntil: 'as it is',
    weight: 5,
  };
  expect(JSON.parse(JSON.stringify(copied, withIsoTimes))).toEqual({
    ...copied,
    createdAt: '1970-01-01T00:00:00.000Z',
    timeline: [{ at: '1970-01-01T00:00:01.000Z', detail: 'at' }],
  });
});
