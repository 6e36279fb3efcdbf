import { describe, expect, it } from 'vitest';
import { createFrame, type FaceReading, type Frame } from '../../face/index.ts';
import { createFrameStore, MAX_KEPT } from './frame-store.ts';

const reading = { score: 1 } as FaceReading;
const makeVector = () => Float32Array.of(1, 2);
const makeFrame = () => createFrame(2, 1, new Uint8ClampedArray(8).fill(200));
const isBlank = ({ data }: Frame) => data.every((value) => value === 0);

function watchFrames(count: number, { keep = false, face = reading as FaceReading | null } = {}) {
  const store = createFrameStore();
  const frames = Array.from({ length: count }, makeFrame);
  for (const [id, frame] of frames.entries()) {
    store.begin(frame);
    store.finish(id, frame, face);
    if (!keep) continue;
    const seen = store.release(id);
    if (!seen) continue;
    // Like another store that receives the frame.
    store.begin(frame);
    store.keep(seen, makeVector());
  }
  return { store, frames };
}

describe('the store of frames', () => {
  it('overwrites a frame once the next one was watched', () => {
    const { frames } = watchFrames(3);
    expect(frames.map(isBlank)).toEqual([true, true, false]);
  });

  it('keeps the newest and overwrites the oldest', () => {
    const { store, frames } = watchFrames(MAX_KEPT + 2, { keep: true });
    expect(store.take().map(({ frame }) => frame)).toEqual(frames.slice(2));
    expect(frames.map(isBlank).lastIndexOf(true)).toBe(1);
  });

  it('finds and releases only the last frame, once, and only with a face', () => {
    const { store, frames } = watchFrames(2);
    const last = { frame: frames[1], reading };
    expect([store.find(0), store.find(1)]).toEqual([undefined, last]);
    expect([store.release(0), store.release(1), store.release(1), store.find(1)]).toEqual([
      ...[undefined, last, undefined, undefined],
    ]);
    // The frame now belongs to another store.
    store.forget();
    expect(isBlank(frames[1]!)).toBe(false);
    const { store: other } = watchFrames(1, { keep: true, face: null });
    expect([other.find(0), other.release(0), other.take()]).toEqual([undefined, undefined, []]);
  });

  it('keeps no unknown or overwritten frame, and wipes its vector', () => {
    const store = createFrameStore();
    const [strange, gone] = [makeFrame(), makeFrame()];
    store.begin(gone);
    store.wipe(gone);
    for (const frame of [strange, gone]) {
      const vector = makeVector();
      store.keep({ frame, reading }, vector);
      expect([...vector]).toEqual([0, 0]);
    }
    expect(store.take()).toEqual([]);
  });

  it('overwrites the vector together with its frame', () => {
    const vectors = Array.from({ length: MAX_KEPT + 1 }, makeVector);
    const store = createFrameStore();
    for (const vector of vectors) {
      const frame = makeFrame();
      store.begin(frame);
      store.keep({ frame, reading }, vector);
    }
    expect(vectors.map(([first]) => first)).toEqual([0, 1, 1, 1, 1, 1]);
    store.forget();
    expect(vectors.flatMap((vector) => [...vector]).every((value) => value === 0)).toBe(true);
  });

  it('does not touch taken frames while others are watched', () => {
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

  it('forgets all frames: kept, taken, last and in progress', () => {
    const { store, frames } = watchFrames(2, { keep: true });
    store.take();
    const current = makeFrame();
    store.begin(current);
    store.forget();
    expect([...frames, current].map(isBlank)).toEqual([true, true, true]);
    store.finish(9, current, reading);
    store.keep({ frame: current, reading }, makeVector());
    expect(store.take()).toEqual([]);
  });
});
