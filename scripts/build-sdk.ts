// Builds the published SDK: plain modules with types for hosts, devices and hosts' pages. Argument:
// the output folder.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve, sep } from 'node:path';
import { build } from 'vite';
import { renderContractTypes } from './render-contract-types.ts';

const CONTRACT = '@limen/contract';
const PLAN = '@limen/plan';
const CONTRACT_IMPORT = new RegExp(`type \\{([^}]*)\\} from '${CONTRACT}'`, 'g');
const TSC = join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc');
/** Without Node types, so that code for Node only does not compile. */
const COMPILER_OPTIONS = {
  target: 'es2022',
  lib: ['es2022', 'dom'],
  types: [],
  module: 'esnext',
  moduleResolution: 'bundler',
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  verbatimModuleSyntax: true,
  declaration: true,
};

/** Only the modules for devices import it. */
const DEVICE_DEPENDENCY = '@hpke/core';

const sdk = resolve(import.meta.dirname, '../packages/sdk');
const out = resolve(process.argv[2] ?? join(sdk, 'dist'));

// Empties only its own default folder, never a given one.
if (process.argv[2] === undefined) rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const staged = stageSources();
try {
  compile(staged);
} finally {
  rmSync(staged, { recursive: true, force: true });
}
await joinElement();
writeFileSync(join(out, 'package.json'), `${JSON.stringify(describePackage(), undefined, 2)}\n`);
copyFileSync(join(sdk, 'README.md'), join(out, 'README.md'));
copyFileSync(resolve(sdk, '../../LICENSE'), join(out, 'LICENSE'));

/**
 * A copy of the sources in which the contract is a module with the imported types, the plan is a
 * folder, and modules have their published names.
 */
function stageSources(): string {
  const folder = mkdtempSync(join(tmpdir(), 'limen-sdk-'));
  const imported = new Set<string>();
  copySources(join(sdk, 'src'), folder, (source, depth) => {
    for (const [, names = ''] of source.matchAll(CONTRACT_IMPORT)) {
      for (const name of names.split(',')) if (name.trim() !== '') imported.add(name.trim());
    }
    const root = depth === 0 ? './' : '../'.repeat(depth);
    return source.replaceAll(`'${CONTRACT}'`, `'${root}contract.ts'`).replaceAll(`'${PLAN}'`, `'${root}plan/index.ts'`);
  });
  copySources(resolve(sdk, '../plan/src'), join(folder, 'plan'), (source) => source);
  writeFileSync(join(folder, 'contract.ts'), renderContractTypes(imported));
  // Location of the dependency's types.
  symlinkSync(resolve(sdk, '../../node_modules'), join(folder, 'node_modules'), 'junction');
  return folder;
}

function copySources(from: string, to: string, change: (source: string, depth: number) => string): void {
  const files = readdirSync(from, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))) {
    const changed = change(readFileSync(join(from, file), 'utf8'), file.split(sep).length - 1);
    mkdirSync(dirname(join(to, file)), { recursive: true });
    writeFileSync(join(to, file), changed.replace(/(from '\.{1,2}\/.*)\.ts'/g, "$1.js'"));
  }
}

function compile(folder: string): void {
  const compilerOptions = { ...COMPILER_OPTIONS, rootDir: folder, outDir: out };
  const config = { compilerOptions, files: ['index.ts', 'device.ts', 'element.ts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const { status, stdout } = spawnSync(process.execPath, [TSC, '-p', folder], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`The SDK does not compile:\n${stdout}`);
}

/** A single file, for pages without a bundler. */
async function joinElement(): Promise<void> {
  await build({
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    build: {
      target: COMPILER_OPTIONS.target,
      lib: { entry: join(out, 'element.js'), formats: ['es'], fileName: 'element' },
      outDir: out,
      emptyOutDir: false,
      // In library mode, the build's own `minify` keeps white space.
      rolldownOptions: { output: { minify: true } },
    },
  });
  const parts = readdirSync(join(out, 'element'));
  const types = parts.filter((name) => name.endsWith('.d.ts'));
  const read = (file: string) => readFileSync(join(out, file), 'utf8');
  const declared = [read('element.d.ts'), ...types.map((name) => read(`element/${name}`))].join();
  // Sources in the file, and types without other references.
  const isLeft = (name: string) => types.includes(name) && declared.includes(`/${name.replace('.d.ts', '.js')}'`);
  for (const part of parts) if (!isLeft(part)) rmSync(join(out, 'element', part));
}

function describePackage(): Record<string, unknown> {
  const source = JSON.parse(readFileSync(join(sdk, 'package.json'), 'utf8'));
  const { name, version, description, keywords, license, dependencies } = source;
  return {
    name,
    version,
    description,
    keywords,
    license,
    ...describeOrigin(),
    type: 'module',
    // Importing it defines the element.
    sideEffects: ['./element.js'],
    files: ['**/*.js', '**/*.d.ts'],
    exports: {
      '.': { types: './index.d.ts', default: './index.js' },
      './device': { types: './device.d.ts', default: './device.js' },
      './element': { types: './element.d.ts', default: './element.js' },
      './package.json': './package.json',
    },
    dependencies: { [DEVICE_DEPENDENCY]: dependencies[DEVICE_DEPENDENCY] },
    // The first version with AbortSignal.any.
    engines: { node: '>=20.3' },
  };
}

/**
 * npm can prove provenance only in the two CI services that it trusts, and only if the package
 * names the build's repository. So the build sets the repository there. Elsewhere the package is
 * published without proof.
 */
function describeOrigin(): Record<string, unknown> {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, CI_PROJECT_URL } = process.env;
  const project = GITHUB_REPOSITORY ? `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}` : CI_PROJECT_URL;
  if (!project) return { publishConfig: { access: 'public' } };
  return {
    repository: { type: 'git', url: `git+${project}.git`, directory: 'packages/sdk' },
    publishConfig: { access: 'public', provenance: true },
  };
}
