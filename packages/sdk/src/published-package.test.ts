// The package that npm would publish, used from outside the workspace by plain Node and by a
// TypeScript project.
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, posix, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { SESSION_ID, startDeviceServer } from '../testing/device-server.ts';
import { installSdkOnce, type ProgramResult } from '../testing/installed-sdk.ts';
import { refuse, reply, startScriptedServer } from '../testing/scripted-server.ts';

const TSC = join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc');
const ROOT = resolve(import.meta.dirname, '../../..');
const CONTRACT = join(ROOT, 'packages/contract/src/index.ts');
const STRICT =
  '--noEmit --singleThreaded --strict --exactOptionalPropertyTypes --target es2022 --lib es2022,dom --module nodenext'.split(
    ' ',
  );
/** Declarations that the examples assume and this repository does not have. */
const STUBS = `
  declare function enqueue(webhook: import('@limen/sdk').VerifiedWebhook): Promise<void>;
  declare module 'express' {
    interface Request { body: any; headers: import('node:http').IncomingHttpHeaders }
    interface Response { sendStatus(status: number): Response }
    type Handler = (request: Request, response: Response) => unknown;
    function express(): { post(path: string, ...handlers: Handler[]): void };
    namespace express { function raw(options: { type: string }): Handler }
    export default express;
  }
`;
/** The current Node, and the system's own if it is an older supported one. */
const NODES = [process.execPath, '/usr/bin/node'].filter((path) => existsSync(path) && majorVersionOf(path) >= 20);

const sdk = installSdkOnce();

describe('the files', () => {
  it('of the host’s entry import nothing from outside, and those of the device’s entry only the HPKE library', () => {
    const outside = (entry: string) => [...findImports(entry)].filter((specifier) => !specifier.startsWith('./'));
    for (const end of ['js', 'd.ts']) {
      expect(outside(`index.${end}`)).toEqual([]);
      expect([...findImports(`index.${end}`)]).toContain('./host/strings.js');
      expect([...findImports(`device.${end}`)]).toContain('./device/client.js');
    }
    expect(outside('device.js')).toEqual(['@hpke/core']);
    expect(outside('device.d.ts')).toEqual([]);
  });

  it('of the element’s entry are a single file under 4 KB with gzip', () => {
    expect([...findImports('element.js')]).toEqual([]);
    const element = readFileSync(join(sdk().packageFolder, 'element.js'));
    expect(element.includes('limen-check')).toBe(true);
    expect(gzipSync(element).length).toBeLessThan(4_000);
  });

  it('have package metadata with entries, license and the one dependency', () => {
    const description = JSON.parse(readFileSync(join(sdk().packageFolder, 'package.json'), 'utf8'));
    expect(description).toMatchObject({
      name: '@limen/sdk',
      version: expect.any(String),
      license: 'Apache-2.0',
      type: 'module',
      sideEffects: ['./element.js'],
      publishConfig: { access: 'public' },
    });
    expect(readFileSync(join(sdk().packageFolder, 'LICENSE'), 'utf8')).toContain('Apache License');
    expect(Object.keys(description.exports)).toEqual(['.', './device', './element', './package.json']);
    expect(Object.keys(description.dependencies)).toEqual(['@hpke/core']);
    expect(description).not.toHaveProperty('private');
  });
});

describe('plain Node', () => {
  it('can require it', async () => {
    const { write, run } = sdk();
    const program = write(
      'call.cjs',
      `const { createLimenClient } = require('@limen/sdk');
       const { createDeviceClient } = require('@limen/sdk/device');
       console.log(typeof createLimenClient, typeof createDeviceClient, require('@limen/sdk/package.json').name);`,
    );
    expect(await run(process.execPath, [program])).toEqual({ status: 0, output: 'function function @limen/sdk\n' });
  });

  it.each(NODES)('makes calls with it on %s', async (node) => {
    const record = { id: 'x', value: 'v', createdAt: '2026-01-01T00:00:00.000Z' };
    const busy = refuse(503, 'unavailable');
    const server = await startScriptedServer(busy, reply(201, record), refuse(404, 'not_found'));
    const { write, run } = sdk();
    const program = write(
      'call.mjs',
      `import { createLimenClient, LimenError } from '@limen/sdk';
       const limen = createLimenClient({ baseUrl: ${JSON.stringify(server.url)}, retries: { baseDelayMs: 0 } });
       const { id } = await limen.strings.create('v');
       const error = await limen.strings.get(id).catch((error) => error);
       console.log(JSON.stringify([id, error instanceof LimenError, error.code, error.requestId]));`,
    );
    expect(await run(node, [program])).toEqual({ status: 0, output: '["x",true,"not_found","r-1"]\n' });
    expect(server.received.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /strings',
      'POST /strings',
      'GET /strings/x',
    ]);
  });
});

