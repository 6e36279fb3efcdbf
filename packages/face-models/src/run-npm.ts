// Runs npm as the user, and reports failures without addresses and credentials.
import { execFile } from 'node:child_process';

/** Long enough for the largest package on a slow network. */
const TIMEOUT_MS = 30 * 60_000;
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/** `signal` kills npm. */
export type RunNpm = (args: readonly string[], signal?: AbortSignal) => Promise<void>;

export class NpmFailure extends Error {
  override readonly name = 'NpmFailure';
  /** npm's error code, such as E404 or EACCES. */
  readonly code: string | undefined;

  constructor(sentence: string, code: string | undefined) {
    super(sentence);
    this.code = code;
  }
}

export const runNpm: RunNpm = (args, signal) =>
  new Promise((resolve, reject) => {
    const onWindows = globalThis.process.platform === 'win32';
    // On Windows npm is a batch file that needs a shell, which needs the quotes.
    const [program, given] = onWindows ? ['npm.cmd', args.map((argument) => `"${argument}"`)] : ['npm', [...args]];
    const options = { shell: onWindows, timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES, windowsHide: true, signal };
    execFile(program, given, options, (error, stdout) => {
      if (error) reject(new NpmFailure(explainFailure(error, stdout), readErrorCode(stdout)));
      else resolve();
    });
  });

function explainFailure(error: { code?: unknown; killed?: boolean }, stdout: string): string {
  if (error.code === 'ENOENT') return 'npm was not found on the PATH; install it or add its folder';
  if (error.killed) return `npm did not finish within ${TIMEOUT_MS / 60_000} minutes`;
  return `npm failed with ${readErrorCode(stdout) ?? `exit code ${String(error.code)}`}`;
}

/** Reads npm's error code, because its summary may contain the registry's address. */
export function readErrorCode(stdout: string): string | undefined {
  const match = /"code":\s*"([A-Z][A-Z0-9_]{1,40})"/.exec(stdout);
  return match?.[1];
}
