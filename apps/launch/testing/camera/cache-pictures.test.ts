import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { cachePictures } from './cache-pictures.ts';

let folder: string;
let file: string;
let made: number;
beforeEach(() => {
  const place = mkdtempSync(join(tmpdir(), 'limen-pictures-'));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  [folder, file, made] = [join(place, 'kept'), join(place, 'portrait.jpg'), 0];
  writeFileSync(file, 'one');
});

const ask = (name: string) =>
  cachePictures({ name, files: [file], folder }, async () => {
    made += 1;
    return { name, landmarks: [0.1, 2] };
  });

it('creates pictures once and reuses them later', async () => {
  const first = await ask('a');
  expect([await ask('a'), made]).toEqual([first, 1]);
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/^[0-9a-f]{64}\.json$/)]);
});

it('creates new pictures for another name or a changed file', async () => {
  await ask('a');
  await ask('b');
  writeFileSync(file, 'two');
  await ask('a');
  expect(made).toBe(3);
});

it('caches no failure', async () => {
  const fail = () => Promise.reject(new Error('No such face'));
  await expect(cachePictures({ name: 'a', folder }, fail)).rejects.toThrow('No such face');
  await ask('a');
  expect(made).toBe(1);
});

it('deletes old pictures', async () => {
  await ask('a');
  utimesSync(join(folder, readdirSync(folder)[0]!), 0, 0);
  await ask('b');
  expect(readdirSync(folder)).toHaveLength(1);
});