describe('the element’s entry', () => {
  it.each(NODES)('can be imported without custom elements, as %s does to render a page', async (node) => {
    const { write, run } = sdk();
    const program = write(
      'render.mjs',
      "import { LimenCheckElement } from '@limen/sdk/element'; console.log(typeof LimenCheckElement);",
    );
    expect(await run(node, [program])).toEqual({ status: 0, output: 'function\n' });
  });
});

describe('the device’s entry', () => {
  it.each(NODES)('claims, records and submits on %s', async (node) => {
    const server = await startDeviceServer();
    const { write, run } = sdk();
    const program = write(
      'device.mjs',
      `import { createDeviceClient } from '@limen/sdk/device';
       const [baseUrl, sessionId] = process.argv.slice(2);
       const device = await createDeviceClient({ baseUrl, sessionId });
       const { nonce } = await device.claim();
       await device.record('started', 0);
       const { end } = await device.submit({ face: { spoof: true } });
       const views = [];
       for await (const { state } of device.follow()) views.push(state);
       console.log(JSON.stringify([nonce, end.flowStatus, views]));`,
    );
    const { status, output } = await run(node, [program, server.url, SESSION_ID]);
    expect({ status, output }).toMatchObject({ status: 0 });
    expect(server.answers).toMatchObject([{ face: { spoof: true }, log: [['started', 0, expect.any(Number)]] }]);
    expect(JSON.parse(output)).toEqual([server.answers[0]?.nonce, 'COMPLETED', ['completed']]);
  });
});

