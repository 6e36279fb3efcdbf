// Runs a TypeScript script of the project after checking the runtime: node scripts/run.js FILE
// [ARGS].
import '../apps/server/bin/require-runtime.js';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const script = resolve(process.argv[2] ?? '');
process.argv.splice(1, 2, script);
await import(pathToFileURL(script).href);
