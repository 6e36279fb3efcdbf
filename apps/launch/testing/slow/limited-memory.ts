// Limits the memory of a browser and its processes with a cgroup, like a small device. The kernel
// kills a process beyond the limit. Needs Linux and permission; never shipped.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';

export interface LimitedMemory {
  /** Peak memory of all processes, as measured by the kernel. */
  peakBytes(): number;
  /** Removes the limit. */
  lift(): void;
}

/** Both cgroup versions, with their paths and file names. */
const KINDS = [
  { root: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes', most: 'memory.max_usage_in_bytes' },
  { root: '/sys/fs/cgroup', limit: 'memory.max', most: 'memory.peak' },
];
const MEMBERS = 'cgroup.procs';

/** Returns undefined without permission. */
export async function limitMemory(browser: Browser, bytes: number): Promise<LimitedMemory | undefined> {
  const devtools = await browser.newBrowserCDPSession();
  const { processInfo } = await devtools.send('SystemInfo.getProcessInfo');
  await devtools.detach();
  const { id } = processInfo.find(({ type }) => type === 'browser')!;
  for (const { root, limit, most } of KINDS) {
    const group = join(root, `limen-browser-${id}`);
    if (!existsSync(join(root, MEMBERS))) continue;
    try {
      mkdirSync(group);
    } catch {
      continue;
    }
    const move = (to: string, ids: number[]) => {
      for (const id of ids) writeFileSync(join(to, MEMBERS), `${id}`);
    };
    const lift = () => {
      move(root, readFileSync(join(group, MEMBERS), 'utf8').split('\n').filter(Boolean).map(Number));
      rmdirSync(group);
    };
    if (!existsSync(join(group, limit))) {
      rmdirSync(group);
      continue;
    }
    writeFileSync(join(group, limit), `${bytes}`);
    move(group, listDescendants(id));
    return { peakBytes: () => Number(readFileSync(join(group, most), 'utf8')), lift };
  }
  return undefined;
}

/** Later children inherit the group of their parent. */
function listDescendants(id: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const [, parent] = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${name}/status`, 'utf8')) ?? [];
      parents.set(Number(name), Number(parent));
    } catch {
      // The process has ended.
    }
  }
  const found = [id];
  for (const one of found) for (const [child, parent] of parents) if (parent === one) found.push(child);
  return found;
}
