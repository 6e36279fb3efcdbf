// Memory for files: bounded, in order, released, with a share reserved for small files.
import { describe, expect, it } from 'vitest';
import { FileMemory } from './room.ts';

const never = new AbortController().signal;

/** Opens one of the two parts, with room for 100 bytes. */
const openLine = () => new FileMemory({ maxBytes: 400, smallBytes: 1_000 });

let owners = 0;
const known = (id: string) => ({ id, isStranger: false });
const anotherOwner = () => known(`owner ${++owners}`);
const anotherStranger = () => ({ id: `stranger ${++owners}`, isStranger: true });

/** Returns whether a promise is fulfilled by now. */
async function isIn(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending');
  await new Promise(setImmediate);
  return (await Promise.race([promise, Promise.resolve(pending)])) !== pending;
}

describe('a queue', () => {
  it('admits what fits and lets the rest wait in order', async () => {
    const line = openLine();
    const first = await line.enter(60, anotherOwner(), never);
    const large = line.enter(90, anotherOwner(), never);
    const small = line.enter(10, anotherOwner(), never);
    expect(await isIn(large)).toBe(false);
    expect(await isIn(small)).toBe(false); // Otherwise the large file would starve.
    expect(line).toMatchObject({ inside: 1, waiting: 2 });
    first.release();
    expect(await isIn(large)).toBe(true);
    expect(await isIn(small)).toBe(true);
  });

  it('admits a file larger than the whole room when the room is empty', async () => {
    const line = openLine();
    const share = await line.enter(1000, anotherOwner(), never);
    const next = line.enter(1, anotherOwner(), never);
    share.shrink(900);
    expect(await isIn(next)).toBe(false);
    share.shrink(1);
    expect(await isIn(next)).toBe(true);
  });
});

describe('a queue with several owners', () => {
  it('admits a file before those queued by an owner who already holds room', async () => {
    const line = openLine();
    const first = await line.enter(30, known('flood'), never);
    const flood = Array.from({ length: 24 }, () => line.enter(30, known('flood'), never));
    expect(await isIn(flood[0]!)).toBe(false);
    expect(await isIn(line.enter(30, known('honest'), never))).toBe(true);
    first.release();
    expect((await Promise.all(flood.map(isIn))).filter(Boolean)).toHaveLength(1);
  });

  it('gives free room to the owner that holds the least', async () => {
    const line = openLine();
    const whole = await line.enter(100, known('full'), never);
    const order: string[] = [];
    const enter = (owner: string, bytes: number) =>
      line.enter(bytes, known(owner), never).then((share) => {
        order.push(`${owner} ${bytes}`);
        return share;
      });
    void enter('a', 20);
    void enter('a', 10);
    void enter('b', 40);
    whole.release();
    await isIn(Promise.resolve());
    expect(order).toEqual(['a 20', 'b 40', 'a 10']);
  });

  it("forgets an owner's usage once its files are done", async () => {
    const line = openLine();
    for (let file = 0; file < 3; file++) (await line.enter(90, known('a'), never)).release();
    expect(line).toMatchObject({ inside: 0, waiting: 0 });
  });
});

describe('a queue with anonymous callers', () => {
  it('gives anonymous callers together half of the room, however many they are', async () => {
    const line = openLine();
    const strangers = Array.from({ length: 40 }, () => line.enter(20, anotherStranger(), never));
    expect((await Promise.all(strangers.map(isIn))).filter(Boolean)).toHaveLength(2);
    expect(await isIn(line.enter(60, known('customer'), never))).toBe(true);
    (await strangers[0]!).release();
    expect((await Promise.all(strangers.map(isIn))).filter(Boolean)).toHaveLength(3);
  });

  it('lets a single anonymous caller have a file that takes more', async () => {
    const line = openLine();
    const share = await line.enter(80, anotherStranger(), never);
    const next = line.enter(10, anotherStranger(), never);
    expect(await isIn(next)).toBe(false);
    share.shrink(50);
    expect(await isIn(next)).toBe(true);
  });

  it('alternates between the classes, known owners first', async () => {
    const line = openLine();
    const order: string[] = [];
    const wait = (owner: { id: string; isStranger: boolean }) =>
      void line.enter(10, owner, never).then(() => order.push(owner.isStranger ? 'stranger' : owner.id));
    const whole = await line.enter(100, anotherStranger(), never);
    for (let at = 0; at < 3; at++) wait(anotherStranger());
    for (const id of ['a', 'b', 'c']) wait(known(id));
    whole.release();
    await isIn(Promise.resolve());
    expect(order).toEqual(['a', 'stranger', 'b', 'stranger', 'c', 'stranger']);
  });
});

describe('memory for files', () => {
  it('lets small files overtake waiting large ones, within their quarter', async () => {
    const room = new FileMemory({ maxBytes: 400, smallBytes: 50 });
    await room.enter(300, anotherOwner(), never);
    const large = room.enter(51, anotherOwner(), never);
    const small = [
      room.enter(50, anotherOwner(), never),
      room.enter(50, anotherOwner(), never),
      room.enter(50, anotherOwner(), never),
    ];
    expect(await Promise.all(small.map(isIn))).toEqual([true, true, false]);
    expect(await isIn(large)).toBe(false);
    expect(room).toMatchObject({ inside: 3, waiting: 2 });
  });

  it('keeps three quarters for large files, however many small ones come', async () => {
    const room = new FileMemory({ maxBytes: 400, smallBytes: 50 });
    const small = Array.from({ length: 9 }, () => room.enter(50, anotherOwner(), never));
    expect(await isIn(room.enter(300, anotherOwner(), never))).toBe(true);
    expect((await Promise.all(small.map(isIn))).filter(Boolean)).toHaveLength(2);
  });
});
