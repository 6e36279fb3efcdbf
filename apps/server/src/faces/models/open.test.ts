// Loading the models in the background: availability, retries and shutdown.
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { MODEL_ROLES } from '@limen/face-models';
import { PATIENCE } from '@limen/testing/patience.ts';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { makeTestModels, sha256Of, type TestModels } from '#testing/model-manifest.ts';
import { type Models, type ModelsOptions, openModels } from './open.ts';

interface LogEntry {
  level: string;
  fields: Record<string, unknown>;
  message: string;
}

async function open({ folder, manifestFile }: Pick<TestModels, 'folder' | 'manifestFile'>, more = {}) {
  const logged: LogEntry[] = [];
  const write = (level: string) => (fields: Record<string, unknown>, message: string) =>
    void logged.push({ level, fields, message });
  const log = { debug: write('debug'), info: write('info'), warn: write('warn') };
  const models = await openModels({ folder, manifestFile, log, ...more });
  onTestFinished(() => models.close());
  return { models, logged };
}

const untilReady = (models: Models) => vi.waitFor(() => expect(models.state()).toBe('ready'), PATIENCE);
const untilLogged = (logged: LogEntry[], message: string) =>
  vi.waitFor(() => expect(logged.map((entry) => entry.message)).toContain(message), PATIENCE);

