// Token buckets: a steady rate with a burst, per key or address, in bounded memory.

export interface TakeResult {
  allowed: boolean;
  limit: number;
  /** Requests that would still pass now. */
  remaining: number;
  /** Seconds until the bucket is full again. */
  resetSeconds: number;
  /** Seconds until the next request passes; 0 when it would pass now. */
  retryAfterSeconds: number;
}

export interface RateLimit {
  perSecond: number;
  /** Requests that may come at once after a pause. */
  burst: number;
}

export interface RateLimits {
  key: RateLimit | undefined;
  address: RateLimit | undefined;
}

interface BucketOptions extends RateLimit {
  /** Milliseconds on a clock that never jumps. */
  now?: () => number;
  /** Owners remembered at most. A forgotten one begins with a full bucket, so this only ever errs on the kind side. */
  maxOwners?: number;
}

export type TokenBuckets = ReturnType<typeof createTokenBuckets>;

export function createTokenBuckets(options: BucketOptions) {
  const { perSecond, burst, now = () => performance.now(), maxOwners = 100_000 } = options;
  const buckets = new Map<string, { tokens: number; at: number }>();
  return {
    take(owner: string): TakeResult {
      const at = now();
      const bucket = buckets.get(owner);
      const tokens = bucket ? Math.min(burst, bucket.tokens + ((at - bucket.at) / 1000) * perSecond) : burst;
      const allowed = tokens >= 1;
      const left = allowed ? tokens - 1 : tokens;
      // Deleting first moves the owner to the end: the map's first entry is the one unused for longest.
      buckets.delete(owner);
      buckets.set(owner, { tokens: left, at });
      if (buckets.size > maxOwners) {
        const oldest = buckets.keys().next().value;
        if (oldest !== undefined) buckets.delete(oldest);
      }
      return {
        allowed,
        limit: burst,
        remaining: Math.floor(left),
        resetSeconds: Math.ceil((burst - left) / perSecond),
        retryAfterSeconds: left >= 1 ? 0 : Math.ceil((1 - left) / perSecond),
      };
    },
    /** For a request that turned out not to be of the kind that is counted. */
    giveBack(owner: string): void {
      const bucket = buckets.get(owner);
      if (bucket) bucket.tokens = Math.min(burst, bucket.tokens + 1);
    },
  };
}
