import os from 'node:os';
import { afterEach, expect, it, vi } from 'vitest';
import { startStopwatch } from './stopwatch.ts';

const times = { system: 100, process: 5_000, wall: 1_700_000_000_000 };
const uptime = vi.spyOn(os, 'uptime').mockImplementation(() => times.system);
vi.spyOn(performance, 'now').mockImplementation(() => times.process);
vi.spyOn(Date, 'now').mockImplementation(() => times.wall);
afterEach(() => vi.clearAllMocks());

it("reads the system's suspend-aware clock every 20 ms", () => {
  const passed = startStopwatch();
  times.system += 7;
  times.process += 19.5;
  times.wall += 19;
  expect([passed(), passed()]).toEqual([0, 0]);
  times.process += 0.5;
  expect([passed(), passed()]).toEqual([7_000, 7_000]);
  expect(uptime).toHaveBeenCalledTimes(2);
});

it.each([
  ['the machine slept', 60_000],
  ['the clock was set back', -60_000],
])('reads the clock again at once if %s', (_, jump) => {
  const passed = startStopwatch();
  times.system += 60;
  times.wall += jump;
  expect(passed()).toBe(60_000);
});
