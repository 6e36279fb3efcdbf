// The shipped manifest, replaced models, and mistakes with their paths.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { loadManifest, ManifestError, MODEL_ROLES, manifestHash, parseManifest, SHIPPED_MANIFEST } from './manifest.ts';

const text = await readFile(SHIPPED_MANIFEST, 'utf8');

/** Changes fields of the shipped manifest by path. */
function change(changes: Record<string, unknown>): string {
  const manifest = JSON.parse(text);
  for (const [path, value] of Object.entries(changes)) {
    const keys = path.split('.');
    const last = keys.pop()!;
    const target = keys.reduce((object, key) => object[key], manifest.models[0]);
    if (value === undefined) delete target[last];
    else target[last] = value;
  }
  return JSON.stringify(manifest);
}

function listProblems(manifest: string): readonly string[] {
  try {
    parseManifest(manifest, '/etc/limen');
  } catch (error) {
    if (error instanceof ManifestError) return error.problems;
    throw error;
  }
  return [];
}

describe('the identity of a model', () => {
  const embeddingOf = (manifest: string) =>
    parseManifest(manifest, '/etc/limen').models.find(({ role }) => role === 'embedding')!;
  const index = JSON.parse(text).models.findIndex(({ role }: { role: string }) => role === 'embedding');

  function changeEmbedding(origin: object): string {
    const manifest = JSON.parse(text);
    manifest.models[index].origin = origin;
    return JSON.stringify(manifest);
  }

  test('stays the same for existing galleries and tokens, although the shipped file is smaller', () => {
    const { identity, sha256 } = embeddingOf(text);
    expect(identity).toBe('87aacdfe57510db2af90c0251df680e8eec88f122ee94712121d09bcaaaf3581');
    expect(sha256).not.toBe(identity);
  });

  test('is its own hash once the file was replaced', () => {
    const { identity, sha256 } = embeddingOf(changeEmbedding({ file: 'mine.onnx' }));
    expect(identity).toBe(sha256);
  });

  test('is its own hash with 8-bit weights, which change embeddings', () => {
    const { identity, sha256 } = embeddingOf(
      changeEmbedding({ ...JSON.parse(text).models[index].origin, convert: 'int8' }),
    );
    expect(identity).toBe(sha256);
  });
});

describe('the shipped manifest', () => {
  test('has one model for every role', async () => {
    const { models } = await loadManifest();
    expect(models.map((model) => model.role).sort()).toEqual([...MODEL_ROLES].sort());
  });

  test('is identified by the hash of its text', async () => {
    expect((await loadManifest()).hash).toBe(manifestHash(text));
    expect(manifestHash(`${text} `)).not.toBe(manifestHash(text));
  });

  test('pins one integrity per package', async () => {
    const pins = new Map<string, Set<string>>();
    for (const { origin } of (await loadManifest()).models) {
      if (!('package' in origin)) continue;
      const name = `${origin.package}@${origin.version}`;
      pins.set(name, (pins.get(name) ?? new Set()).add(origin.integrity));
    }
    expect([...pins.values()].map((integrities) => integrities.size)).toEqual([1, 1, 1]);
  });

  test('pins the project’s own models', async () => {
    const own = (await loadManifest()).models.filter(({ origin }) => 'file' in origin);
    expect(own.map(({ role }) => role)).toEqual(['document_text']);
    for (const { origin, sha256, bytes } of own) {
      const content = await readFile((origin as { file: string }).file);
      expect(content.length).toBe(bytes);
      expect(createHash('sha256').update(content).digest('hex')).toBe(sha256);
    }
  });
});

test('finds a bundled model from any location of the manifest', async () => {
  const { models } = parseManifest(change({ origin: { bundled: 'ocr-b.onnx' } }), '/etc/limen');
  await expect(readFile((models[0]!.origin as { file: string }).file)).resolves.toHaveLength(227_458);
  expect(() => parseManifest(change({ origin: { bundled: '../ocr-b.onnx' } }), '/etc/limen')).toThrow(
    'comes with Limen',
  );
});

