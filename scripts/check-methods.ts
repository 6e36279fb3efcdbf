// `npm run check`: class methods are never detached from their objects.
import { readFileSync } from 'node:fs';
import { findUnboundMethods } from './layers/find-unbound-methods.ts';
import { listSources } from './layers/read-imports.ts';

const sources = listSources('.', ['apps', 'packages', 'tools']).map((file) => ({
  file,
  source: readFileSync(file, 'utf8'),
}));
const faults = ['tsconfig.json', ...process.argv.slice(2)].flatMap((config) => findUnboundMethods(sources, config));
for (const fault of new Set(faults)) console.error(fault);
process.exit(faults.length === 0 ? 0 : 1);
