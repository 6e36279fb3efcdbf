// Brings single files out of a published npm package, after the whole package has proved to be the pinned one.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { readTar } from './read-tar.ts';
import { NpmFailure, type RunNpm } from './run-npm.ts';

/** Several times what the packages in use have. */
const LIMITS = { maxFileBytes: 256 * 1024 * 1024, maxArchiveBytes: 2 * 1024 * 1024 * 1024 };

export interface PackagePin {
  package: string;
  version: string;
  /** `sha512-` and base64, as lockfiles write it. */
  integrity: string;
}

export interface FetchOptions {
  /** An empty folder of our own: the tarball lands there. */
  folder: string;
  runNpm: RunNpm;
}

/** The files by their path inside the package. */
export async function fetchPackageFiles(
  pin: PackagePin,
  paths: readonly string[],
  { folder, runNpm }: FetchOptions,
): Promise<Map<string, Buffer>> {
  const specifier = `${pin.package}@${pin.version}`;
  await pack(specifier, folder, runNpm);
  // What npm prints as the name of a scoped package's file differs between its versions; the folder does not lie.
  const tarballs = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  if (tarballs.length !== 1) throw new Error(`npm brought ${tarballs.length} files for ${specifier} instead of one`);
  const tarball = join(folder, tarballs[0]!);

  const integrity = await computeIntegrity(tarball);
  if (integrity !== pin.integrity)
    throw new Error(`${specifier} is not the pinned package: it has ${integrity}, the manifest says ${pin.integrity}`);

  // npm packs everything below this folder.
  const wanted = new Set(paths.map((path) => `package/${path}`));
  const source = createReadStream(tarball);
  const unpacked = createGunzip();
  // Reading stops after the last wanted file, which ends this pipeline early: not an error here.
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

/** What npm says where it may not write to its cache. */
const CLOSED = ['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR'];

/** npm knows the registry, the proxy and the credentials of whoever runs this, and it has a cache. */
async function pack(specifier: string, folder: string, runNpm: RunNpm): Promise<void> {
  const args = ['pack', specifier, '--pack-destination', folder, '--ignore-scripts', '--json'];
  try {
    await runNpm(args);
  } catch (error) {
    if (!(error instanceof NpmFailure) || error.code === undefined || !CLOSED.includes(error.code)) throw error;
    // A user that exists only for a service has no home folder, and so no cache.
    await runNpm([...args, '--cache', join(folder, 'npm-cache')]);
  }
}

async function computeIntegrity(path: string): Promise<string> {
  const hash = createHash('sha512');
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) hash.update(chunk);
  return `sha512-${hash.digest('base64')}`;
}
