// `limen signing-keys` and the doctor's findings on signing keys.
import { describe, expect, it } from 'vitest';
import { prepareDatabase, runLimenHere } from '#testing/run-limen.ts';
import { PUBLISHED_AHEAD_MS } from './limits.ts';

interface Listed {
  id: string;
  world: string;
  state: string;
  createdAt: string;
  signsFrom: string;
  publishedUntil: string | null;
}

async function prepare() {
  const { environment } = await prepareDatabase();
  const run = (...args: string[]) => runLimenHere(args, { environment });
  const list = async (): Promise<Listed[]> => JSON.parse((await run('signing-keys', 'list', '--json')).stdout);
  return { run, list };
}

describe('limen signing-keys', () => {
  it('reports that there are none before the first start', async () => {
    const { run } = await prepare();
    expect((await run('signing-keys', 'list')).stdout).toContain('There are no signing keys yet');
    expect((await run('doctor')).stdout).toMatch(/^✓ signing keys +none yet/m);
  });

  it('rotates: publishes the next key at once, which signs an hour later', async () => {
    const { run, list } = await prepare();
    const { code, stdout } = await run('signing-keys', 'rotate', '--world', 'live');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^live-\S+ is published and signs from .*\.\n$/);
    const keys = await list();
    expect(keys.map(({ world, state }) => `${world} ${state}`)).toEqual(['live signing', 'live next', 'test signing']);
    const [old, next] = keys as [Listed, Listed];
    expect(Date.parse(next.signsFrom) - Date.parse(next.createdAt)).toBe(PUBLISHED_AHEAD_MS);
    expect([old.publishedUntil === null, next.publishedUntil]).toEqual([false, null]);
    // A second rotation changes nothing, because a key is already waiting.
    const again = JSON.parse((await run('signing-keys', 'rotate', '--world', 'live', '--json')).stdout);
    expect(again).toEqual([{ id: next.id, world: 'live', signsFrom: next.signsFrom, isNew: false }]);
    expect((await run('signing-keys', 'list')).stdout).toMatch(new RegExp(`^${next.id} +live +next`, 'm'));
    expect((await run('doctor')).stdout).toMatch(
      /^✓ signing keys +live: live-\S+ has signed for 0 hours; 1 more published$/m,
    );
  });

  it('rotates both worlds at once if requested', async () => {
    const { run, list } = await prepare();
    await run('signing-keys', 'rotate', '--now');
    expect((await list()).map(({ world, state }) => `${world} ${state}`)).toEqual([
      'live retired',
      'live signing',
      'test retired',
      'test signing',
    ]);
  });

  it('removes a key, and another one signs in its place', async () => {
    const { run, list } = await prepare();
    await run('signing-keys', 'rotate', '--now', '--world', 'live');
    const [retired, signing] = (await list()) as [Listed, Listed];
    expect(await run('signing-keys', 'remove', retired.id, '--yes')).toMatchObject({
      code: 0,
      stdout: expect.not.stringContaining('from now on'),
    });
    const { stdout } = await run('signing-keys', 'remove', signing.id, '--yes');
    expect(stdout).toMatch(/It was the active key\. live-\S+ signs from now on\.\n$/);
    const left = (await list()).filter(({ world }) => world === 'live');
    expect(left).toMatchObject([{ state: 'signing' }]);
    expect([retired.id, signing.id]).not.toContain(left[0]!.id);
    const gone = await run('signing-keys', 'remove', signing.id, '--yes');
    expect(gone).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no signing key with this id') });
  });
});
