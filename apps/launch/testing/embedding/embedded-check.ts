// A service whose key lets one site embed its pages, and that site with a check in it.
import type { CreateAgeSessionRequest } from '@limen/sdk';
import type { BrowserContextOptions, FrameLocator, Page } from 'playwright-core';
import { createLimenClient } from '../../../../packages/sdk/src/index.ts';
import { chromiumPath, launchBrowser } from '../../../server/testing/browser.ts';
import { ensurePages } from '../../../server/testing/built-pages.ts';
import { startTestApp } from '../../../server/testing/test-app.ts';
import { type HostSite, startHostSite } from './host-site.ts';

type Embedding = Awaited<ReturnType<typeof start>>;

export interface EmbeddedCheck {
  page: Page;
  frame: FrameLocator;
  launchUrl: string;
  /** Names and details of the element's events, in order. */
  events(): Promise<[string, unknown][]>;
  hears(name: string): Promise<void>;
  complaints: string[];
  /** Addresses that the page and its frame requested. */
  requests: string[];
}

/** Starts nothing without a browser, because vitest also evaluates skipped suites. */
export async function openEmbedding(atEnd: (dispose: () => Promise<void>) => void): Promise<Embedding> {
  return chromiumPath ? start(atEnd) : ({} as Embedding);
}

async function start(atEnd: (dispose: () => Promise<void>) => void) {
  await ensurePages('launch');
  const app = await startTestApp({ atEnd });
  const [site, stranger] = [await startHostSite(), await startHostSite()];
  const service = {
    url: await app.listen(),
    async createKey(embedOrigins: string[]) {
      return (await app.apiKeys.create({ kind: 'test', clientCredentials: false, embedOrigins })).apiKey;
    },
  };
  const host = createLimenClient({ baseUrl: service.url, apiKey: await service.createKey([site.url]) });

  /** `around`: markup after the element. */
  async function embed(options: EmbedOptions = {}): Promise<EmbeddedCheck> {
    const { on = site, attributes = '', around = '', session, context, headers } = options;
    const { launchUrl } = await host.ageSessions.create({ enableDesktop: true, ...session });
    on.show(
      `<limen-check launch-url="${launchUrl}" ${attributes}></limen-check><script>${LISTEN}</script>${around}`,
      headers,
    );
    const page = await (await launchBrowser()).newPage(context);
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await options.prepare?.(page);
    await page.goto(on.url);
    const events = () => page.evaluate<[string, unknown][]>('heard');
    return {
      page,
      frame: page.frameLocator('limen-check iframe'),
      launchUrl,
      events,
      hears: async (name) => void (await page.waitForFunction(`heard.some(([type]) => type === '${name}')`)),
      complaints,
      requests,
    };
  }
  return { service, site, stranger, embed };
}

interface EmbedOptions {
  on?: HostSite;
  attributes?: string;
  around?: string;
  headers?: Record<string, string>;
  session?: CreateAgeSessionRequest;
  context?: BrowserContextOptions;
  prepare?(page: Page): Promise<unknown>;
}

/** Prevents navigation, so that a test can inspect the page. */
const LISTEN = `
const heard = [];
const check = document.querySelector('limen-check');
for (const type of ['ready', 'step', 'resize', 'ended', 'cancelled', 'close', 'error'])
  check.addEventListener(type, (event) => { heard.push([type, event.detail]); event.preventDefault(); });
`;
