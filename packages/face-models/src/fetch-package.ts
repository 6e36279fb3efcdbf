// Extracts files from a published npm package after verifying its integrity.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { readTar } from './read-tar.ts';
import { NpmFailure, type RunNpm } from './run-npm.ts';

/** Several times the size of the packages in use. */
const LIMITS = { maxFileBytes: 256 * 1024 * 1024, maxArchiveBytes: 2 * 1024 * 1024 * 1024 };

export interface PackagePin {
  package: string;
  version: string;
  /** `sha512-` and base64, as in lockfiles. */
  integrity: string;
}

export interface FetchOptions {
  /** An empty folder for the tarball. */
  folder: string;
  runNpm: RunNpm;
}

/** Returns the files by their path in the package. */
export async function fetchPackageFiles(
  pin: PackagePin,
  paths: readonly string[],
  { folder, runNpm }: FetchOptions,
): Promise<Map<string, Buffer>> {
  const specifier = `${pin.package}@${pin.version}`;
  await pack(specifier, folder, runNpm);
  // npm versions print different names for scoped packages, so look into the folder.
  const tarballs = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  if (tarballs.length !== 1) throw new Error(`npm downloaded ${tarballs.length} files for ${specifier} instead of one`);
  const tarball = join(folder, tarballs[0]!);

  const integrity = await computeIntegrity(tarball);
  if (integrity !== pin.integrity)
    throw new Error(`${specifier} is not the pinned package: it has ${integrity}, the manifest says ${pin.integrity}`);

  // npm packs everything below this folder.
  const wanted = new Set(paths.map((path) => `package/${path}`));
  const source = createReadStream(tarball);
  const unpacked = createGunzip();
  // Reading stops after the last wanted file, which ends the pipeline early. This is no error.
  const piping = pipeline(source, unpacked).catch((error: unknown) => error);
  try {
    const files = await readTar(unpacked, wanted, LIMITS);
    return new Map(paths.map((path) => [path, files.get(`package/${path}`)!]));
  } finally {
    source.destroy();
    unpacked.destroy();
    await piping;
  }
}

/** Error codes of npm if its cache is not writable. */
const CLOSED = ['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR'];

/** Uses npm, which knows the user's registry, proxy and credentials, and has a cache. */
async function pack(specifier: string, folder: string, runNpm: RunNpm): Promise<void> {
  const args = ['pack', specifier, '--pack-destination', folder, '--ignore-scripts', '--json'];
  try {
    await runNpm(args);
  } catch (error) {
    if (!(error instanceof NpmFailure) || error.code === undefined || !CLOSED.includes(error.code)) throw error;
    // Service users have no home folder and thus no cache.
    await runNpm([...args, '--cache', join(folder, 'npm-cache')]);
  }
}

async function computeIntegrity(path: string): Promise<string> {
  const hash = createHash('sha512');
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) hash.update(chunk);
  return `sha512-${hash.digest('base64')}`;
}
