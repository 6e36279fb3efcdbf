// The manifest of the face models: their origins and input formats.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { createProblems, type Fields, type Problems } from './manifest-fields.ts';

export const MODEL_ROLES = [
  'detect',
  'landmarks',
  'eye',
  'liveness',
  'embedding',
  'age_small',
  'age_deep',
  'document_text',
] as const;
export type ModelRole = (typeof MODEL_ROLES)[number];

/** Thresholds for the models' outputs. All are shares or similarities: above 0 and at most 1. */
const THRESHOLDS: Readonly<Record<ModelRole, readonly string[]>> = {
  detect: ['score', 'overlap'],
  landmarks: [],
  eye: ['closed', 'open'],
  liveness: ['live'],
  embedding: ['falseMatch1In1000', 'falseMatch1In10000', 'falseMatch1In100000'],
  age_small: [],
  age_deep: [],
  document_text: [],
};

/** Conversions from TensorFlow.js to ONNX, each for one network. */
const REWRITINGS = ['face-api-age', 'faceres-deep'] as const;
/** Conversions of an ONNX file that quantize its large weights. */
const COMPACTIONS = ['int8', 'int16'] as const;
/** Its embeddings stay comparable: docs/decisions.md#smaller-models. */
const KEEPS_IDENTITY = 'int16' satisfies Conversion;
export type Rewriting = (typeof REWRITINGS)[number];
export type Compaction = (typeof COMPACTIONS)[number];
export type Conversion = Rewriting | Compaction;

export interface ModelInput {
  width: number;
  height: number;
  channels: 'rgb' | 'bgr' | 'gray';
  /** Per channel, in the order of `channels`: input = (0 to 255 − mean) ÷ scale. */
  mean: number[];
  scale: number;
  layout: 'nchw' | 'nhwc';
}

export interface PackageOrigin {
  package: string;
  version: string;
  integrity: string;
  /** Path in the package of the model, or of its description if it is converted. */
  path: string;
  /** Conversion, with the weights' path or the SHA-256 of the file at `path`. */
  conversion?: { convert: Rewriting; weights: string } | { convert: Compaction; sha256: string };
}

export interface FileOrigin {
  /** Absolute after parsing. */
  file: string;
}

export interface FaceModel {
  name: string;
  role: ModelRole;
  version: string;
  /** Name in the models folder and in URLs. */
  file: string;
  sha256: string;
  bytes: number;
  /** SHA-256 that identifies the outputs: equal identities have comparable embeddings. */
  identity: string;
  input: ModelInput;
  thresholds: ReadonlyMap<string, number>;
  origin: PackageOrigin | FileOrigin;
  licence: string;
  trainingData: string;
}

export interface Manifest {
  models: readonly FaceModel[];
  hash: string;
}

