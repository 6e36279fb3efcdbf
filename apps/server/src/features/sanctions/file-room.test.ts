// Room for files: bounded, in order, and given back.
import { describe, expect, it } from 'vitest';
import { createFileRoom } from './file-room.ts';

const never = new AbortController().signal;

/** Whether a promise is fulfilled by now. */
async function isIn(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending');
  await new Promise(setImmediate);
  return (await Promise.race([promise, Promise.resolve(pending)])) !== pending;
}

describe('a room for files', () => {
  it('admits what fits and lets the rest wait in order', async () => {
    const room = createFileRoom(100);
    const first = await room.enter(60, never);
    const large = room.enter(90, never);
    const small = room.enter(10, never);
    expect(await isIn(large)).toBe(false);
    expect(await isIn(small)).toBe(false); // or the large one would starve
    expect(room).toMatchObject({ inside: 1, waiting: 2 });
    first.leave();
    expect(await isIn(large)).toBe(true);
    expect(await isIn(small)).toBe(true);
  });

  it('takes one that is larger than the whole room when nobody else is inside', async () => {
    const room = createFileRoom(100);
    const share = await room.enter(1000, never);
    const next = room.enter(1, never);
    expect(await isIn(next)).toBe(false);
    share.shrinkTo(5);
    expect(await isIn(next)).toBe(true);
  });

  it('leaves the line when the client is gone, and lets the next one in', async () => {
    const room = createFileRoom(100);
    await room.enter(90, never);
    const gone = new AbortController();
    const quitter = room.enter(50, gone.signal);
    const next = room.enter(10, never);
    gone.abort(new Error('gone'));
    await expect(quitter).rejects.toThrow('gone');
    expect(await isIn(next)).toBe(true);
    await expect(room.enter(1, gone.signal)).rejects.toThrow('gone');
  });

  it('counts a share once, however often it is given back', async () => {
    const room = createFileRoom(100);
    const share = await room.enter(100, never);
    share.leave();
    share.leave();
    share.shrinkTo(0);
    await room.enter(100, never);
    expect(await isIn(room.enter(1, never))).toBe(false);
  });
});
