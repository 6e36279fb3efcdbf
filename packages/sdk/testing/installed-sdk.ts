// The built SDK in the node_modules of a folder outside the workspace, as in a host application.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { afterAll, beforeAll } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../../..');

export interface InstalledSdk {
  /** Folder of the package. */
  packageFolder: string;
  /** Writes a file into the host application's folder and returns its path. */
  write(name: string, content: string): string;
  /** Runs a program there. */
  run(program: string, args: string[]): Promise<ProgramResult>;
}

export interface ProgramResult {
  /** Exit code, or the signal that ended the program. */
  status: number | string | null;
  output: string;
}

let built: Promise<Map<string, Buffer>> | undefined;

/** Shared by all files of a process. In memory, so that a killed process leaves nothing behind. */
function buildOnce(): Promise<Map<string, Buffer>> {
  built ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), 'limen-built-sdk-'));
    try {
      const { status, output } = await runProgram(process.execPath, ['scripts/build-sdk.ts', folder], ROOT);
      if (status !== 0) throw new Error(output);
      const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      const paths = files.map(({ parentPath, name }) => join(parentPath, name));
      return new Map(paths.map((path) => [relative(folder, path), readFileSync(path)]));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  })();
  return built;
}

/** Installs the SDK in a folder for the tests of a file. Call the result inside a test. */
export function installSdkOnce(): () => InstalledSdk {
  let folder = '';
  const packageFolder = () => join(folder, 'node_modules/@limen/sdk');

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'limen-host-'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    mkdirSync(packageFolder(), { recursive: true });
    for (const [path, content] of await buildOnce()) {
      mkdirSync(dirname(join(packageFolder(), path)), { recursive: true });
      writeFileSync(join(packageFolder(), path), content);
    }
    // Dependencies that npm would also install.
    symlinkSync(join(ROOT, 'node_modules/@hpke'), join(folder, 'node_modules/@hpke'), 'junction');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  return () => ({
    packageFolder: packageFolder(),
    write(name, content) {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    },
    run: (program, args) => runProgram(program, args, folder),
  });
}

export function runProgram(
  program: string,
  args: string[],
  cwd: string,
  environment: NodeJS.ProcessEnv = {},
): Promise<ProgramResult> {
  return new Promise((done) => {
    execFile(program, args, { cwd, env: { ...process.env, ...environment } }, (error, stdout, stderr) => {
      done({ status: error ? (error.code ?? error.signal ?? 'failed') : 0, output: `${stdout}${stderr}` });
    });
  });
}
