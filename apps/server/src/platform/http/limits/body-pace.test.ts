// Minimum speed of request bodies, on a fake clock.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createBodyPace } from './body-pace.ts';

const GRACE_MS = 10_000;
const BYTES_PER_SECOND = 16 * 1024;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
afterEach(() => void vi.useRealTimers());

function watchBody() {
  const body = { complete: false, readableFlowing: true as boolean | null, readableLength: 0 };
  const socket = { bytesRead: 0, destroyed: false };
  let isCut = false;
  const connections = { findUnread: () => (body.complete ? undefined : { request: { raw: body } }) };
  const pace = createBodyPace(connections as never, GRACE_MS, () => (isCut = true));
  pace.watch(socket as never);
  /** Advances by a number of seconds, with this many bytes in each. */
  const pass = (seconds: number, bytesEach = 0) => {
    for (let second = 0; second < seconds; second += 1) {
      socket.bytesRead += bytesEach;
      vi.advanceTimersByTime(1_000);
    }
    return isCut;
  };
  return { body, socket, pace, pass };
}

describe('a body', () => {
  it('is cut off after the grace period if it falls silent', () => {
    const { pass } = watchBody();
    expect(pass(10)).toBe(false);
    expect(pass(3)).toBe(true);
  });

  it('may take ten minutes at the minimum pace', () => {
    expect(watchBody().pass(600, BYTES_PER_SECOND)).toBe(false);
  });

  it('is cut off at half the pace', () => {
    const { pass } = watchBody();
    expect(pass(18, BYTES_PER_SECOND / 2)).toBe(false);
    expect(pass(6, BYTES_PER_SECOND / 2)).toBe(true);
  });

  it('does not earn a long silence by a fast start', () => {
    const { pass } = watchBody();
    pass(2, 100 * BYTES_PER_SECOND);
    expect(pass(13)).toBe(true);
  });

  it('is not blamed while the service is not reading', () => {
    const { body, pass } = watchBody();
    body.readableFlowing = null;
    expect(pass(60)).toBe(false);
    Object.assign(body, { readableFlowing: true, readableLength: 64 * 1024 });
    expect(pass(60)).toBe(false);
    body.readableLength = 0;
    expect(pass(13)).toBe(true);
  });

  it('shares one timer with all other bodies, which stops after the last', () => {
    const { body, socket, pace, pass } = watchBody();
    for (let more = 0; more < 100; more += 1) pace.watch({ ...socket } as never);
    expect(vi.getTimerCount()).toBe(1);
    body.complete = true;
    pass(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});
