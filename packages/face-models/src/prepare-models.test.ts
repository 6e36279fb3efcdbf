// Fills the models folder from a fake npm: fetched once, cached, repaired, never half-written.
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeTarball } from '../testing/make-tar.ts';
import type { FaceModel, Manifest, PackageOrigin } from './manifest.ts';
import { type PrepareProgress, prepareModels } from './prepare-models.ts';
import { NpmFailure, type RunNpm } from './run-npm.ts';

const first = Buffer.from('the first model');
const second = Buffer.alloc(3000, 7);
const tarball = makeTarball(
  new Map([
    ['README.md', Buffer.from('read me')],
    ['model/first.onnx', first],
    ['model/second.onnx', second],
  ]),
);
const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');

function makeModel(name: string, content: Uint8Array, changes: Partial<FaceModel> = {}): FaceModel {
  return {
    name,
    role: name === 'first' ? 'detect' : 'eye',
    version: '1.0.0',
    file: `${name}.onnx`,
    sha256: sha256(content),
    bytes: content.length,
    identity: sha256(content),
    input: { width: 1, height: 1, channels: 'gray', mean: [0], scale: 1, layout: 'nchw' },
    thresholds: new Map(),
    origin: { package: 'some-models', version: '1.0.0', integrity, path: `model/${name}.onnx` },
    licence: 'MIT',
    trainingData: 'None.',
    ...changes,
  };
}

const makeManifest = (...models: FaceModel[]): Manifest => ({ models, hash: '' });
const both = makeManifest(makeModel('first', first), makeModel('second', second));

let folder = '';
let npmCalls: (readonly string[])[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'limen-models-'));
  npmCalls = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Puts a tarball where npm would. */
const npmBringing =
  (content: Uint8Array): RunNpm =>
  async (args) => {
    npmCalls.push(args);
    await writeFile(join(args[args.indexOf('--pack-destination') + 1]!, 'some-models-1.0.0.tgz'), content);
  };
const runNpm = npmBringing(tarball);
const offline: RunNpm = () => Promise.reject(new Error('npm failed with ENOTFOUND'));

const read = (name: string) => readFile(join(folder, name));
const listFolder = async () => (await readdir(folder)).sort();

describe('an empty folder', () => {
  test('is filled if npm may not write to its cache', async () => {
    const withoutHome: RunNpm = (args) =>
      args.includes('--cache') ? runNpm(args) : Promise.reject(new NpmFailure('npm failed with EACCES', 'EACCES'));
    expect(await prepareModels({ manifest: both, folder, runNpm: withoutHome })).toHaveLength(2);
    const [call] = npmCalls;
    expect(call![call!.indexOf('--cache') + 1]).toContain(folder);
    expect(await listFolder()).toEqual(['first.onnx', 'second.onnx']);
  });

  test('is filled from one fetch of the package', async () => {
    const prepared = await prepareModels({ manifest: both, folder, runNpm });
    expect(prepared.map(({ path }) => path)).toEqual([join(folder, 'first.onnx'), join(folder, 'second.onnx')]);
    expect(await read('first.onnx')).toEqual(first);
    expect(await read('second.onnx')).toEqual(second);
    expect(npmCalls).toHaveLength(1);
    expect(npmCalls[0]).toEqual(expect.arrayContaining(['pack', 'some-models@1.0.0', '--ignore-scripts']));
  });

  test('contains only the models afterwards', async () => {
    await prepareModels({ manifest: both, folder, runNpm });
    expect(await listFolder()).toEqual(['first.onnx', 'second.onnx']);
  });

  test('gets only the models of the requested roles', async () => {
    await prepareModels({ manifest: both, folder, runNpm, roles: ['eye'] });
    expect(await listFolder()).toEqual(['second.onnx']);
  });

  test('may not exist yet', async () => {
    folder = join(folder, 'data/models');
    await prepareModels({ manifest: both, folder, runNpm });
    expect(await listFolder()).toEqual(['first.onnx', 'second.onnx']);
  });

  test('gets a replaced model from a file', async () => {
    const file = join(folder, 'mine');
    await writeFile(file, 'my own');
    const manifest = makeManifest(makeModel('first', Buffer.from('my own'), { origin: { file } }));
    await prepareModels({ manifest, folder, runNpm: offline });
    expect((await read('first.onnx')).toString()).toBe('my own');
  });
});

describe('a full folder', () => {
  beforeEach(async () => {
    await prepareModels({ manifest: both, folder, runNpm });
    npmCalls = [];
  });

  test('needs no network', async () => {
    expect(await prepareModels({ manifest: both, folder, runNpm: offline })).toHaveLength(2);
  });

  test('gets only a damaged file replaced', async () => {
    await writeFile(join(folder, 'second.onnx'), Buffer.alloc(3000, 8));
    const progress: PrepareProgress[] = [];
    await prepareModels({ manifest: both, folder, runNpm, onProgress: (event) => progress.push(event) });
    expect(await read('second.onnx')).toEqual(second);
    expect(progress).toEqual([
      { model: 'first', phase: 'cached', bytes: first.length },
      { model: 'second', phase: 'fetching', bytes: 3000 },
      { model: 'second', phase: 'ready', bytes: 3000 },
    ]);
  });

  test('gets a truncated file replaced', async () => {
    await writeFile(join(folder, 'second.onnx'), second.subarray(0, 100));
    await prepareModels({ manifest: both, folder, runNpm });
    expect(await read('second.onnx')).toEqual(second);
  });
});

