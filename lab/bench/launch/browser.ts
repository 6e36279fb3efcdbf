// The browser of the launch benchmark, and how many bytes it received.
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Request } from 'playwright-core';
import { bringUpOrLeave } from '../../../scripts/bring-up.ts';
import type { Stage } from '../shared/stage.ts';

const FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
  ...['--disable-sync', '--no-first-run'],
];

/** A camera of the browser's own, with a picture that nobody is in, and nobody is asked for it. */
export const OWN_CAMERA = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'];

/** With a cache of its own on the disk, as people have it: an anonymous window keeps no big files. */
export async function withBrowser<T>(
  stage: Stage,
  work: (context: BrowserContext) => Promise<T>,
  flags: readonly string[] = [],
): Promise<T> {
  const executablePath = bringUpOrLeave('chromium', 'bench:launch');
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
  /** Bytes that came over the wire for each address, with their headers; none where the cache had it. */
  files: Map<string, number>;
  total(): number;
  of(pattern: RegExp): number;
}

/** Addresses that a browser has asked for before. */
const known = new WeakMap<BrowserContext, Set<string>>();

/** Also what workers of the page ask for. Call `settle` before reading: sizes are told a little later. */
export function countTraffic(context: BrowserContext): Traffic & { settle(): Promise<void>; stop(): void } {
  const files = new Map<string, number>();
  const pending: Promise<unknown>[] = [];
  const before = known.get(context) ?? new Set();
  known.set(context, before);
  const note = (request: Request) => {
    const { protocol, pathname: path } = new URL(request.url());
    // What a page made itself came from nowhere.
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
  // Together what the browser counted on the wire: of what it had itself, the body is as much below nothing.
  const received = Math.max(responseHeadersSize + responseBodySize, 0);
  if (responseBodySize !== 0 || !isNew) return received;
  // Of a worker's own script Chromium does not tell the size.
  const length = await (await request.response())?.headerValue('content-length');
  return received + Number(length ?? 0);
}
