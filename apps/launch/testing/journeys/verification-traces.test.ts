// Proves that the search for traces finds them.
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { findTraces } from './verification-traces.ts';

const picture = randomBytes(20_000);
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'limen-traces-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'deep'));
});

it('finds a part of the picture in a file, as bytes and as base64 at any offset', async () => {
  const part = picture.subarray(5_000, 9_000);
  const hidden = [part, ...[0, 1, 2].map((by) => Buffer.concat([Buffer.alloc(by, 7), part]).toString('base64'))];
  for (const [index, content] of hidden.entries()) {
    const path = join(folder, 'deep', `${index}.db-wal`);
    writeFileSync(path, Buffer.concat([randomBytes(333), Buffer.from(content)]));
    expect(await findTraces(picture, { folder, text: 'a line' })).toEqual([path]);
    rmSync(path);
  }
});

it('finds it in text, and nothing if there is none', async () => {
  writeFileSync(join(folder, 'limen.db'), randomBytes(50_000));
  expect(await findTraces(picture, { folder, text: picture.toString('base64') })).toEqual(['text']);
  expect(await findTraces(picture, { folder, text: 'a line' })).toEqual([]);
});
