// Watching sessions: notifications and limits.

import { PATIENCE } from '@limen/testing/patience.ts';
import { describe, expect, it, vi } from 'vitest';
import { createManualClock } from '#testing/manual-clock.ts';
import { named, type SessionId } from '../../platform/base/ids.ts';
import { createFollow } from './follow.ts';
import type { Sighting } from './store.ts';

const [ONE, TWO] = [named<SessionId>('1'), named<SessionId>('2')];

function setUp(limits: { maxWatchers?: number } = {}) {
  const rows = new Map<SessionId, Sighting>();
  const clock = createManualClock();
  const put = (id: SessionId, other: Partial<Sighting> = {}) =>
    rows.set(id, { id, state: 'opened', revision: 1, expires_at: clock.now() + 1_000, ...other });
  const look = vi.fn(async (ids: readonly SessionId[]) => ids.flatMap((id) => rows.get(id) ?? []));
  const follow = createFollow({ look, clock, pollEveryMs: 1, ...limits });
  const watcher = () => ({ changed: vi.fn(), stop: vi.fn() });
  /** Waits for two polls, which must notice the change. */
  const rounds = async () => {
    const before = look.mock.calls.length;
    await vi.waitFor(() => expect(look.mock.calls.length).toBeGreaterThan(before + 2), PATIENCE);
  };
  return { rows, put, look, follow, watcher, rounds, clock };
}

describe('following', () => {
  it('notifies once about a change by another process, and polls all sessions together', async () => {
    const { put, look, follow, watcher, rounds } = setUp();
    const [one, two] = [watcher(), watcher()];
    put(ONE);
    put(TWO);
    const stops = [follow.watch(ONE, 'A', one), follow.watch(TWO, 'A', two)];
    await rounds();
    one.changed.mockClear();
    two.changed.mockClear();
    put(ONE, { revision: 2 });
    await rounds();
    expect([one.changed.mock.calls.length, two.changed.mock.calls.length]).toEqual([1, 0]);
    expect(look.mock.calls.at(-1)).toEqual([['1', '2']]);
    for (const stop of stops) stop();
  });

  it.each([
    ['an end', (room: ReturnType<typeof setUp>) => void room.put(ONE, { state: 'completed' })],
    ['a deletion', (room: ReturnType<typeof setUp>) => void room.rows.delete(ONE)],
    ['the end of its time', (room: ReturnType<typeof setUp>) => room.clock.advance(1_000)],
  ])('notifies about %s', async (_what, happen) => {
    const room = setUp();
    const watcher = room.watcher();
    room.put(ONE);
    const stop = room.follow.watch(ONE, 'A', watcher);
    await room.rounds();
    watcher.changed.mockClear();
    happen(room);
    await room.rounds();
    expect(watcher.changed).toHaveBeenCalledTimes(1);
    stop();
  });

  it('notifies all watchers at once about a change by this process', () => {
    const { follow, watcher } = setUp();
    const [one, two, other] = [watcher(), watcher(), watcher()];
    const stops = [follow.watch(ONE, 'A', one), follow.watch(ONE, 'B', two), follow.watch(TWO, 'A', other)];
    follow.nudge(ONE);
    expect([one, two, other].map(({ changed }) => changed.mock.calls.length)).toEqual([1, 1, 0]);
    for (const stop of stops) stop();
  });

  it('keeps the newest watcher per device and session', () => {
    const { follow, watcher } = setUp();
    const [older, newer] = [watcher(), watcher()];
    const stopOlder = follow.watch(ONE, 'A', older);
    const stopNewer = follow.watch(ONE, 'A', newer);
    expect(older.stop).toHaveBeenCalledTimes(1);
    stopOlder();
    stopOlder();
    expect(follow.watchers()).toBe(1);
    stopNewer();
    expect(follow.watchers()).toBe(0);
  });

  it('refuses watchers above its limit, except replacements', () => {
    const { follow, watcher } = setUp({ maxWatchers: 1 });
    const stop = follow.watch(ONE, 'A', watcher());
    expect(() => follow.watch(ONE, 'B', watcher())).toThrow('Too many');
    const replacement = follow.watch(ONE, 'A', watcher());
    stop();
    replacement();
    follow.watch(TWO, 'A', watcher())();
  });

  it('continues after a database outage, and stops polling without watchers', async () => {
    const { put, look, follow, watcher, rounds } = setUp();
    const one = watcher();
    put(ONE);
    look.mockRejectedValueOnce(new Error('gone'));
    const stop = follow.watch(ONE, 'A', one);
    await rounds();
    expect(one.changed).toHaveBeenCalled();
    stop();
    put(ONE, { revision: 9 });
    const next = watcher();
    follow.watch(ONE, 'B', next);
    await vi.waitFor(() => expect(next.changed).toHaveBeenCalled(), PATIENCE);
    follow.close();
    expect(next.stop).toHaveBeenCalledTimes(1);
    expect(() => follow.watch(ONE, 'A', one)).toThrow();
  });
});
