// The file that npm would publish, installed by npm in empty projects: modules, require, bundlers
// and strict TypeScript.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build as buildWithEsbuild } from 'esbuild-for-tests';
import { build as buildWithVite } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PackedSdk, type Project, packSdk } from '../testing/packed-sdk.ts';
import { reply, startScriptedServer } from '../testing/scripted-server.ts';

const TSC = join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc');
const STRICT = [
  '--noEmit',
  '--strict',
  '--exactOptionalPropertyTypes',
  '--noUncheckedIndexedAccess',
  '--target',
  'es2022',
];
const RECORD = { id: 'x', value: 'v', createdAt: '2026-01-01T00:00:00.000Z' };
/** Calls the service and creates the device's key, which needs the dependency. */
const WORK = `
  const [baseUrl] = process.argv.slice(2);
  const limen = createLimenClient({ baseUrl });
  limen.strings.create('v').then(({ id }) => console.log(id, typeof createDeviceClient));
`;
const MODULE = `
  import { createLimenClient } from '@limen/sdk';
  import { createDeviceClient } from '@limen/sdk/device';
  ${WORK}
`;
const TYPED = `
  import { createLimenClient, type StringRecord } from '@limen/sdk';
  import { createDeviceClient, type DeviceView } from '@limen/sdk/device';
  import { LimenCheckElement } from '@limen/sdk/element';
  new LimenCheckElement().addEventListener('step', ({ detail }) => console.log(detail.step));
  const limen = createLimenClient({ baseUrl: 'https://limen.example' });
  export const made: Promise<StringRecord> = limen.strings.create('v');
  export const seen: Promise<DeviceView> = createDeviceClient({ baseUrl: '/', sessionId: 'x' }).then((device) => device.submit({}));
`;

let packed: PackedSdk;
let modern: Project;
let common: Project;

beforeAll(async () => {
  packed = await packSdk({ GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'somebody/limen' });
  modern = await packed.createProject('modern', 'module');
  common = await packed.createProject('common', 'commonjs');
});
afterAll(() => packed?.remove());

describe('the file', () => {
  it('contains modules, declarations, license, README and package.json, and nothing else', () => {
    const entries = readdirSync(modern.packageFolder, { recursive: true, withFileTypes: true });
    const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    expect(names.filter((name) => !/\.js$|\.d\.ts$/.test(name)).sort()).toEqual([
      'LICENSE',
      'README.md',
      'package.json',
    ]);
    expect(names.filter((name) => name.includes('.test.'))).toEqual([]);
  });

  it('names the repository if built where npm can prove provenance', () => {
    expect(JSON.parse(readFileSync(join(modern.packageFolder, 'package.json'), 'utf8'))).toMatchObject({
      repository: { type: 'git', url: 'git+https://github.com/somebody/limen.git', directory: 'packages/sdk' },
      publishConfig: { access: 'public', provenance: true },
    });
  });
});

describe('a project', () => {
  it('of modules imports it', async () => {
    await expectWork(modern, modern.write('module.mjs', MODULE));
  });

  it('of CommonJS requires it', async () => {
    const program = `
      const { createLimenClient } = require('@limen/sdk');
      const { createDeviceClient } = require('@limen/sdk/device');
      ${WORK}
    `;
    await expectWork(common, common.write('common.cjs', program));
  });

  it('may import the element on a server without custom elements', async () => {
    const program = "import { LimenCheckElement } from '@limen/sdk/element'; console.log(typeof LimenCheckElement);";
    const { run, write } = modern;
    expect(await run(process.execPath, [write('element.mjs', program)])).toEqual({ status: 0, output: 'function\n' });
  });

  it.each(['esm', 'cjs'] as const)('bundles it with esbuild as %s', async (format) => {
    const outfile = join(modern.folder, `esbuild.${format === 'esm' ? 'mjs' : 'cjs'}`);
    const { warnings } = await buildWithEsbuild({
      entryPoints: [modern.write('for-esbuild.js', MODULE)],
      ...{ bundle: true, minify: true, format, outfile, platform: 'neutral', logLevel: 'silent' },
    });
    expect(warnings).toEqual([]);
    await expectWork(common, outfile);
  });

  it('bundles it with Vite', async () => {
    const entry = modern.write('for-vite.js', MODULE);
    const outDir = join(modern.folder, 'vite');
    await buildWithVite({
      root: modern.folder,
      configFile: false,
      logLevel: 'error',
      build: { outDir, lib: { entry, formats: ['es'], fileName: 'bundle' } },
    });
    await expectWork(common, join(outDir, 'bundle.js'));
  });

  it('bundles only what it imports', async () => {
    const measure = async (program: string) => {
      const contents = modern.write('for-size.js', program);
      const { outputFiles } = await buildWithEsbuild({
        entryPoints: [contents],
        ...{ bundle: true, minify: true, format: 'esm', platform: 'neutral', write: false, logLevel: 'silent' },
      });
      return outputFiles[0]!.contents.length;
    };
    // Imports only a small part.
    expect(await measure("import '@limen/sdk/element';")).toBeGreaterThan(2_000);
    const one = await measure("import { LimenError } from '@limen/sdk'; console.log(LimenError);");
    expect(one).toBeLessThan((await measure(MODULE)) / 10);
  });

  it.each([
    ['nodenext', () => modern, 'typed.ts'],
    ['nodenext', () => common, 'typed.cts'],
    ['esnext', () => modern, 'bundled.ts'],
  ] as const)('sees its types with --module %s, %#', async (module, project, name) => {
    const resolution = module === 'esnext' ? ['--moduleResolution', 'bundler'] : [];
    const { write, run } = project();
    // Also checks the package's own declarations, which a project may not skip.
    const args = [TSC, ...STRICT, '--lib', 'es2022,dom', '--module', module, ...resolution, write(name, TYPED)];
    expect(await run(process.execPath, args)).toEqual({ status: 0, output: '' });
  });
});

async function expectWork({ run }: Project, program: string): Promise<void> {
  const server = await startScriptedServer(reply(201, RECORD));
  expect(await run(process.execPath, [program, server.url])).toEqual({ status: 0, output: 'x function\n' });
  expect(server.received.map(({ method, url }) => `${method} ${url}`)).toEqual(['POST /strings']);
}
