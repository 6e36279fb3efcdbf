// The package that npm would publish, used from outside the workspace: by plain Node, and by a TypeScript project.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { installSdkOnce, type ProgramResult } from '../testing/installed-sdk.ts';
import { refuse, reply, startScriptedServer } from '../testing/scripted-server.ts';

const TSC = join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc');
const CONTRACT = resolve(import.meta.dirname, '../../contract/src/index.ts');
/** The one in force, and the system's own where that is an older one that the SDK still supports. */
const NODES = [process.execPath, '/usr/bin/node'].filter((path) => existsSync(path) && majorVersionOf(path) >= 20);

const sdk = installSdkOnce();

describe('the files', () => {
  it('import nothing from outside', () => {
    const { packageFolder } = sdk();
    const modules = readdirSync(packageFolder).filter((name) => /\.(js|d\.ts)$/.test(name));
    expect(modules).toContain('index.js');
    expect(modules).toContain('index.d.ts');
    for (const name of modules) {
      const source = readFileSync(join(packageFolder, name), 'utf8');
      const imported = [...source.matchAll(/(?:from|import\() ?['"]([^'"]*)['"]/g)].map((match) => match[1]);
      expect(imported.filter((specifier) => !specifier?.startsWith('./'))).toEqual([]);
      expect(source).not.toContain('import "');
    }
  });

  it('are described without dependencies', () => {
    const description = JSON.parse(readFileSync(join(sdk().packageFolder, 'package.json'), 'utf8'));
    expect(description).toMatchObject({ name: '@limen/sdk', version: expect.any(String), type: 'module' });
    expect(description).not.toHaveProperty('dependencies');
    expect(description).not.toHaveProperty('private');
  });
});

describe('plain Node', () => {
  it.each(NODES)('%s makes calls with it', async (node) => {
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

describe('a TypeScript project', () => {
  it('sees the types, without any other package', async () => {
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

  it('is told about mistakes', async () => {
    const program = `
      import { createLimenClient } from '@limen/sdk';
      const limen = createLimenClient({ baseUrl: 'https://limen.example' });
      export const id: number = (await limen.strings.create('v')).id;
    `;
    const { status, output } = await typeCheck('mistaken.ts', program);
    expect(status).not.toBe(0);
    expect(output).toMatch(/mistaken\.ts\(4,20\): error TS2322: Type 'string' is not assignable to type 'number'/);
  });

  it('sees exactly the contract’s types', async () => {
    const declarations = readFileSync(join(sdk().packageFolder, 'contract.d.ts'), 'utf8');
    const names = [...declarations.matchAll(/^export type (\w+)/gm)].map((match) => match[1]);
    expect(names).toContain('StringRecord');
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

/** With the strictest settings a project may have, the package's own declarations included. */
function typeCheck(name: string, program: string, ...more: string[]): Promise<ProgramResult> {
  const { write, run } = sdk();
  const flags = '--noEmit --strict --exactOptionalPropertyTypes --target es2022 --lib es2022,dom --module nodenext';
  return run(process.execPath, [TSC, ...flags.split(' '), ...more, write(name, program)]);
}

function majorVersionOf(node: string): number {
  return Number(execFileSync(node, ['--print', 'process.versions.node.split(".")[0]'], { encoding: 'utf8' }));
}
