// Takes the funding addresses out of package-lock.json after an install: the lockfile names no host at all.
import { readFileSync, writeFileSync } from 'node:fs';

const PATH = 'package-lock.json';
const lockfile = JSON.parse(readFileSync(PATH, 'utf8')) as { packages: Record<string, { funding?: unknown }> };
for (const entry of Object.values(lockfile.packages)) delete entry.funding;
writeFileSync(PATH, `${JSON.stringify(lockfile, null, 2)}\n`);