describe('a TypeScript project', () => {
  it('sees the types without any other package', async () => {
    const program = `
      import { createLimenClient, createNodeCipher, type LimenErrorCode, type StringRecord } from '@limen/sdk';
      const limen = createLimenClient({ baseUrl: 'https://limen.example', fetch, retries: { attempts: 2 } });
      const { id, createdAt }: StringRecord = await limen.strings.create('v', { idempotencyKey: 'k' });
      for await (const { value } of limen.strings.iterate({ pageSize: 10 })) console.log(id, createdAt, value.length);
      export const code: LimenErrorCode = 'not_found';
      const face = new Float32Array(128);
      const enrolled = await limen.node.enroll([face, { embedding_vector: [...face] }], { version: 'FACE3_1' });
      if (enrolled.outcome !== 'unusable') await limen.node.deleteUser(enrolled.puid);
      const found = await limen.node.predict(face);
      export const score: number = found.recognized ? found.score : Number(found.reason === 'not_enrolled');
      export const sealed: string = await createNodeCipher('key').encrypt('puid', 'somebody');
    `;
    expect(await typeCheck('consumer.ts', program)).toEqual({ status: 0, output: '' });
  });

  it('sees the types of sessions and of the device’s entry', async () => {
    const program = `
      import { createLimenClient, type AgeSessionResult, type CreateAgeSessionRequest } from '@limen/sdk';
      import { createDeviceClient, createIndexedDbKeys, type DeviceKeys, type DeviceView } from '@limen/sdk/device';
      const limen = createLimenClient({ baseUrl: 'https://limen.example', bearerToken: async () => 'a.b.c' });
      const request: CreateAgeSessionRequest = { requirements: ['face'], callback: { url: 'https://host.example' } };
      const { token } = await limen.ageSessions.create(request, { idempotencyKey: 'k' });
      const { metadata, riskEvaluation }: AgeSessionResult = await limen.ageSessions.result(token);
      export const seen = [metadata['order'], riskEvaluation?.signals.behavioral?.flags[0]];
      const keys: DeviceKeys = createIndexedDbKeys();
      const device = await createDeviceClient({ baseUrl: '/', sessionId: 'x', keys, fetch });
      const { steps } = await device.claim();
      for (const step of steps) if (step.step === 'face') console.log(step.challenges.length, step.challengeMs);
      await device.record('started', 0);
      export const view: DeviceView = await device.submit({ face: { spoof: false, estimate: 30, lowerBound: 25 } });
    `;
    expect(await typeCheck('sessions.ts', program)).toEqual({ status: 0, output: '' });
  });

  it('sees the element’s events, none of which has an outcome', async () => {
    const program = `
      import { type LimenCheckElement, type LimenCheckStep } from '@limen/sdk/element';
      const check: LimenCheckElement = document.createElement('limen-check');
      check.mode = 'modal';
      check.redirect = true;
      check.addEventListener('step', ({ detail }) => { const step: LimenCheckStep = detail.step; console.log(step); });
      check.addEventListener('ended', ({ detail }) => { const nothing: null = detail; console.log(nothing); });
      check.addEventListener('error', (event) => { if (event.detail.code === 'no_handshake') event.preventDefault(); });
      check.addEventListener('focus', (event: Event) => console.log(event.type));
      check.preload();
      check.open();
    `;
    expect(await typeCheck('element.ts', program)).toEqual({ status: 0, output: '' });
  });

  it('compiles the examples of the documents', async () => {
    const { write, run } = sdk();
    for (const name of ['fastify', '@types']) {
      symlinkSync(join(ROOT, 'node_modules', name), join(sdk().packageFolder, '../..', name), 'junction');
    }
    const found = [
      ...[...globSync('{README.md,docs/*.md}', { cwd: ROOT })].flatMap((path) => findBlocks(path, 'ts')),
      ...['packages/sdk/README.md', 'docs/sdk.md', 'docs/signed-results.md'].flatMap((path) => findBlocks(path, 'js')),
    ];
    expect(found.length).toBeGreaterThanOrEqual(15);
    const files = found.map(({ name, program }) => write(name, `${program}\nexport {};\n`));
    const result = await run(process.execPath, [
      TSC,
      ...STRICT,
      '--skipLibCheck',
      write('surroundings.d.ts', STUBS),
      ...files,
    ]);
    expect(result).toEqual({ status: 0, output: '' });
  });

  it('reports mistakes', async () => {
    const program = `
      import { createLimenClient } from '@limen/sdk';
      const limen = createLimenClient({ baseUrl: 'https://limen.example' });
      export const id: number = (await limen.strings.create('v')).id;
    `;
    const { status, output } = await typeCheck('mistaken.ts', program, '--skipLibCheck');
    expect(status).not.toBe(0);
    expect(output).toMatch(/mistaken\.ts\(4,20\): error TS2322: Type 'string' is not assignable to type 'number'/);
  });

  it('sees exactly the contract’s types', async () => {
    const declarations = readFileSync(join(sdk().packageFolder, 'contract.d.ts'), 'utf8');
    const names = [...declarations.matchAll(/^export (?:type|interface) (\w+)/gm)].map((match) => match[1]);
    expect(names).toEqual(expect.arrayContaining(['StringRecord', 'DeviceView', 'CreateAgeSessionRequest']));
    const program = `
      import type * as Contract from ${JSON.stringify(CONTRACT)};
      import type * as Published from './node_modules/@limen/sdk/contract.js';
      type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
      export const same: [${names.map((name) => `Same<Contract.${name}, Published.${name}>`).join(', ')}] =
        [${names.map(() => 'true').join(', ')}];
    `;
    expect(await typeCheck('same.ts', program, '--allowImportingTsExtensions', '--skipLibCheck')).toEqual({
      status: 0,
      output: '',
    });
  });
});

/** Returns all modules that a module imports, directly or indirectly. */
function findImports(entry: string, found = new Set<string>()): Set<string> {
  const { packageFolder } = sdk();
  const source = readFileSync(join(packageFolder, entry), 'utf8');
  expect(source).not.toContain('import "');
  for (const [, named = ''] of source.matchAll(/(?:from|import\() ?['"]([^'"]*)['"]/g)) {
    const specifier = named.startsWith('.') ? `./${posix.join(dirname(entry), named)}` : named;
    if (found.has(specifier)) continue;
    found.add(specifier);
    if (specifier.startsWith('./')) {
      findImports(entry.endsWith('.d.ts') ? specifier.replace(/\.js$/, '.d.ts') : specifier, found);
    }
  }
  return found;
}

function findBlocks(path: string, language: 'ts' | 'js'): { name: string; program: string }[] {
  const blocks = readFileSync(join(ROOT, path), 'utf8').matchAll(
    new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'),
  );
  return [...blocks].map(([, program = ''], index) => ({
    name: `${path.replaceAll(/\W/g, '-')}-${language}-${index + 1}.ts`,
    program,
  }));
}

/** Uses the strictest settings, including checks of the package's own declarations. */
function typeCheck(name: string, program: string, ...more: string[]): Promise<ProgramResult> {
  const { write, run } = sdk();
  return run(process.execPath, [TSC, ...STRICT, ...more, write(name, program)]);
}

function majorVersionOf(node: string): number {
  return Number(execFileSync(node, ['--print', 'process.versions.node.split(".")[0]'], { encoding: 'utf8' }));
}
