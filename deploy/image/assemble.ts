// Assembles the content of an image: the service and the key-holder, their dependencies, the built
// pages and the face models.
//
// node scripts/run.js deploy/image/assemble.ts FOLDER
//
// Requires `npm ci` and `npm run build`. Nothing in the folder is written to at run time.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { keepCompressedCopy } from '../../apps/server/src/faces/models/compressed-copy.ts';
import { acceptBuild, BUILD_RECORD, findBuild } from '../../apps/server/src/operations/start/built-program.ts';
import { loadManifest, prepareModels } from '../../packages/face-models/src/index.ts';

const ROOT = join(import.meta.dirname, '../..');
const SERVER = 'apps/server';
const PAGES = ['apps/launch', 'apps/console'];
/** Files that programs read, without those only for people. */
const NOT_RUN =
  /(\.d\.[cm]?ts|\.map|\.md|\.markdown|\.flow|\.tsbuildinfo)$|^(test|tests|testing|fixtures|__tests__|docs|example|examples)$/;

/** Optional packages that the service does not need. Tracing packages stay. */
const OPTIONAL = /^(@?cbor-extract|detect-libc|node-gyp-build-optional-packages|pg-cloudflare)$/;

const target = process.argv[2];
if (target === undefined || existsSync(target)) {
  console.error('Usage: node scripts/run.js deploy/image/assemble.ts FOLDER, which must not be there yet');
  process.exit(2);
}
const service = findBuild();
for (const folder of [...PAGES, SERVER]) {
  if (folder === SERVER ? service : existsSync(join(ROOT, folder, 'dist'))) continue;
  console.error(`${folder} is not built: run "npm run build" first`);
  process.exit(1);
}
copySources(target);
installDependencies(target);
acceptBuild(target);
listContents(target);
await bringModels(join(target, 'models'));
copyNode(join(target, 'bin'));

function copySources(to: string): void {
  const packages = readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}`);
  for (const folder of [SERVER, ...packages]) copy(folder, to, isRun);
  for (const page of PAGES) copy(join(page, 'dist'), to);
  for (const built of [service!, join(dirname(service!), BUILD_RECORD)]) copy(relative(ROOT, built), to);
  for (const file of ['LICENSE', 'THIRD-PARTY-NOTICES.md', 'package-lock.json']) copy(file, to);
  // The pages are already built, so neither they nor their build tools are installed.
  const {
    workspaces: _,
    devDependencies: __,
    optionalDependencies: ___,
    scripts: ____,
    ...rest
  } = readJson('package.json');
  const manifest = { ...rest, workspaces: [SERVER, 'packages/*'] };
  writeFileSync(join(to, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

function copy(path: string, to: string, filter: (path: string) => boolean = () => true): void {
  mkdirSync(dirname(join(to, path)), { recursive: true });
  cpSync(join(ROOT, path), join(to, path), { recursive: true, filter });
}

function isRun(path: string): boolean {
  const name = basename(path);
  const inside = relative(ROOT, path).split('/');
  return (
    !/\.test\.tsx?$/.test(name) && !inside.some((part) => ['testing', 'tests', 'node_modules', 'dist'].includes(part))
  );
}

/** As pinned by the lockfile. */
function installDependencies(folder: string): void {
  const options = ['--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'];
  execFileSync('npm', ['install', ...options], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  prune(join(folder, 'node_modules'));
}

/**
 * A bill of materials with versions and licenses, for vulnerability scanners. npm omits packages
 * that any workspace uses only for development, even if another runs them. So npm lists everything
 * locked, and this removes what is not installed, and everything that differs between runs.
 */
function listContents(folder: string): void {
  const options = { cwd: folder, maxBuffer: 2 ** 26, encoding: 'utf8' as const };
  const text = execFileSync('npm', ['sbom', '--package-lock-only', '--sbom-format=cyclonedx'], options);
  const { serialNumber: _, metadata, components, dependencies, ...rest } = JSON.parse(text);
  const { packages } = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8'));
  const installed = Object.entries<{ name?: string; version?: string }>(packages)
    .filter(([path]) => existsSync(join(folder, path)))
    .map(([path, { name = path.split('node_modules/').at(-1), version }]) => `${name}@${version}`);
  const known = new Set([metadata.component['bom-ref'], ...installed]);
  const there = components.filter((one: { 'bom-ref': string }) => known.has(one['bom-ref']));
  const links = dependencies
    .filter(({ ref }: { ref: string }) => known.has(ref))
    .map(({ ref, dependsOn }: { ref: string; dependsOn: string[] }) => ({
      ref,
      dependsOn: dependsOn.filter((one) => known.has(one)),
    }));
  const list = { ...rest, metadata: { component: metadata.component }, components: there, dependencies: links };
  writeFileSync(join(folder, 'sbom.cdx.json'), `${JSON.stringify(list, null, 2)}\n`);
}

function prune(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (NOT_RUN.test(entry.name) || OPTIONAL.test(entry.name)) rmSync(path, { recursive: true });
    else if (entry.isDirectory()) prune(path);
  }
}

/** With compressed copies, because the service could not write them here. */
async function bringModels(folder: string): Promise<void> {
  const prepared = await prepareModels({ manifest: await loadManifest(), folder });
  for (const { model } of prepared) await keepCompressedCopy(folder, model);
}

/** The running Node binary, without debugger symbols. */
function copyNode(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const node = join(folder, 'node');
  cpSync(process.execPath, node);
  chmodSync(node, 0o755);
  try {
    execFileSync('strip', ['--strip-unneeded', node]);
  } catch {
    console.warn('strip is not there (Debian: binutils): the image gets 18 MB larger');
  }
}

function readJson(file: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as Record<string, unknown>;
}
