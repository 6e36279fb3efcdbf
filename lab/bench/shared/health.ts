// Health of a service under load.
import { setTimeout as pause } from 'node:timers/promises';
import { quantile } from './figures.ts';
import type { Server } from './stage.ts';

const BETWEEN_PROBES_MS = 5;

export async function untilReady({ url }: Server): Promise<void> {
  while ((await fetch(`${url}/ready`)).status !== 200) await pause(100);
}

/** Returns the p99 of sequential health checks in milliseconds until `meanwhile` ends. */
export async function probeHealth({ url }: Server, meanwhile: Promise<unknown>): Promise<number> {
  let over = false;
  const done = meanwhile.finally(() => {
    over = true;
  });
  const times: number[] = [];
  while (!over) {
    const from = performance.now();
    await (await fetch(`${url}/health`)).arrayBuffer();
    times.push(performance.now() - from);
    await pause(BETWEEN_PROBES_MS);
  }
  await done;
  return quantile(times, 0.99);
}
