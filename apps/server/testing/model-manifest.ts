// A manifest of small local face models, so that nothing is downloaded.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MODEL_ROLES } from '@limen/face-models';
import { onTestFinished } from 'vitest';

export interface TestModels {
  /** Folder of the manifest and the originals */
  place: string;
  manifestFile: string;
  /** Contents of each role's model. The file is `{role}.onnx`, the original `{role}.bin`. */
  contents: ReadonlyMap<string, Buffer>;
  /** Target folder, which does not exist yet */
  folder: string;
}

const THRESHOLDS = new Map<string, Record<string, number>>([
  ['detect', { score: 0.5, overlap: 0.4 }],
  ['eye', { closed: 0.6, open: 0.2 }],
  ['liveness', { live: 0.5 }],
  ['embedding', { falseMatch1In1000: 0.3, falseMatch1In10000: 0.4, falseMatch1In100000: 0.5 }],
]);

/** Returns compressible text, except for the eye model, which is incompressible. */
function makeContent(role: string): Buffer {
  if (role !== 'eye') return Buffer.from(`the model for ${role} `.repeat(2_000));
  let content = Buffer.from(role);
  while (content.length < 2_000) {
    content = Buffer.concat([content, createHash('sha256').update(content).digest()]);
  }
  return content;
}

export function sha256Of(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}

export function makeTestModels(): TestModels {
  const place = mkdtempSync(join(tmpdir(), 'limen-models-'));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const contents = new Map(MODEL_ROLES.map((role) => [role as string, makeContent(role)]));
  const models = [...contents].map(([role, content]) => {
    writeFileSync(join(place, `${role}.bin`), content);
    return {
      name: `test-${role.replace('_', '-')}`,
      role,
      version: '1.0.0',
      file: `${role}.onnx`,
      sha256: sha256Of(content),
      bytes: content.length,
      input: { width: 8, height: 8, channels: 'gray', mean: [0], scale: 255, layout: 'nchw' },
      thresholds: THRESHOLDS.get(role) ?? {},
      origin: { file: `${role}.bin` },
      licence: 'MIT',
      trainingData: 'None.',
    };
  });
  const manifestFile = join(place, 'manifest.json');
  writeFileSync(manifestFile, JSON.stringify({ models }));
  return { place, manifestFile, contents, folder: join(place, 'data/models') };
}
