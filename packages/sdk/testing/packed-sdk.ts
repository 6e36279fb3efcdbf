// The SDK as npm delivers it: packed for publishing, and installed from that file in an empty
// project.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type ProgramResult, runProgram } from './installed-sdk.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
/** Direct and indirect dependencies, packed from node_modules, so that nothing is fetched. */
const DEPENDENCIES = ['@hpke/core', '@hpke/common'];

export interface PackedSdk {
  /** Creates an empty project with the package. `type` is that of its package.json. */
  createProject(name: string, type: 'module' | 'commonjs'): Promise<Project>;
  remove(): void;
}

export interface Project {
  folder: string;
  /** Version of the installed package. */
  packageFolder: string;
  write(name: string, content: string): string;
  run(program: string, args: string[]): Promise<ProgramResult>;
}

export async function packSdk(environment: NodeJS.ProcessEnv = {}): Promise<PackedSdk> {
  const folder = mkdtempSync(join(tmpdir(), 'limen-packed-sdk-'));
  const [built, packed] = ['built', 'packed'].map((name) => join(folder, name)) as [string, string];
  mkdirSync(packed);
  await must(runProgram(process.execPath, ['scripts/build-sdk.ts', built], ROOT, environment));
  const sources = [built, ...DEPENDENCIES.map((name) => join(ROOT, 'node_modules', name))];
  await must(runNpm(['pack', '--pack-destination', packed, ...sources], folder));
  const archives = readdirSync(packed).map((name) => join(packed, name));

  return {
    async createProject(name, type) {
      const project = join(folder, name);
      mkdirSync(project);
      writeFileSync(join(project, 'package.json'), JSON.stringify({ name, private: true, type }));
      await must(runNpm(['install', '--offline', '--no-audit', '--no-fund', ...archives], project));
      return {
        folder: project,
        packageFolder: join(project, 'node_modules/@limen/sdk'),
        write(file, content) {
          writeFileSync(join(project, file), content);
          return join(project, file);
        },
        run: (program, args) => runProgram(program, args, project),
      };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Without npm's variables, which would make it use the workspace as the project. */
function runNpm(args: string[], cwd: string): Promise<ProgramResult> {
  const foreign = Object.keys(process.env).filter((name) => name.startsWith('npm_'));
  return runProgram('npm', args, cwd, Object.fromEntries(foreign.map((name) => [name, undefined])));
}

async function must(running: Promise<ProgramResult>): Promise<void> {
  const { status, output } = await running;
  if (status !== 0) throw new Error(output);
}
