// The browser of the launch benchmark, with byte counts.
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Request } from 'playwright-core';
import { provideRequirementOrExit } from '../../../scripts/bring-up.ts';
import type { Stage } from '../shared/stage.ts';

const FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
  ...['--disable-sync', '--no-first-run'],
];

/** The browser's simulated camera, without a face, granted without asking. */
export const OWN_CAMERA = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'];

/** With a disk cache, as people have it. Incognito windows do not keep large files. */
export async function withBrowser<T>(
  stage: Stage,
  work: (context: BrowserContext) => Promise<T>,
  flags: readonly string[] = [],
): Promise<T> {
  const executablePath = provideRequirementOrExit('chromium', 'bench:launch');
  const folder = mkdtempSync(join(stage.folder, 'browser-'));
  const context = await chromium.launchPersistentContext(folder, {
    executablePath,
    args: [...FLAGS, ...flags],
    viewport: { width: 390, height: 844 },
  });
  try {
    return await work(context);
  } finally {
    await context.close();
  }
}

export interface Traffic {
  /** Bytes on the wire per URL, including headers. Absent if served from the cache. */
  files: Map<string, number>;
  total(): number;
  of(pattern: RegExp): number;
}

/** URLs that the browser requested before. */
const known = new WeakMap<BrowserContext, Set<string>>();

/** Includes requests of workers. Call `settle` before reading, because sizes are reported late. */
export function countTraffic(context: BrowserContext): Traffic & { settle(): Promise<void>; stop(): void } {
  const files = new Map<string, number>();
  const pending: Promise<unknown>[] = [];
  const before = known.get(context) ?? new Set();
  known.set(context, before);
  const note = (request: Request) => {
    const { protocol, pathname: path } = new URL(request.url());
    // Content created by the page has no transfer.
    if (!protocol.startsWith('http')) return;
    const isNew = !before.has(path);
    before.add(path);
    const add = (size: number) => files.set(path, (files.get(path) ?? 0) + size);
    pending.push(measure(request, isNew).then(add, () => undefined));
  };
  context.on('requestfinished', note);
  const sum = (sizes: Iterable<number>) => [...sizes].reduce((all, size) => all + size, 0);
  return {
    files,
    total: () => sum(files.values()),
    of: (pattern) => sum([...files].filter(([path]) => pattern.test(path)).map(([, size]) => size)),
    settle: async () => void (await Promise.all(pending)),
    stop: () => void context.off('requestfinished', note),
  };
}

async function measure(request: Request, isNew: boolean): Promise<number> {
  const { responseHeadersSize, responseBodySize } = await request.sizes();
  // Total of the wire bytes. For cached responses the browser reports the body as a negative
  // amount.
  const received = Math.max(responseHeadersSize + responseBodySize, 0);
  if (responseBodySize !== 0 || !isNew) return received;
  // Chromium does not report the size of a worker's own script.
  const length = await (await request.response())?.headerValue('content-length');
  return received + Number(length ?? 0);
}
