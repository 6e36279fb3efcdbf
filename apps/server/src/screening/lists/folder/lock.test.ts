// One writer per dataset: within a process, between processes, and after one was killed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTestTools } from '#testing/screening/dataset-tools.ts';
import { withDatasetLock } from './lock.ts';

function prepare() {
  const { folder } = createTestTools();
  const incoming = join(folder.path, '.incoming');
  mkdirSync(incoming, { recursive: true });
  const lock = join(incoming, 'one.lock');
  const leave = (holder: object) => writeFileSync(lock, JSON.stringify(holder));
  const run = <T>(name: string, work: Parameters<typeof withDatasetLock<T>>[2]) =>
    withDatasetLock(folder.path, name, work);
  return { incoming, lock, leave, run };
}

/** Returns the id of a finished process. */
async function deadProcess(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'close');
  return child.pid!;
}

describe('the lock', () => {
  it('excludes a second writer of the same list, but no other', async () => {
    const { run, incoming } = prepare();
    await run('one', async () => {
      await expect(run('one', async () => 'second')).rejects.toThrow('Another process is writing one');
      expect(await run('two', async () => 'other')).toBe('other');
    });
    expect(await run('one', async () => 'later')).toBe('later');
    expect(readdirSync(incoming)).toEqual([]);
  });

  it('that another writer took over is noticed before any change, and files stay separate', async () => {
    const { run, lock, leave, incoming } = prepare();
    let ofTheFirst = '';
    const first = run('one', async (temporary, requireLock) => {
      await requireLock();
      ofTheFirst = temporary('main');
      // Suspended for so long that another machine took over.
      leave({ token: 'of the second', pid: 1, host: 'elsewhere' });
      writeFileSync(join(incoming, 'one.of-the-second.main.part'), 'theirs');
      await requireLock();
    });
    await expect(first).rejects.toThrow('took over');
    expect(ofTheFirst).not.toBe(join(incoming, 'one.of-the-second.main.part'));
    expect(readdirSync(incoming).toSorted()).toEqual(['one.lock', 'one.of-the-second.main.part']);
    expect(readFileSync(lock, 'utf8')).toContain('of the second');
  });

  it('is not taken from a process that is merely slow', async () => {
    const { run, leave, lock } = prepare();
    leave({ token: 't', pid: process.ppid, host: hostname() });
    const twoMinutesAgo = new Date(Date.now() - 120_000);
    utimesSync(lock, twoMinutesAgo, twoMinutesAgo);
    await expect(run('one', async () => 'second')).rejects.toThrow('Another process is writing one');
  });

  it('is released after a failure, with no temporary file left', async () => {
    const { run, incoming } = prepare();
    const failing = run('one', async (temporary) => {
      writeFileSync(temporary('main'), 'half');
      throw new Error('broken');
    });
    await expect(failing).rejects.toThrow('broken');
    expect(readdirSync(incoming)).toEqual([]);
  });

  it('removes what killed processes left, but nothing of a list that is being written', async () => {
    const { run, incoming, leave } = prepare();
    const dead = { token: 't', pid: await deadProcess(), host: hostname() };
    leave(dead);
    writeFileSync(join(incoming, 'two.lock'), JSON.stringify(dead));
    writeFileSync(join(incoming, 'one_more.lock'), JSON.stringify({ ...dead, pid: process.ppid }));
    for (const file of [
      'one.main.part',
      'one.delta-3.part',
      'two.main.part',
      'three.main.part',
      'one_more.main.part',
    ]) {
      writeFileSync(join(incoming, file), '');
    }
    const others = ['one_more.lock', 'one_more.main.part', 'two.lock'];
    expect(await run('one', async () => readdirSync(incoming).sort())).toEqual(['one.lock', ...others]);
    expect(readdirSync(incoming).sort()).toEqual(others);
  });

  it('is respected if its holder lives, or if another machine touched it recently', async () => {
    const { run, leave, lock } = prepare();
    for (const holder of [
      { token: 't', pid: process.ppid, host: hostname() },
      { token: 't', pid: 1, host: 'elsewhere' },
    ]) {
      leave(holder);
      await expect(run('one', async () => {})).rejects.toThrow('Another process is writing one');
      expect(JSON.parse(readFileSync(lock, 'utf8'))).toEqual(holder);
    }
  });

  it('is taken over if no one has touched it for a minute, whoever its holder is', async () => {
    const { run, leave, lock } = prepare();
    leave({ token: 't', pid: process.ppid, host: 'elsewhere' });
    const before = new Date(Date.now() - 120_000);
    utimesSync(lock, before, before);
    expect(await run('one', async () => existsSync(lock))).toBe(true);
    expect(existsSync(lock)).toBe(false);
  });

  it('of an earlier boot with the same process id is taken over at once', async () => {
    const { run, leave } = prepare();
    leave({ token: 'before the restart', pid: process.pid, host: hostname() });
    expect(await run('one', async () => 'mine')).toBe('mine');
  });

  it('that is half written is left to its writer', async () => {
    const { run, lock } = prepare();
    writeFileSync(lock, '{"tok');
    await expect(run('one', async () => {})).rejects.toThrow('Another process is writing one');
  });

  it('goes to one of many that find it stale at once', async () => {
    const { run, leave } = prepare();
    leave({ token: 't', pid: await deadProcess(), host: hostname() });
    let inside = 0;
    const attempts = await Promise.allSettled(
      Array.from({ length: 8 }, () =>
        run('one', async () => {
          inside += 1;
          expect(inside).toBe(1);
          await new Promise(setImmediate);
          inside -= 1;
        }),
      ),
    );
    const refused = attempts
      .filter(({ status }) => status === 'rejected')
      .map((result) => (result as PromiseRejectedResult).reason);
    expect(refused.length).toBeLessThan(8);
    for (const reason of refused) expect(reason).toMatchObject({ name: 'DatasetError' });
  });

  it('that another took over is not removed by the first', async () => {
    const { run, leave, lock } = prepare();
    const other = { token: 'other', pid: process.ppid, host: hostname() };
    await run('one', async () => leave(other));
    expect(JSON.parse(readFileSync(lock, 'utf8'))).toEqual(other);
  });
});
