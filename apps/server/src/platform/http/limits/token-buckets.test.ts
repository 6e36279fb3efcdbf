// Token buckets on a fake clock.
import { describe, expect, it } from 'vitest';
import { createTokenBuckets } from './token-buckets.ts';

describe('token buckets', () => {
  it('let a burst through, then the steady rate', () => {
    let now = 0;
    const buckets = createTokenBuckets({ perSecond: 2, burst: 3, now: () => now });
    const take = () => buckets.take('a').allowed;
    expect([take(), take(), take(), take()]).toEqual([true, true, true, false]);
    now += 500;
    expect([take(), take()]).toEqual([true, false]);
    now += 60_000;
    expect([take(), take(), take(), take()]).toEqual([true, true, true, false]);
  });

  it('report what is left and how long to wait', () => {
    const buckets = createTokenBuckets({ perSecond: 1, burst: 2, now: () => 0 });
    expect(buckets.take('a')).toEqual({ allowed: true, limit: 2, remaining: 1, resetSeconds: 1, retryAfterSeconds: 0 });
    buckets.take('a');
    expect(buckets.take('a')).toMatchObject({ allowed: false, remaining: 0, resetSeconds: 2, retryAfterSeconds: 1 });
  });

  it('count each owner separately and forget the least recently used one', () => {
    const buckets = createTokenBuckets({ perSecond: 1, burst: 1, now: () => 0, maxOwners: 2 });
    expect(buckets.take('a').allowed).toBe(true);
    expect(buckets.take('b').allowed).toBe(true);
    expect(buckets.take('a').allowed).toBe(false);
    buckets.take('c'); // evicts b
    expect(buckets.take('a').allowed).toBe(false);
    expect(buckets.take('b').allowed).toBe(true);
  });
});
