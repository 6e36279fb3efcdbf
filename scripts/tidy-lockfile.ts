// Removes funding URLs from package-lock.json after an install, so that the lockfile names no host.
import { readFileSync, writeFileSync } from 'node:fs';

const PATH = 'package-lock.json';
const lockfile = JSON.parse(readFileSync(PATH, 'utf8')) as { packages: Record<string, { funding?: unknown }> };
for (const entry of Object.values(lockfile.packages)) delete entry.funding;
writeFileSync(PATH, `${JSON.stringify(lockfile, null, 2)}\n`);
