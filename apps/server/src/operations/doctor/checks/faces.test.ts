// The doctor's findings on capacity for faces.

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PATIENCE } from '@limen/testing/patience.ts';
import pino from 'pino';
import { expect, it, vi } from 'vitest';
import { makeTestModels } from '#testing/model-manifest.ts';
import { loadConfig } from '../../../config.ts';
import { openModels } from '../../../faces/models/open.ts';
import { systemClock } from '../../../platform/base/clock.ts';
import { checkModels, judgeFaces } from './faces.ts';

const facts = { people: 50, embeddings: 120, fullest: 89, maxEmbeddings: 100, neededBytes: 500, memoryBytes: 1_000 };
const judge = (changed: Partial<typeof facts>) =>
  judgeFaces({ ...facts, ...changed }).map(({ level, found }) => `${level}: ${found}`);

it('warns when capacity runs low, and fails when there is none', () => {
  const crowded = (fullest: number) =>
    `50 people, 120 embeddings, ${fullest} of them in one world, which has room for 100`;
  expect(judge({})).toEqual(['ok: 50 people, 120 embeddings']);
  expect(judge({ fullest: 90 })).toEqual([`warning: ${crowded(90)}`]);
  expect(judge({ fullest: 100 })).toEqual([`failure: ${crowded(100)}`]);
});

it('warns when the index uses more than half of the memory', () => {
  expect(judge({ neededBytes: 501 })).toEqual([
    'ok: 50 people, 120 embeddings',
    'warning: their index takes 501 B of the 1000 B of memory',
  ]);
});

async function prepare() {
  const files = makeTestModels();
  const models = await openModels({ ...files, log: pino({ level: 'silent' }) });
  models.start();
  await vi.waitFor(() => expect(models.state()).toBe('ready'), PATIENCE);
  await models.close();
  return files;
}

async function examine(environment: Record<string, string>): Promise<string[]> {
  const facts = { config: loadConfig(environment), clock: systemClock, database: { state: 'absent' } } as const;
  return (await checkModels(facts)).map(({ level, found }) => `${level}: ${found}`);
}

it('finds all models, or names the missing and damaged ones', async () => {
  const { place, folder, manifestFile } = await prepare();
  const environment = { DATA_DIR: join(place, 'data'), MODEL_MANIFEST: manifestFile };
  expect(await examine(environment)).toEqual(['ok: all 8 are present, each with the right hash']);
  rmSync(join(folder, 'eye.onnx'));
  writeFileSync(join(folder, 'detect.onnx'), 'something else');
  expect(await examine(environment)).toEqual(['warning: 2 of 8 are missing or damaged: test-detect, test-eye']);
});

it("finds every mistake in the operator's manifest", async () => {
  const { manifestFile } = makeTestModels();
  writeFileSync(manifestFile, '{"models":[]}');
  const found = await examine({ MODEL_MANIFEST: manifestFile });
  expect(found).toHaveLength(8);
  expect(found).toContain('failure: manifest: models none has the role eye');
  expect(await examine({ MODEL_MANIFEST: '/nowhere.json' })).toEqual(['failure: manifest: it cannot be read (ENOENT)']);
});

it('skips the models if no hosted page is served', async () => {
  expect(await examine({ SERVE: 'core', MODEL_MANIFEST: '/nowhere.json' })).toEqual(['ok: not served by this process']);
});
