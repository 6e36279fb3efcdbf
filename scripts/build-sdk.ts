// Builds what npm publishes of the SDK: plain modules with types, no dependency. Argument: the folder to write.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { renderContractTypes } from './render-contract-types.ts';

const CONTRACT = '@limen/contract';
const CONTRACT_IMPORT = new RegExp(`type \\{([^}]*)\\} from '${CONTRACT}'`, 'g');
const TSC = join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc');
/** No Node types: what is not in every runtime does not compile. */
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

const sdk = resolve(import.meta.dirname, '../packages/sdk');
const out = resolve(process.argv[2] ?? join(sdk, 'dist'));

// Only its own folder is emptied, never one it was given.
if (process.argv[2] === undefined) rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const staged = stageSources();
try {
  compile(staged);
} finally {
  rmSync(staged, { recursive: true, force: true });
}
writeFileSync(join(out, 'package.json'), `${JSON.stringify(describePackage(), undefined, 2)}\n`);
copyFileSync(join(sdk, 'README.md'), join(out, 'README.md'));

/**
 * A copy of the sources in which the contract is one more module, with the types they import from it, and modules
 * are named as they will be published.
 */
function stageSources(): string {
  const folder = mkdtempSync(join(tmpdir(), 'limen-sdk-'));
  const imported = new Set<string>();
  const sources = join(sdk, 'src');
  for (const file of readdirSync(sources).filter((name) => !name.endsWith('.test.ts'))) {
    const source = readFileSync(join(sources, file), 'utf8');
    for (const [, names = ''] of source.matchAll(CONTRACT_IMPORT)) {
      for (const name of names.split(',')) if (name.trim() !== '') imported.add(name.trim());
    }
    const portable = source.replaceAll(`'${CONTRACT}'`, `'./contract.ts'`).replace(/(from '\.\/.*)\.ts'/g, "$1.js'");
    writeFileSync(join(folder, file), portable);
  }
  writeFileSync(join(folder, 'contract.ts'), renderContractTypes(imported));
  return folder;
}

function compile(folder: string): void {
  const config = { compilerOptions: { ...COMPILER_OPTIONS, rootDir: folder, outDir: out }, files: ['index.ts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const { status, stdout } = spawnSync(process.execPath, [TSC, '-p', folder], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`The SDK does not compile:\n${stdout}`);
}

function describePackage(): Record<string, unknown> {
  const { name, version, description, license } = JSON.parse(readFileSync(join(sdk, 'package.json'), 'utf8'));
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    sideEffects: false,
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
    // The first with AbortSignal.any.
    engines: { node: '>=20.3' },
  };
}
