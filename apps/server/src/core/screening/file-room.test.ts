// Room for files: bounded, in order, given back, and with a part that large files cannot take.
import { describe, expect, it } from 'vitest';
import { createFileRoom } from './file-room.ts';
import { createWaitingLine } from './waiting-line.ts';

const never = new AbortController().signal;

/** Whether a promise is fulfilled by now. */
async function isIn(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending');
  await new Promise(setImmediate);
  return (await Promise.race([promise, Promise.resolve(pending)])) !== pending;
}

describe('a line', () => {
  it('admits what fits and lets the rest wait in order', async () => {
    const line = createWaitingLine(100);
    const first = await line.enter(60, never);
    const large = line.enter(90, never);
    const small = line.enter(10, never);
    expect(await isIn(large)).toBe(false);
    expect(await isIn(small)).toBe(false); // or the large one would starve
    expect(line).toMatchObject({ inside: 1, waiting: 2 });
    first.leave();
    expect(await isIn(large)).toBe(true);
    expect(await isIn(small)).toBe(true);
  });

  it('takes one that is larger than the whole room when nobody else is inside', async () => {
    const line = createWaitingLine(100);
    const share = await line.enter(1000, never);
    const next = line.enter(1, never);
    share.giveBack(900);
    expect(await isIn(next)).toBe(false);
    share.giveBack(1);
    expect(await isIn(next)).toBe(true);
  });

  it('is left when the client is gone, and lets the next one in', async () => {
    const line = createWaitingLine(100);
    await line.enter(90, never);
    const gone = new AbortController();
    const quitter = line.enter(50, gone.signal);
    const next = line.enter(10, never);
    gone.abort(new Error('gone'));
    await expect(quitter).rejects.toThrow('gone');
    expect(await isIn(next)).toBe(true);
    await expect(line.enter(1, gone.signal)).rejects.toThrow('gone');
  });

  it('counts a share once, however often it is given back', async () => {
    const line = createWaitingLine(100);
    const share = await line.enter(100, never);
    share.leave();
    share.leave();
    share.giveBack(100);
    await line.enter(100, never);
    expect(await isIn(line.enter(1, never))).toBe(false);
  });
});

describe('a room for files', () => {
  it('lets small files overtake large ones that wait, within the quarter that is theirs', async () => {
    const room = createFileRoom({ maxBytes: 400, smallBytes: 50 });
    await room.enter(300, never);
    const large = room.enter(51, never);
    const small = [room.enter(50, never), room.enter(50, never), room.enter(50, never)];
    expect(await Promise.all(small.map(isIn))).toEqual([true, true, false]);
    expect(await isIn(large)).toBe(false);
    expect(room).toMatchObject({ inside: 3, waiting: 2 });
  });

  it('keeps three quarters for large files, however many small ones come', async () => {
    const room = createFileRoom({ maxBytes: 400, smallBytes: 50 });
    const small = Array.from({ length: 9 }, () => room.enter(50, never));
    expect(await isIn(room.enter(300, never))).toBe(true);
    expect((await Promise.all(small.map(isIn))).filter(Boolean)).toHaveLength(2);
  });
});
