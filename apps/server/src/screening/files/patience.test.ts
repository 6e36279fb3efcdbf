// The pace of a reader, on a fake clock: too slow is disconnected, merely uneven is not.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { guardPace } from './patience.ts';

const KB = 1024;
const TAKE_MS = 1_000; // per 512 KB

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** Yields parts, each of which takes `makeMs` to produce. */
async function* partsOf(bytes: number, makeMs = 0): AsyncGenerator<Uint8Array> {
  for (;;) {
    vi.advanceTimersByTime(makeMs);
    yield new Uint8Array(bytes);
  }
}

/**
 * Reads a part, then pauses for each of these times. Returns whether the reader was disconnected.
 */
async function read(parts: AsyncIterable<Uint8Array>, pauses: number[]): Promise<boolean> {
  let given = false;
  const guarded = guardPace(parts, () => (given = true), TAKE_MS);
  for (const pause of pauses) {
    await guarded.next();
    vi.advanceTimersByTime(pause);
  }
  await guarded.return(undefined);
  return given;
}

describe('a reader', () => {
  it('that stands still is disconnected after its timeout, not earlier', async () => {
    expect(await read(partsOf(32 * KB), [999])).toBe(false);
    expect(await read(partsOf(32 * KB), [1_000])).toBe(true);
  });

  it('that takes each part in time but too little in total is disconnected', async () => {
    expect(await read(partsOf(256 * KB), [400, 400, 400, 400])).toBe(false);
    expect(await read(partsOf(256 * KB), [600, 600, 600, 600])).toBe(true);
  });

  it('may take much at once and then nothing for long, because the system buffers', async () => {
    expect(await read(partsOf(512 * KB), [0, 0, 0, 0, 4_999])).toBe(false);
    expect(await read(partsOf(512 * KB), [0, 0, 0, 0, 5_000])).toBe(true);
  });

  it('is not blamed for the time that parts take to be produced', async () => {
    expect(await read(partsOf(32 * KB, 5_000), Array<number>(20).fill(40))).toBe(false);
  });

  it('has an upper limit, however steadily it reads', async () => {
    expect(await read(partsOf(9_000 * KB), Array<number>(29).fill(1_000))).toBe(false);
    expect(await read(partsOf(9_000 * KB), Array<number>(31).fill(1_000))).toBe(true);
  });
});

it('is not disconnected after the end', async () => {
  async function* one() {
    yield new Uint8Array(1);
  }
  const giveUp = vi.fn();
  for await (const _part of guardPace(one(), giveUp, TAKE_MS));
  vi.advanceTimersByTime(100_000);
  expect(giveUp).not.toHaveBeenCalled();
});
