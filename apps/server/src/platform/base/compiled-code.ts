// Where this process keeps code that was compiled once, for threads with an environment of their own.
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';

/** With it a thread starts in half the time: its TypeScript would be compiled anew. */
export function nameCompiledCode(): Record<string, string> {
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}