export class ManifestError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(`The model manifest is invalid:\n${problems.map((problem) => `- ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

/** Folder of the bundled models, which the manifest leaves out. */
const BUNDLED = resolve(import.meta.dirname, '../../documents/model');
export const SHIPPED_MANIFEST = resolve(import.meta.dirname, '../manifest.json');
const MAX_MANIFEST_BYTES = 1024 * 1024;
const MAX_SIDE = 4096;
const SHA256 = /^[0-9a-f]{64}$/;
const MAX_MODEL_BYTES = 256 * 1024 * 1024;

export async function loadManifest(path = SHIPPED_MANIFEST): Promise<Manifest> {
  return parseManifest(await readFile(path, 'utf8'), dirname(path));
}

export function manifestHash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** `folder`: base of the models' own files. Throws ManifestError with all mistakes. */
export function parseManifest(text: string, folder: string): Manifest {
  const problems = createProblems();
  const root = problems.object('', parseJson(text, problems));
  const models = root?.list('models', (path, value) => parseModel(problems.object(path, value), folder)) ?? [];
  root?.end();
  if (root) checkTogether(models, problems);
  // Wrong roles would cause misleading errors.
  if (problems.found.length === 0)
    for (const [index, model] of models.entries()) checkThresholds(model!, index, problems);
  if (problems.found.length > 0) throw new ManifestError(problems.found);
  return { models: models.filter((model) => model !== undefined), hash: manifestHash(text) };
}

function parseJson(text: string, problems: Problems): unknown {
  if (text.length > MAX_MANIFEST_BYTES) return problems.add('', 'is too large');
  try {
    return JSON.parse(text);
  } catch (error) {
    return problems.add('', `is not JSON: ${(error as Error).message}`);
  }
}

function parseModel(fields: Fields | undefined, folder: string): FaceModel | undefined {
  if (!fields) return undefined;
  const model: Omit<FaceModel, 'identity'> = {
    name: fields.text('name', /^[a-z0-9][a-z0-9._-]{0,63}$/, 'lower-case letters, digits, dots, hyphens, underscores'),
    role: fields.oneOf('role', MODEL_ROLES),
    version: fields.text('version', /^\S{1,64}$/, 'a version'),
    // Used in paths and URLs.
    file: fields.text('file', /^[a-z0-9][a-z0-9._-]{0,63}\.onnx$/, 'a plain file name ending in .onnx'),
    sha256: fields.text('sha256', SHA256, '64 lower-case hexadecimal digits'),
    bytes: fields.integer('bytes', 1, MAX_MODEL_BYTES),
    input: parseInput(fields.object('input')),
    thresholds: fields.numbers('thresholds'),
    origin: parseOrigin(fields.object('origin'), folder),
    licence: fields.text('licence', /\S/, 'a license'),
    trainingData: fields.text('trainingData', /\S/, 'a sentence'),
  };
  fields.end();
  return { ...model, identity: identify(model) };
}

/** Never stated in the manifest, so that a replaced file cannot claim the identity of ours. */
function identify({ sha256, origin }: Pick<FaceModel, 'sha256' | 'origin'>): string {
  const conversion = 'package' in origin ? origin.conversion : undefined;
  return conversion && 'sha256' in conversion && conversion.convert === KEEPS_IDENTITY ? conversion.sha256 : sha256;
}

/** A misspelt threshold would otherwise fail only on people's phones. */
function checkThresholds({ role, thresholds }: FaceModel, index: number, problems: Problems): void {
  const wanted = THRESHOLDS[role];
  const path = `models[${index}].thresholds`;
  for (const name of wanted) if (!thresholds.has(name)) problems.add(path, `must have ${name}`);
  for (const [name, value] of thresholds) {
    if (!wanted.includes(name)) problems.add(`${path}.${name}`, `is no threshold of the role ${role}`);
    else if (!(value > 0 && value <= 1)) problems.add(`${path}.${name}`, 'must be above 0 and at most 1');
  }
}

function parseInput(fields: Fields | undefined): ModelInput {
  if (!fields) return { width: 1, height: 1, channels: 'gray', mean: [0], scale: 1, layout: 'nchw' };
  const channels = fields.oneOf('channels', ['rgb', 'bgr', 'gray'] as const);
  const input: ModelInput = {
    width: fields.integer('width', 1, MAX_SIDE),
    height: fields.integer('height', 1, MAX_SIDE),
    channels,
    mean: fields.list('mean', (path, value) => fields.problems.number(path, value)),
    scale: fields.number('scale'),
    layout: fields.oneOf('layout', ['nchw', 'nhwc'] as const),
  };
  const expected = channels === 'gray' ? 1 : 3;
  if (input.mean.length !== expected) fields.add('mean', `must have ${expected} numbers, one per channel`);
  if (input.scale <= 0) fields.add('scale', 'must be above 0');
  fields.end();
  return input;
}

function parseOrigin(fields: Fields | undefined, folder: string): PackageOrigin | FileOrigin {
  if (!fields) return { file: '' };
  if (fields.has('bundled')) {
    const name = fields.text('bundled', /^[a-z0-9][a-z0-9._-]{0,63}$/, 'the name of a file that comes with Limen');
    fields.end();
    return { file: resolve(BUNDLED, name) };
  }
  if (fields.has('file')) {
    const file = fields.text('file', /\S/, 'a path');
    fields.end();
    return { file: resolve(folder, file) };
  }
  const inPackage = /^(?!.*(^|\/)\.{0,2}(\/|$))[^\\]{1,255}$/;
  const origin: PackageOrigin = {
    package: fields.text('package', /^(@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/, 'the name of an npm package'),
    version: fields.text('version', /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/, 'one exact version'),
    integrity: fields.text('integrity', /^sha512-[A-Za-z0-9+/]{86}==$/, 'sha512- and a hash in base64'),
    path: fields.text('path', inPackage, 'a path inside the package'),
  };
  if (fields.has('convert') || fields.has('weights')) origin.conversion = parseConversion(fields, inPackage);
  fields.end();
  return origin;
}

function parseConversion(fields: Fields, inPackage: RegExp): NonNullable<PackageOrigin['conversion']> {
  const convert = fields.oneOf('convert', [...REWRITINGS, ...COMPACTIONS]);
  if (convert === 'int8' || convert === 'int16')
    return {
      convert,
      sha256: fields.text('sha256', SHA256, 'the SHA-256 of the file in the package: 64 hexadecimal digits'),
    };
  return { convert, weights: fields.text('weights', inPackage, 'a path inside the package') };
}

function checkTogether(models: readonly (FaceModel | undefined)[], problems: Problems): void {
  for (const field of ['name', 'role', 'file'] as const) {
    const seen = new Set<string>();
    for (const [index, model] of models.entries()) {
      const value = model?.[field];
      if (value === undefined || value === '') continue;
      if (seen.has(value)) problems.add(`models[${index}].${field}`, `${value} is taken by a model before it`);
      seen.add(value);
    }
  }
  for (const role of MODEL_ROLES)
    if (!models.some((model) => model?.role === role)) problems.add('models', `none has the role ${role}`);
}
