// The frames that are kept: which ones, how many, and that nothing is left of those that are not.
import { describe, expect, it } from 'vitest';
import { createFrame, type FaceReading, type Frame } from '../face/index.ts';
import { createFrameKeeper, MAX_KEPT } from './keep-frames.ts';

const reading = { score: 1 } as FaceReading;
const makeFrame = () => createFrame(2, 1, new Uint8ClampedArray(8).fill(200));
const isBlank = ({ data }: Frame) => data.every((value) => value === 0);

function watchFrames(count: number, { keep = false, face = reading as FaceReading | null } = {}) {
  const keeper = createFrameKeeper();
  const frames = Array.from({ length: count }, makeFrame);
  for (const [id, frame] of frames.entries()) {
    keeper.begin(frame);
    keeper.finish(id, frame, face);
    if (keep) keeper.keep(id);
  }
  return { keeper, frames };
}

describe('a keeper of frames', () => {
  it('overwrites a frame as soon as the next one was watched', () => {
    const { frames } = watchFrames(3);
    expect(frames.map(isBlank)).toEqual([true, true, false]);
  });

  it('keeps the newest and overwrites the oldest', () => {
    const { keeper, frames } = watchFrames(MAX_KEPT + 2, { keep: true });
    expect(keeper.take().map(({ frame }) => frame)).toEqual(frames.slice(2));
    expect(frames.map(isBlank).lastIndexOf(true)).toBe(1);
  });

  it('keeps one frame once, only the last one, and only with a face', () => {
    const { keeper } = watchFrames(2);
    keeper.keep(0);
    keeper.keep(1);
    keeper.keep(1);
    expect(keeper.take()).toHaveLength(1);
    expect(keeper.take()).toEqual([]);
    const { keeper: other } = watchFrames(1, { keep: true, face: null });
    expect(other.take()).toEqual([]);
  });

  it('leaves taken frames alone while others are watched', () => {
    const { keeper, frames } = watchFrames(2, { keep: true });
    keeper.take();
    const next = makeFrame();
    keeper.begin(next);
    keeper.finish(9, next, reading);
    expect(frames.map(isBlank)).toEqual([false, false]);
    keeper.wipe(frames[0]!);
    expect(frames.map(isBlank)).toEqual([true, false]);
    expect(frames.map(keeper.isWiped)).toEqual([true, false]);
  });

  it('forgets all of them: kept, taken, last, and the one being watched', () => {
    const { keeper, frames } = watchFrames(2, { keep: true });
    keeper.take();
    const current = makeFrame();
    keeper.begin(current);
    keeper.forget();
    expect([...frames, current].map(isBlank)).toEqual([true, true, true]);
    keeper.finish(9, current, reading);
    keeper.keep(9);
    expect(keeper.take()).toEqual([]);
  });
});