/** Delays that a test ends by hand. */
function createWaits() {
  const delays: number[] = [];
  let wake = () => {};
  const sleep: ModelsOptions['sleep'] = (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      delays.push(milliseconds);
      wake = resolve;
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  return { delays, sleep, wake: () => wake() };
}

describe('before the start', () => {
  it('has no files, fetches nothing and knows the manifest', async () => {
    const files = makeTestModels();
    const { models } = await open(files);
    expect(existsSync(files.folder)).toBe(false);
    expect(models.readyHash()).toBeNull();
    expect(models.state()).toBe('preparing (0 of 8 are there)');
    expect(await models.locate(models.find('detect.onnx')!, true)).toBeUndefined();
    expect(models.manifest.hash).toBe(sha256Of(models.manifest.text));
  });

  it("reports every mistake in the operator's manifest", async () => {
    const { manifestFile, folder } = makeTestModels();
    const text = readFileSync(manifestFile, 'utf8')
      .replace('"role":"eye"', '"role":"nose"')
      .replace('"nchw"', '"chwn"');
    writeFileSync(manifestFile, text);
    const opening = openModels({ folder, manifestFile, log: console });
    await expect(opening).rejects.toMatchObject({
      name: 'StartError',
      message: [
        `MODEL_MANIFEST: the file ${manifestFile} has 4 problems.`,
        '  - models[0].input.layout must be one of nchw, nhwc',
        `  - models[2].role must be one of ${MODEL_ROLES.join(', ')}`,
        '  - models[2].role detect is taken by a model before it',
        '  - models none has the role eye',
      ].join('\n'),
    });
  });

  it('names a missing manifest', async () => {
    const opening = openModels({ folder: '/nowhere', manifestFile: '/nowhere/manifest.json', log: console });
    await expect(opening).rejects.toThrow(
      'MODEL_MANIFEST: the file /nowhere/manifest.json has 1 problem.\n  - it cannot be read (ENOENT)',
    );
  });
});

describe('the first start', () => {
  it('fills the folder, logs each file and then has the hash', async () => {
    const files = makeTestModels();
    const { models, logged } = await open(files);
    models.start();
    await untilLogged(logged, 'the face models are ready');
    expect(models.readyHash()).toBe(models.manifest.hash);
    for (const [role, content] of files.contents) {
      expect(readFileSync(join(files.folder, `${role}.onnx`))).toEqual(content);
      const lines = logged.filter(({ fields }) => fields['model'] === `test-${role.replace('_', '-')}`);
      expect(lines.map(({ level, message }) => `${level}: ${message}`)).toEqual([
        'info: fetching a face model',
        'info: a face model is ready',
      ]);
    }
  });

  it('tells the page the files without their origin', async () => {
    const { models } = await open(makeTestModels());
    const { models: told } = JSON.parse(models.manifest.text) as { models: Record<string, unknown>[] };
    const keys = ['name', 'role', 'file', 'sha256', 'bytes', 'identity', 'input', 'thresholds'];
    expect(told.map((model) => Object.keys(model))).toEqual(Array(8).fill(keys));
    expect(told[0]).toMatchObject({ role: 'detect', file: 'detect.onnx', thresholds: { score: 0.5 } });
  });

  it('keeps a compressed copy of files that shrink', async () => {
    const files = makeTestModels();
    const { models, logged } = await open(files);
    models.start();
    await untilLogged(logged, 'the face models are ready');
    const packed = await models.locate(models.find('detect.onnx')!, true);
    expect(packed).toMatchObject({ gzip: true, path: join(files.folder, 'detect.onnx.gz') });
    expect(gunzipSync(readFileSync(packed!.path))).toEqual(files.contents.get('detect'));
    expect(packed!.bytes).toBe(readFileSync(packed!.path).length);
    expect(await models.locate(models.find('detect.onnx')!, false)).toMatchObject({ gzip: false });
    expect(await models.locate(models.find('eye.onnx')!, true)).toMatchObject({ gzip: false });
    expect(readdirSync(files.folder).filter((name) => name.startsWith('.'))).toEqual([]);
  });
});

describe('a later start', () => {
  async function prepared() {
    const files = makeTestModels();
    const { models, logged } = await open(files);
    models.start();
    await untilLogged(logged, 'the face models are ready');
    await models.close();
    return files;
  }

  it('needs only the folder, even one copied from another machine', async () => {
    const files = await prepared();
    for (const role of files.contents.keys()) rmSync(join(files.place, `${role}.bin`));
    const moved = join(files.place, 'elsewhere');
    renameSync(files.folder, moved);
    const { models, logged } = await open({ ...files, folder: moved });
    models.start();
    await untilLogged(logged, 'the face models are ready');
    expect(logged.filter(({ level }) => level !== 'debug')).toHaveLength(1);
  });

  it('replaces a damaged model and a damaged compressed copy', async () => {
    const files = await prepared();
    const damage = (name: string) => {
      const path = join(files.folder, name);
      const content = readFileSync(path);
      content[content.length >> 1]! ^= 1;
      writeFileSync(path, content);
    };
    damage('detect.onnx');
    damage('landmarks.onnx.gz');
    const { models, logged } = await open(files);
    models.start();
    await untilLogged(logged, 'the face models are ready');
    expect(readFileSync(join(files.folder, 'detect.onnx'))).toEqual(files.contents.get('detect'));
    const copy = readFileSync(join(files.folder, 'landmarks.onnx.gz'));
    expect(gunzipSync(copy)).toEqual(files.contents.get('landmarks'));
  });

  it('drops the compressed copy of a replaced model', async () => {
    const files = await prepared();
    const content = Buffer.from('another model '.repeat(500));
    writeFileSync(join(files.place, 'detect.bin'), content);
    const manifest = JSON.parse(readFileSync(files.manifestFile, 'utf8')) as { models: Record<string, unknown>[] };
    Object.assign(manifest.models[0]!, { sha256: sha256Of(content), bytes: content.length });
    writeFileSync(files.manifestFile, JSON.stringify(manifest));
    const { models, logged } = await open(files);
    models.start();
    await untilLogged(logged, 'the face models are ready');
    const packed = await models.locate(models.find('detect.onnx')!, true);
    expect(gunzipSync(readFileSync(packed!.path))).toEqual(content);
  });
});

it('restores a model that disappears at runtime', async () => {
  const files = makeTestModels();
  const { models } = await open(files);
  models.start();
  await untilReady(models);
  const model = models.find('eye.onnx')!; // it has no compressed copy
  rmSync(join(files.folder, 'eye.onnx'));
  expect(await models.locate(model, true)).toBeUndefined();
  await vi.waitFor(async () => expect(await models.locate(model, true)).toMatchObject({ gzip: false }), PATIENCE);
  expect(models.readyHash()).toBe(models.manifest.hash);
});

describe('after a failure', () => {
  it('retries after 1, 5 and then every 30 minutes, and serves existing files', async () => {
    const files = makeTestModels();
    const hidden = join(files.place, 'hidden');
    renameSync(join(files.place, 'age_deep.bin'), hidden);
    const { delays, sleep, wake } = createWaits();
    const { models, logged } = await open(files, { sleep });
    models.start();
    for (let failures = 1; failures <= 4; failures++) {
      await vi.waitFor(() => expect(delays).toHaveLength(failures), PATIENCE);
      if (failures < 4) wake();
    }
    expect(delays.map((delay) => delay / 60_000)).toEqual([1, 5, 30, 30]);
    expect(models.state()).toBe('could not be prepared, next try in 30 minutes; the log says why');
    expect(models.readyHash()).toBeNull();
    expect(models.waitSeconds()).toBe(60);
    expect(await models.locate(models.find('detect.onnx')!, false)).toBeDefined();
    expect(await models.locate(models.find('age_deep.onnx')!, false)).toBeUndefined();
    const warning = logged.find(({ level }) => level === 'warn');
    expect(warning?.message).toMatch(/are not ready.*next try in a minute$/);
    expect(warning?.fields['reason']).toMatch(/test-age-deep could not be read/);

    renameSync(hidden, join(files.place, 'age_deep.bin'));
    wake();
    await untilReady(models);
  });

  it('closes without waiting for the next attempt', async () => {
    const files = makeTestModels();
    rmSync(join(files.place, 'eye.bin'));
    const { delays, sleep } = createWaits();
    const { models } = await open(files, { sleep });
    models.start();
    await vi.waitFor(() => expect(delays).toHaveLength(1), PATIENCE);
    await models.close();
    expect(delays).toHaveLength(1);
  });
});

it('terminates npm without warnings when closed', async () => {
  const files = makeTestModels();
  const manifest = JSON.parse(readFileSync(files.manifestFile, 'utf8')) as { models: Record<string, unknown>[] };
  const integrity = `sha512-${'A'.repeat(86)}==`;
  manifest.models[0]!['origin'] = { package: 'some-models', version: '1.0.0', integrity, path: 'a.onnx' };
  writeFileSync(files.manifestFile, JSON.stringify(manifest));
  const asked = Promise.withResolvers<void>();
  const runNpm: ModelsOptions['runNpm'] = (_args, signal) =>
    new Promise((_resolve, reject) => {
      signal!.addEventListener('abort', () => reject(new Error('npm failed with ABORT_ERR')));
      asked.resolve();
    });
  const { models, logged } = await open(files, { runNpm });
  models.start();
  await asked.promise;
  await models.close();
  expect(logged.filter(({ level }) => level === 'warn')).toEqual([]);
  expect(readdirSync(files.folder).filter((name) => name.startsWith('.'))).toEqual([]);
});
