// Makes a browser's processes as slow as a slow device has them: for every moment that they run they are stopped for several. Unlike the
// throttle of the developer tools it holds for workers too, and for all that is compiled, decoded and drawn. Never shipped.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, CDPSession } from 'playwright-core';

export interface SlowProcessor {
  /** The most memory that one of the pages' processes had at once, as the system counts it. */
  mostBytes(): number;
  /** At full speed again. */
  stop(): Promise<void>;
}

/** Long enough that a timer keeps it, and so short that nothing notices which part it is in. */
const RUN_MS = 6;
/** New processes come with new pages. */
const LOOK_EVERY_MS = 500;

/** The browser's own process is left alone: tests talk to it. */
export async function slowDown(browser: Browser, times: number): Promise<SlowProcessor> {
  const devtools = await browser.newBrowserCDPSession();
  let found = await findProcesses(devtools);
  let most = 0;
  let isOver = false;
  const looking = (async () => {
    while (!isOver) {
      found = await findProcesses(devtools);
      for (const { id, type } of found) if (type === 'renderer') most = Math.max(most, readMostBytes(id));
      await sleep(LOOK_EVERY_MS);
    }
  })();
  const slowing = (async () => {
    while (!isOver) {
      const start = performance.now();
      await sleep(RUN_MS);
      const stopped = found.filter(({ id }) => signal(id, 'SIGSTOP'));
      // However late the timer was.
      await sleep((performance.now() - start) * (times - 1));
      for (const { id } of stopped) signal(id, 'SIGCONT');
    }
  })();
  return {
    mostBytes: () => most,
    async stop() {
      isOver = true;
      await Promise.all([slowing, looking]);
      await devtools.detach();
    },
  };
}

async function findProcesses(devtools: CDPSession): Promise<{ id: number; type: string }[]> {
  const { processInfo } = await devtools.send('SystemInfo.getProcessInfo');
  return processInfo.filter(({ type }) => type !== 'browser');
}

/** False where it is gone. */
function signal(id: number, name: 'SIGSTOP' | 'SIGCONT'): boolean {
  try {
    return process.kill(id, name);
  } catch {
    return false;
  }
}

/** By Linux, which alone is asked: elsewhere nothing is known of it. */
function readMostBytes(id: number): number {
  try {
    const [, kilobytes = '0'] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${id}/status`, 'utf8')) ?? [];
    return Number(kilobytes) * 1024;
  } catch {
    return 0;
  }
}
