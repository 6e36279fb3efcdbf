// A person with the browser's virtual wallet. Holds the service's reply until the wallet has its
// answer, which needs the request.
import type { CreateAgeSessionRequest } from '@limen/sdk';
import type { WalletLinkReply } from '@limen/sdk/device';
import type { FrameLocator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { systemClock } from '../../../server/src/platform/base/clock.ts';
import { createTestWallet, type ShownAttestation, type TestWallet } from '../../../server/testing/test-wallet.ts';
import type { openJourneys } from './journey.ts';
import { press } from './journey-steps.ts';

type Asked = Parameters<TestWallet['answer']>[0];
type Answer = Awaited<ReturnType<TestWallet['answer']>>;
/** Creates the wallet's answer to a request; null if the person declines. */
type Conduct = (asked: Asked, wallet: TestWallet) => Promise<Answer | null>;

export const shows =
  (shown: ShownAttestation = {}): Conduct =>
  (asked, wallet) =>
    wallet.answer(asked, shown);
export const declines: Conduct = async () => null;

export async function beginWithWallet(
  journeys: Awaited<ReturnType<typeof openJourneys>>,
  session: CreateAgeSessionRequest = {},
) {
  let conduct: Conduct = declines;
  const journey = await journeys.begin({ session: { acceptedProofs: ['wallet'], ...session } });
  const { page, waitForScreen } = journey;
  const { origin } = new URL(journey.launchUrl);
  const wallet = createTestWallet({ storage: journeys.storage, clock: systemClock, origin });
  await page.context().route(/\/wallet\/options$/, async (route) => {
    const response = await route.fetch();
    await setBehavior(page, await conduct((await response.json()) as Asked, wallet));
    await route.fulfill({ response });
  });
  await waitForScreen('welcome');
  return {
    ...journey,
    async use(next: Conduct, place: Page | FrameLocator = page): Promise<void> {
      conduct = next;
      await press(place, 'Use my wallet');
    },
  };
}

const BE_PHONE = `Object.defineProperty(navigator, 'userAgent', { get: () => 'Mozilla/5.0 (Linux; Android 16) Mobile' })`;

/** Starts in a browser that cannot ask wallets, so the page shows a code. */
export async function beginWithLink(
  journeys: Awaited<ReturnType<typeof openJourneys>>,
  session: CreateAgeSessionRequest = {},
  { isPhone = false } = {},
) {
  const journey = await journeys.begin({
    session: { acceptedProofs: ['wallet'], ...session },
    prepare: (context) =>
      context.addInitScript({ content: `delete globalThis.DigitalCredential;${isPhone ? BE_PHONE : ''}` }),
  });
  const { page, waitForScreen } = journey;
  const wallet = createTestWallet({ storage: journeys.storage, clock: systemClock, origin: '' });
  await waitForScreen('welcome');

  /** Waits for the code. */
  async function showCode(): Promise<WalletLinkReply> {
    const replied = page.waitForResponse(/\/wallet\/link$/);
    await press(page, 'Use my wallet');
    const links = (await (await replied).json()) as WalletLinkReply;
    await waitForScreen('wallet_link');
    return links;
  }

  async function post(path: string, form: URLSearchParams): Promise<number> {
    return (await fetch(new URL(path, journeys.url), { method: 'POST', body: form })).status;
  }

  return {
    ...journey,
    showCode,
    /** Returns the status that the wallet gets. */
    async answer(links: WalletLinkReply, shown?: ShownAttestation): Promise<number> {
      const { path, form } = await wallet.answerLink(links, shown);
      return post(path, form);
    },
    /** Answers on this device. Returns the URL that the wallet opens in the browser. */
    async answerHere({ links, ...rest }: WalletLinkReply): Promise<string> {
      const here = links.map((option) => ({ ...option, link: option.sameDeviceLink ?? '' }));
      const { path, form } = await wallet.answerLink({ ...rest, links: here });
      const reply = await fetch(new URL(path, journeys.url), { method: 'POST', body: form });
      return ((await reply.json()) as { redirect_uri: string }).redirect_uri;
    },
    async decline(links: WalletLinkReply): Promise<number> {
      const { path } = await wallet.answerLink(links);
      return post(path, new URLSearchParams({ error: 'access_denied' }));
    },
  };
}

async function setBehavior(page: Page, answer: Answer | null): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  const behavior = answer
    ? { action: 'respond', protocol: answer.protocol, response: answer.data }
    : { action: 'decline' };
  // Newer than the library's types.
  await devtools.send('DigitalCredentials.setVirtualWalletBehavior' as never, behavior as never);
}

/** Reads the counter of each outcome. */
export async function readCounts(url: string): Promise<Map<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  expect(text).toContain('# TYPE limen_wallet_proofs_total counter');
  return new Map(
    [...text.matchAll(/^limen_wallet_proofs_total\{outcome="(\w+)"\} (\d+)$/gm)].map(([, name, count]) => [
      name!,
      Number(count),
    ]),
  );
}