test('stops on a signal and keeps complete files', async () => {
  const stop = new AbortController();
  const onProgress = ({ phase }: PrepareProgress) => phase === 'ready' && stop.abort();
  const preparing = prepareModels({ manifest: both, folder, runNpm, onProgress, signal: stop.signal });
  await expect(preparing).rejects.toThrow('aborted');
  expect(await listFolder()).toEqual(['first.onnx']);
});

test('supports concurrent runs', async () => {
  await Promise.all([1, 2, 3, 4].map(() => prepareModels({ manifest: both, folder, runNpm })));
  expect(await read('first.onnx')).toEqual(first);
  expect(await read('second.onnx')).toEqual(second);
  expect(await listFolder()).toEqual(['first.onnx', 'second.onnx']);
});

test('removes leftovers of a killed process after a day, and not before', async () => {
  for (const name of ['.fetching-old', '.fetching-new']) await mkdir(join(folder, name));
  const now = Date.UTC(2030, 0, 10);
  await utimes(join(folder, '.fetching-old'), now / 1000 - 90_000, now / 1000 - 90_000);
  await utimes(join(folder, '.fetching-new'), now / 1000 - 3600, now / 1000 - 3600);
  await prepareModels({ manifest: both, folder, runNpm, now: () => now });
  expect(await listFolder()).toEqual(['.fetching-new', 'first.onnx', 'second.onnx']);
});

describe('a failure', () => {
  const prepare = (manifest: Manifest, npm: RunNpm) => prepareModels({ manifest, folder, runNpm: npm });

  test('of npm names the models, the package and the remedy', async () => {
    const failure = prepare(both, offline);
    await expect(failure).rejects.toThrow(
      'The face models first, second could not be fetched from the npm package some-models@1.0.0: ' +
        'npm failed with ENOTFOUND. Check that "npm view some-models" works here',
    );
    expect(await listFolder()).toEqual([]);
  });

  test('is reported for another package than the pinned one, even with the right files', async () => {
    const otherPackage = makeTarball(
      new Map([
        ['model/first.onnx', first],
        ['model/second.onnx', second],
      ]),
    );
    await expect(prepare(both, npmBringing(otherPackage))).rejects.toThrow('is not the pinned package');
    expect(await listFolder()).toEqual([]);
  });

  test('is reported for a model with another hash', async () => {
    const manifest = makeManifest(makeModel('first', first, { sha256: sha256(second) }));
    await expect(prepare(manifest, runNpm)).rejects.toThrow(
      `The face model first is not the one that the manifest names: it has ${first.length} bytes and sha256 ${sha256(first)}`,
    );
    expect(await listFolder()).toEqual([]);
  });

  test('is reported for a package without the file', async () => {
    const manifest = makeManifest(makeModel('third', first));
    await expect(prepare(manifest, runNpm)).rejects.toThrow('not in the archive: package/model/third.onnx');
  });

  test('is reported if npm downloads nothing', async () => {
    await expect(prepare(both, async () => {})).rejects.toThrow('npm downloaded 0 files');
  });

  test('is reported for a damaged package', async () => {
    const garbage = Buffer.from('no archive at all');
    const pin = `sha512-${createHash('sha512').update(garbage).digest('base64')}`;
    const origin = { package: 'some-models', version: '1.0.0', integrity: pin, path: 'model/first.onnx' };
    await expect(prepare(makeManifest(makeModel('first', first, { origin })), npmBringing(garbage))).rejects.toThrow(
      'The face models first could not be fetched',
    );
  });

  test('is reported for a model compacted from another file than the manifest names', async () => {
    const model = makeModel('first', first);
    const conversion = { convert: 'int16' as const, sha256: sha256(second) };
    const changed = { ...model, origin: { ...model.origin, conversion } as PackageOrigin };
    await expect(prepare(makeManifest(changed), runNpm)).rejects.toThrow(
      'is made from another file than the manifest names',
    );
  });

  test('is reported for a model that cannot be converted', async () => {
    const model = makeModel('first', first);
    const origin = { ...model.origin, conversion: { convert: 'face-api-age' as const, weights: 'model/second.onnx' } };
    await expect(prepare(makeManifest({ ...model, origin }), runNpm)).rejects.toThrow(
      'The face model first could not be converted (face-api-age)',
    );
  });

  test('is reported for a missing or too large file of the operator', async () => {
    const file = join(folder, 'mine');
    const manifest = makeManifest(makeModel('first', first, { origin: { file } }));
    await expect(prepare(manifest, offline)).rejects.toThrow('could not be read from the file that the manifest names');
    await writeFile(file, second);
    await expect(prepare(manifest, offline)).rejects.toThrow(`has 3000 bytes, but the manifest says ${first.length}`);
  });
});
