// Slows a browser down by repeatedly stopping its processes. Unlike the throttle of the developer
// tools, this covers workers, compilation, decoding and drawing. Never shipped.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, CDPSession } from 'playwright-core';

export interface SlowProcessor {
  /** Peak memory of a page's process, as measured by the system. */
  peakBytes(): number;
  /** Restores full speed. */
  stop(): Promise<void>;
}

/** Long enough for a timer, and too short to be noticed. */
const RUN_MS = 6;
/** Interval for finding processes of new pages. */
const POLL_MS = 500;

/** Slows all processes but the browser's own, which tests talk to. */
export async function slowDown(browser: Browser, times: number): Promise<SlowProcessor> {
  const devtools = await browser.newBrowserCDPSession();
  let found = await findProcesses(devtools);
  let most = 0;
  let isOver = false;
  const looking = (async () => {
    while (!isOver) {
      found = await findProcesses(devtools);
      for (const { id, type } of found) if (type === 'renderer') most = Math.max(most, readMostBytes(id));
      await sleep(POLL_MS);
    }
  })();
  const slowing = (async () => {
    while (!isOver) {
      const start = performance.now();
      await sleep(RUN_MS);
      const stopped = found.filter(({ id }) => signal(id, 'SIGSTOP'));
      // Adapts to late timers.
      await sleep((performance.now() - start) * (times - 1));
      for (const { id } of stopped) signal(id, 'SIGCONT');
    }
  })();
  return {
    peakBytes: () => most,
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

/** Returns false if the process is gone. */
function signal(id: number, name: 'SIGSTOP' | 'SIGCONT'): boolean {
  try {
    return process.kill(id, name);
  } catch {
    return false;
  }
}

/** Linux only; elsewhere it returns 0. */
function readMostBytes(id: number): number {
  try {
    const [, kilobytes = '0'] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${id}/status`, 'utf8')) ?? [];
    return Number(kilobytes) * 1024;
  } catch {
    return 0;
  }
}
