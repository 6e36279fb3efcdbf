// Keys at rest: sealed, restored after a restart, erased when retired.
import { statSync } from 'node:fs';
import { makeKeyPair } from '@limen/token/keyholder';
import { describe, expect, it } from 'vitest';
import { epochOf } from '#testing/faces/faces.ts';
import { withFile } from '#testing/faces/file-store.ts';
import { makeFolder, rawBytes } from '#testing/faces/folder.ts';
import { createManualClock } from '#testing/manual-clock.ts';
import { StartError } from '../../../platform/base/errors.ts';
import type { KeyHolder } from '../link/calls.ts';
import { openService } from '../open.ts';
import { rotateFolder } from './file.ts';
import type { MasterKeys } from './vault.ts';

const masterKey = Buffer.alloc(32, 7);
const clock = createManualClock();

/** A service that exposes the secrets it created. */
async function open(folder: string, key: Uint8Array = masterKey, ...others: Uint8Array[]) {
  const secrets: Buffer[] = [];
  const makeKeyPairAndTell = async () => {
    const pair = await makeKeyPair();
    secrets.push(Buffer.from(pair.secret));
    return pair;
  };
  const service = await openService(
    { place: { folder }, masterKeys: [key, ...others], thresholdOf: () => 0.48, warn: () => {} },
    { clock, makeKeyPair: makeKeyPairAndTell },
  );
  return { ...service, secrets };
}

const holderOf = ({ calls }: Awaited<ReturnType<typeof open>>): KeyHolder => ({
  ...calls,
  state: () => 'ready',
  close: async () => {},
});

describe('the key-holder’s file', () => {
  it('contains only sealed keys, including its write-ahead log', async () => {
    const folder = makeFolder();
    const service = await open(folder);
    await epochOf(holderOf(service));
    // Searched in pieces, because the file has pages.
    const isThere = (bytes: Uint8Array) => {
      const raw = rawBytes(folder);
      const starts = Array.from({ length: bytes.length / 16 }, (_, at) => 16 * at);
      return starts.some((start) => raw.includes(Buffer.from(bytes.subarray(start, start + 16))));
    };
    expect(isThere(service.identity)).toBe(true); // proves that the search covers the data
    expect(service.secrets).toHaveLength(2); // the challenge's and the customer's
    for (const secret of service.secrets) expect(isThere(secret)).toBe(false);
    await service.close();
    for (const secret of service.secrets) expect(isThere(secret)).toBe(false);
  });

  it('is accessible only by its user', async () => {
    const folder = `${makeFolder()}/new`;
    await (await open(folder)).close();
    expect(statSync(folder).mode & 0o077).toBe(0);
  });

  it('restores keys and identity after a restart', async () => {
    const folder = makeFolder();
    const first = await open(folder);
    const epoch = await epochOf(holderOf(first));
    await first.close();
    const second = await open(folder);
    expect(await epochOf(holderOf(second))).toBe(epoch);
    expect(second.identity).toEqual(first.identity);
    await second.close();
  });

  it('does not open with another master key, and stays unchanged', async () => {
    const folder = makeFolder();
    await (await open(folder)).close();
    const before = rawBytes(folder);
    await expect(open(folder, Buffer.alloc(32, 8))).rejects.toBeInstanceOf(StartError);
    expect(rawBytes(folder)).toEqual(before);
  });

  it('opens with either master key during a rotation, and ends up readable only with the new one', async () => {
    const [folder, next] = [makeFolder(), Buffer.alloc(32, 8)];
    const running = await open(folder);
    const epoch = await epochOf(holderOf(running));
    const { wrapped } = withFile(folder, (db) => db.prepare('select wrapped from vault').get()) as { wrapped: Buffer };
    const sealedByOld = Buffer.from(wrapped);
    expect(rawBytes(folder).includes(sealedByOld)).toBe(true);
    const both: MasterKeys = [next, masterKey];
    await expect(rotateFolder(folder, [next, Buffer.alloc(32, 9)], clock)).rejects.toThrow('does not belong');
    await (await open(folder, ...both)).close();
    expect(await rotateFolder(folder, both, clock)).toBe(true);
    expect(await rotateFolder(folder, both, clock)).toBe(false);
    expect(rawBytes(folder).includes(sealedByOld)).toBe(false);
    expect(await epochOf(holderOf(running))).toBe(epoch);
    await running.close();
    for (const keys of [both, [next]] as const) {
      const service = await open(folder, ...keys);
      expect(await epochOf(holderOf(service))).toBe(epoch);
      await service.close();
    }
    await expect(open(folder, masterKey)).rejects.toThrow('does not belong to its folder');
  });

  it('does not open a key that was moved to another customer', async () => {
    const folder = makeFolder();
    const service = await open(folder);
    const epoch = await epochOf(holderOf(service));
    withFile(folder, (db) => db.exec("update enrol_keys set customer = 'thief'"));
    await expect(service.calls.renew('thief', epoch, epoch, [])).rejects.toThrow();
    await service.close();
  });

  it('erases a retired key from the disk', async () => {
    const folder = makeFolder();
    const service = await open(folder);
    const epoch = await epochOf(holderOf(service));
    const find = 'select secret from enrol_keys where epoch = ?';
    const { secret } = withFile(folder, (db) => db.prepare(find).get(epoch)) as { secret: Uint8Array };
    const sealed = Buffer.from(secret);
    expect(rawBytes(folder).includes(sealed)).toBe(true);
    const { from, to } = await service.calls.rotate('acme');
    expect(from).toBe(epoch);
    await service.calls.retire('acme', from);
    expect(rawBytes(folder).includes(sealed)).toBe(false);
    await expect(service.calls.renew('acme', from, to, [])).rejects.toThrow();
    await service.close();
  });
});
