// PostgreSQL 17 with pgvector 0.8 in a separate root folder, because Debian 12 has neither and
// Debian 13 has both.
import { spawnSync } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Cluster, removeLeftServers, startCluster } from '@limen/testing/postgres-cluster.ts';

/** Half a gigabyte, created in a minute or two and reused by the next run. */
const ROOT = '/var/tmp/limen-debian-13';
const BINARIES = '/usr/lib/postgresql/17/bin';
const PACKAGES = ['postgresql-17', 'postgresql-17-pgvector'];

export function findPgvectorRoot(): string | undefined {
  return process.getuid?.() === 0 && existsSync(join(ROOT, BINARIES, 'postgres')) ? ROOT : undefined;
}

/** Installed with `mmdebstrap`. Does nothing without it. */
export function makePgvectorRoot(): void {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/mmdebstrap')) return;
  console.log(`Making a root with ${PACKAGES.join(' and ')} (Debian 13) …`);
  const unfinished = `${ROOT}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  const args = ['--variant=apt', `--include=${PACKAGES.join(',')}`, '--quiet', 'trixie', unfinished];
  const { status } = spawnSync('mmdebstrap', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status === 0) renameSync(unfinished, ROOT);
}

export function startPgvectorCluster(root: string, settings: Record<string, string> = {}): Promise<Cluster> {
  removeLeftServers(root);
  // That root has no separate place for shared memory.
  return startCluster(BINARIES, { root, settings: { dynamic_shared_memory_type: 'mmap', ...settings } });
}