describe('a replaced model', () => {
  test('may be a file next to the manifest', () => {
    const { models } = parseManifest(change({ origin: { file: 'mine/detect.onnx' } }), '/etc/limen');
    expect(models[0]?.origin).toEqual({ file: '/etc/limen/mine/detect.onnx' });
  });

  test('may be a file anywhere', () => {
    const { models } = parseManifest(change({ origin: { file: '/srv/detect.onnx' } }), '/etc/limen');
    expect(models[0]?.origin).toEqual({ file: '/srv/detect.onnx' });
  });
});

describe('a mistake', () => {
  test.each<[string, unknown, string]>([
    ['name', 'Fr Detect', 'must be lower-case letters'],
    ['role', 'gender', 'must be one of detect, landmarks'],
    ['version', '', 'must be a version'],
    ['file', '../detect.onnx', 'must be a plain file name'],
    ['file', 'detect.js', 'must be a plain file name'],
    ['sha256', 'ABC', 'must be 64 lower-case'],
    ['bytes', 0, 'must be a whole number from 1'],
    ['bytes', '12', 'must be a whole number from 1'],
    ['input', undefined, 'must be an object'],
    ['input.width', 1.5, 'must be a whole number'],
    ['input.channels', 'yuv', 'must be one of rgb, bgr, gray'],
    ['input.mean', [1], 'must have 3 numbers'],
    ['input.scale', 0, 'must be above 0'],
    ['input.scale', null, 'must be a number'],
    ['input.layout', undefined, 'must be one of nchw, nhwc'],
    ['thresholds.score', 'high', 'must be a number'],
    ['thresholds.score', 7, 'must be above 0 and at most 1'],
    ['thresholds.score', 0, 'must be above 0 and at most 1'],
    ['thresholds.scroe', 0.5, 'is no threshold of the role detect'],
    ['thresholds', [], 'must be an object'],
    ['origin', 'faceplugin', 'must be an object'],
    ['origin.package', 'face plugin', 'must be the name of an npm package'],
    ['origin.package', '--registry=x', 'must be the name of an npm package'],
    ['origin.version', '^1.0.3', 'must be one exact version'],
    ['origin.integrity', 'sha1-abc', 'must be sha512-'],
    ['origin.path', '../secret', 'must be a path inside the package'],
    ['origin.path', '/etc/passwd', 'must be a path inside the package'],
    ['origin.convert', 'faceres-deep', 'must be a path inside the package'],
    ['licence', '', 'must be a license'],
    ['licence', 'x'.repeat(1001), 'must be a license'],
    ['trainingData', undefined, 'must be a sentence'],
    ['tresholds', {}, 'is not a field of the manifest'],
  ])('in %s (%j) is reported with its path', (path, value, expected) => {
    const problems = listProblems(change({ [path]: value }));
    const at = path === 'origin.convert' ? 'origin.weights' : path;
    expect(problems).toContainEqual(expect.stringContaining(`models[0].${at} ${expected}`));
  });

  test('does not hide other mistakes', () => {
    const problems = listProblems(change({ name: '', bytes: -1, 'input.scale': 'x', 'origin.version': 'latest' }));
    expect(problems.map((problem) => problem.split(' ')[0])).toEqual([
      'models[0].name',
      'models[0].bytes',
      'models[0].input.scale',
      'models[0].origin.version',
    ]);
  });

  test('is reported for two models with one role, which leave another role empty', () => {
    expect(listProblems(change({ role: 'eye' }))).toEqual([
      'models[2].role eye is taken by a model before it',
      'models none has the role detect',
    ]);
  });

  test('is reported for two models with one file', () => {
    expect(listProblems(change({ file: 'fr-eye-int16.onnx' }))).toEqual([
      'models[2].file fr-eye-int16.onnx is taken by a model before it',
    ]);
  });

  test('in the JSON is the only one reported', () => {
    expect(listProblems('{"models": [')).toEqual([expect.stringContaining('the manifest is not JSON')]);
    expect(listProblems('[]')).toEqual(['the manifest must be an object']);
  });
});
