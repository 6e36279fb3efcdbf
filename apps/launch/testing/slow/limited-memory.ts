// Gives a browser, with all of its processes, no more memory than a small device has for it. The kernel does so for a group of
// processes: whoever asks for more is ended. Needs Linux and the right to make such a group; never shipped.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';

export interface LimitedMemory {
  /** The most that all of them had at once, as the kernel counts it. */
  mostBytes(): number;
  /** They may have any much again. */
  lift(): void;
}

/** Both generations of the kernel's groups: where they are, and what their files are called. */
const KINDS = [
  { root: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes', most: 'memory.max_usage_in_bytes' },
  { root: '/sys/fs/cgroup', limit: 'memory.max', most: 'memory.peak' },
];
const MEMBERS = 'cgroup.procs';

/** Undefined where nobody lets us. */
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
      for (const one of ids) writeFileSync(join(to, MEMBERS), `${one}`);
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
    move(group, withChildren(id));
    return { mostBytes: () => Number(readFileSync(join(group, most), 'utf8')), lift };
  }
  return undefined;
}

/** Those that come later belong to the group of the one that starts them. */
function withChildren(id: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const [, parent] = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${name}/status`, 'utf8')) ?? [];
      parents.set(Number(name), Number(parent));
    } catch {
      // It has ended meanwhile.
    }
  }
  const found = [id];
  for (const one of found) for (const [child, parent] of parents) if (parent === one) found.push(child);
  return found;
}
