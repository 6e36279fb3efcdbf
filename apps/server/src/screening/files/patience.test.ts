// The pace of a reader: what is too slow is given up, what is merely uneven is not. The clock is turned by hand.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { guardPace } from './patience.ts';

const KB = 1024;
const TAKE_MS = 1_000; // for each 512 KB

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** `makeMs` is how long each part takes to be made. */
async function* partsOf(bytes: number, makeMs = 0): AsyncGenerator<Uint8Array> {
  for (;;) {
    vi.advanceTimersByTime(makeMs);
    yield new Uint8Array(bytes);
  }
}

/** Takes a part, then lets each of these times pass before the next; says whether the reader was given up. */
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
  it('that stands still is given up after its time, and not before', async () => {
    expect(await read(partsOf(32 * KB), [999])).toBe(false);
    expect(await read(partsOf(32 * KB), [1_000])).toBe(true);
  });

  it('that takes each part in time and yet too little altogether is given up', async () => {
    expect(await read(partsOf(256 * KB), [400, 400, 400, 400])).toBe(false);
    expect(await read(partsOf(256 * KB), [600, 600, 600, 600])).toBe(true);
  });

  it('may take much at once and then nothing for long, as the system does for a steady one', async () => {
    expect(await read(partsOf(512 * KB), [0, 0, 0, 0, 4_999])).toBe(false);
    expect(await read(partsOf(512 * KB), [0, 0, 0, 0, 5_000])).toBe(true);
  });

  it('is not blamed for the time that parts take to be made', async () => {
    expect(await read(partsOf(32 * KB, 5_000), Array<number>(20).fill(40))).toBe(false);
  });

  it('is not waited for without end, however steadily it reads', async () => {
    expect(await read(partsOf(9_000 * KB), Array<number>(29).fill(1_000))).toBe(false);
    expect(await read(partsOf(9_000 * KB), Array<number>(31).fill(1_000))).toBe(true);
  });
});

it('nobody is given up after the end', async () => {
  async function* one() {
    yield new Uint8Array(1);
  }
  const giveUp = vi.fn();
  for await (const _part of guardPace(one(), giveUp, TAKE_MS));
  vi.advanceTimersByTime(100_000);
  expect(giveUp).not.toHaveBeenCalled();
});
