// The frames that are kept: which ones, how many, and that nothing is left of those that are not.
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
    if (keep) store.keep(frame, makeVector());
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

  it('finds and keeps the last frame alone, once, and only with a face', () => {
    const { store, frames } = watchFrames(2);
    expect([store.find(0), store.find(1)]).toEqual([undefined, { frame: frames[1], reading }]);
    const vectors = [frames[0]!, frames[1]!, frames[1]!].map((frame) => {
      const vector = makeVector();
      store.keep(frame, vector);
      return [...vector];
    });
    // What is not kept leaves no trace.
    expect(vectors).toEqual([
      [0, 0],
      [1, 2],
      [0, 0],
    ]);
    expect(store.take()).toEqual([{ frame: frames[1], reading, vector: makeVector() }]);
    expect(store.take()).toEqual([]);
    const { store: other } = watchFrames(1, { keep: true, face: null });
    expect([other.find(0), other.take()]).toEqual([undefined, []]);
  });

  it('overwrites the vector with its frame', () => {
    const vectors = Array.from({ length: MAX_KEPT + 1 }, makeVector);
    const store = createFrameStore();
    for (const [id, vector] of vectors.entries()) {
      const frame = makeFrame();
      store.begin(frame);
      store.finish(id, frame, reading);
      store.keep(frame, vector);
    }
    expect(vectors.map(([first]) => first)).toEqual([0, 1, 1, 1, 1, 1]);
    store.forget();
    expect(vectors.flatMap((vector) => [...vector]).every((value) => value === 0)).toBe(true);
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
    store.keep(current, makeVector());
    expect(store.take()).toEqual([]);
  });
});
