// Measures how long a service's event loop was blocked, compared with a control process on the same
// machine.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Stage } from './stage.ts';

/** Replies to each message with the maximum delay of its own event loop since the previous one. */
const CONTROL = `
  const delay = require('node:perf_hooks').monitorEventLoopDelay();
  delay.enable();
  process.on('message', () => { process.send(delay.max / 1e6); delay.reset(); });
  process.on('disconnect', () => process.exit());`;
const METRIC = /^nodejs_eventloop_lag_max_seconds (\S+)$/m;
const HEALTH_EVERY_MS = 20;

export interface Delays {
  /** Maximum delay of the service's event loop, in milliseconds. */
  serviceMs: number;
  /** Maximum delay of the control process in the same interval. */
  controlMs: number;
}

export interface DelayWatch {
  /** Measures both processes while `work` runs. */
  during(work: () => Promise<unknown>): Promise<Delays>;
}

/**
 * Reads the delay from the service's metrics. Without access to them (beyond loopback they need
 * `METRICS_TOKEN`), uses the slowest reply of `/health`.
 */
export async function watchDelays(stage: Stage, token = process.env['METRICS_TOKEN']): Promise<DelayWatch> {
  const control = spawn(process.execPath, ['-e', CONTROL], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  stage.atEnd(async () => void control.kill());
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };

  const readMetric = async () => {
    const { text } = await stage.speaker.send({ method: 'GET', path: '/metrics', headers });
    const seconds = METRIC.exec(text)?.[1];
    return seconds === undefined ? undefined : Number(seconds) * 1_000;
  };
  const probeHealth = async (work: () => Promise<unknown>) => {
    let slowest = 0;
    let isDone = false;
    const probe = async () => {
      while (!isDone) {
        const begun = performance.now();
        await stage.speaker.send({ method: 'GET', path: '/health' });
        slowest = Math.max(slowest, performance.now() - begun);
        await new Promise((resolve) => setTimeout(resolve, HEALTH_EVERY_MS));
      }
    };
    const probing = probe();
    await work().finally(() => (isDone = true));
    await probing;
    return slowest;
  };

  const hasMetric = (await readMetric()) !== undefined;
  return {
    async during(work) {
      await askControl(control);
      if (!hasMetric) return { serviceMs: await probeHealth(work), controlMs: await askControl(control) };
      await readMetric();
      await work();
      const serviceMs = (await readMetric()) ?? Number.POSITIVE_INFINITY;
      return { serviceMs, controlMs: await askControl(control) };
    },
  };
}

function askControl(control: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    control.once('error', reject);
    control.once('message', (ms) => {
      control.off('error', reject);
      resolve(Number(ms));
    });
    control.send('delay?');
  });
}
