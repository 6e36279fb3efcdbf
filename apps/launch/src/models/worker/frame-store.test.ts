// The frames that are kept: which ones, how many, and that nothing is left of those that are not.
import { describe, expect, it } from 'vitest';
import { createFrame, type FaceReading, type Frame } from '../../face/index.ts';
import { createFrameStore, MAX_KEPT } from './frame-store.ts';

const reading = { score: 1 } as FaceReading;
const makeFrame = () => createFrame(2, 1, new Uint8ClampedArray(8).fill(200));
const isBlank = ({ data }: Frame) => data.every((value) => value === 0);

function watchFrames(count: number, { keep = false, face = reading as FaceReading | null } = {}) {
  const store = createFrameStore();
  const frames = Array.from({ length: count }, makeFrame);
  for (const [id, frame] of frames.entries()) {
    store.begin(frame);
    store.finish(id, frame, face);
    if (keep) store.keep(id);
  }
  return { store, frames };
}

describe('the store of frames', () => {
  it('overwrites a frame as soon as the next one was watched', () => {
    const { frames } = watchFrames(3);
    expect(frames.map(isBlank)).toEqual([true, true, false]);
  });

  it('keeps the newest and overwrites the oldest', () => {
    const { store, frames } = watchFrames(MAX_KEPT + 2, { keep: true });
    expect(store.take().map(({ frame }) => frame)).toEqual(frames.slice(2));
    expect(frames.map(isBlank).lastIndexOf(true)).toBe(1);
  });

  it('keeps one frame once, only the last one, and only with a face', () => {
    const { store } = watchFrames(2);
    store.keep(0);
    store.keep(1);
    store.keep(1);
    expect(store.take()).toHaveLength(1);
    expect(store.take()).toEqual([]);
    const { store: other } = watchFrames(1, { keep: true, face: null });
    expect(other.take()).toEqual([]);
  });

  it('leaves taken frames alone while others are watched', () => {
    const { store, frames } = watchFrames(2, { keep: true });
    store.take();
    const next = makeFrame();
    store.begin(next);
    store.finish(9, next, reading);
    expect(frames.map(isBlank)).toEqual([false, false]);
    store.wipe(frames[0]!);
    expect(frames.map(isBlank)).toEqual([true, false]);
    expect(frames.map(store.isWiped)).toEqual([true, false]);
  });

  it('forgets all of them: kept, taken, last, and the one being watched', () => {
    const { store, frames } = watchFrames(2, { keep: true });
    store.take();
    const current = makeFrame();
    store.begin(current);
    store.forget();
    expect([...frames, current].map(isBlank)).toEqual([true, true, true]);
    store.finish(9, current, reading);
    store.keep(9);
    expect(store.take()).toEqual([]);
  });
});
