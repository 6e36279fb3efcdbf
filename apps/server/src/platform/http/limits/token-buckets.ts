// Token buckets: a steady rate with a burst, per key or address, in bounded memory.

export interface TakeResult {
  allowed: boolean;
  limit: number;
  remaining: number;
  resetSeconds: number;
  retryAfterSeconds: number;
}

export interface RateLimit {
  perSecond: number;
  /** Requests that may come at once after a pause */
  burst: number;
}

export interface RateLimits {
  key: RateLimit | undefined;
  address: RateLimit | undefined;
}

interface BucketOptions extends RateLimit {
  /** Milliseconds on a monotonic clock */
  now?: () => number;
  /** Maximum number of remembered owners. A forgotten owner starts with a full bucket. */
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
      // Moves the owner to the end: the first entry of the map is the least recently used.
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
    /** Returns the token of a request that turned out not to count. */
    giveBack(owner: string): void {
      const bucket = buckets.get(owner);
      if (bucket) bucket.tokens = Math.min(burst, bucket.tokens + 1);
    },
  };
}
