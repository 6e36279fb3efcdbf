// A wallet in place of the check. Every outcome lets the person continue.
import type { WalletRefusal } from '@limen/plan';
import type { DeviceView } from '@limen/sdk/device';
import { describe, expect, test } from 'vitest';
import { ASKS, REDIRECT, refused } from '../../testing/fakes/fake-device-client.ts';
import { settle } from '../../testing/fakes/fake-flow.ts';
import { createFakePage, type FakePage } from '../../testing/fakes/fake-page.ts';
import type { ProofNote } from '../course/screens.ts';

const WITH_WALLET = { asks: { ...ASKS, proofs: ['wallet' as const] } };
const WALLET_ONLY = { asks: { ...WITH_WALLET.asks, steps: [] } };

async function openWelcome(options: Parameters<typeof createFakePage>[0] = { view: WITH_WALLET }) {
  const page = createFakePage(options);
  await page.open();
  return page;
}

/** Opens the welcome in a browser that cannot ask wallets. */
async function openWithoutWallets(options: Parameters<typeof createFakePage>[0] = {}) {
  const page = createFakePage({ view: WITH_WALLET, ...options });
  page.wallets.isThere = false;
  await page.open();
  return page;
}

const listWalletCalls = (page: FakePage) => page.client.calls.filter((call) => /allet/.test(call));

describe('a wallet', () => {
  test('is offered if the session accepts one, by a link if the browser cannot ask', async () => {
    const offered = { name: 'welcome', ways: ['wallet'], note: null };
    expect((await openWelcome()).screen()).toMatchObject({ ...offered, canLinkWallet: true });
    expect((await openWithoutWallets()).screen()).toMatchObject({ ...offered, canLinkWallet: false });
  });

  test('ends the session with one press and without the camera', async () => {
    const page = await openWelcome();
    page.actions.useProof('wallet');
    expect(page.screen()).toMatchObject({ name: 'welcome', busy: true, proving: 'wallet' });
    expect(await page.see('end')).toMatchObject({ how: 'done', redirectUrl: REDIRECT });
    expect(page.client.calls).toEqual(['view', 'claim', 'walletOptions', 'useWallet', 'view']);
    expect(page.wallets.asked).toEqual([[{ protocol: 'org-iso-mdoc', data: { deviceRequest: 'r' } }]]);
    expect(page.names()).toEqual(['welcome', 'working', 'end']);
  });

  test.each<[WalletRefusal, ProofNote]>([
    ['declined', 'declined'],
    ['no_age', 'not_enough'],
    ['not_trusted', 'not_trusted'],
    ['ended', 'ended'],
    ['not_valid', 'failed'],
  ])('leads back to the other options when its answer is refused: %s', async (reason, note) => {
    const page = await openWelcome();
    page.client.answer('useWallet', { outcome: 'refused', reason, triesLeft: 5 });
    page.actions.useProof('wallet');
    expect(await page.see('welcome', { note })).toMatchObject({ busy: false, proving: null, ways: ['wallet'] });
    page.actions.start();
    await page.see('permission', { state: 'explain' });
  });

  test('reports a declined request to the service and uses a new one next time', async () => {
    const page = await openWelcome();
    page.wallets.conduct = 'declines';
    page.client.answer('useWallet', { outcome: 'refused', reason: 'declined', triesLeft: 5 });
    page.actions.useProof('wallet');
    await page.see('welcome', { note: 'declined' });
    page.wallets.conduct = 'answers';
    page.actions.useProof('wallet');
    await page.see('end');
    expect(listWalletCalls(page)).toEqual(['walletOptions', 'useWallet access_denied', 'walletOptions', 'useWallet']);
  });

  test('times out after three minutes without an answer', async () => {
    const page = await openWelcome();
    page.wallets.conduct = 'waits';
    page.client.answer('useWallet', { outcome: 'refused', reason: 'declined', triesLeft: 5 });
    page.actions.useProof('wallet');
    await expect.poll(() => page.wallets.asked.length).toBe(1);
    page.platform.pass(179_000);
    await settle();
    expect(page.screen()).toMatchObject({ name: 'welcome', proving: 'wallet' });
    page.platform.pass(1_000);
    await page.see('welcome', { note: 'declined' });
  });

  test('is given up with the session while its prompt is open', async () => {
    const page = await openWelcome();
    page.wallets.conduct = 'waits';
    page.actions.useProof('wallet');
    await expect.poll(() => page.wallets.asked.length).toBe(1);
    page.cancel();
    expect(await page.see('end')).toMatchObject({ how: 'cancelled' });
    expect(listWalletCalls(page)).toEqual(['walletOptions']);
  });

  test('leaves the other options available while its prompt is open, and each of them closes it', async () => {
    for (const take of [(page: FakePage) => page.actions.start(), (page: FakePage) => page.actions.linkWallet()]) {
      const page = await openWelcome();
      page.wallets.conduct = 'waits';
      page.actions.useProof('wallet');
      await expect.poll(() => page.wallets.asked.length).toBe(1);
      take(page);
      await expect.poll(() => page.screen()?.name).toMatch(/permission|wallet_link/);
      expect(listWalletCalls(page)).not.toContain('useWallet access_denied');
    }
  });

  test('is asked after a second press if the service answered the first too slowly', async () => {
    const page = await openWelcome();
    page.wallets.remembersPress = false;
    page.actions.useProof('wallet');
    expect(await page.see('welcome', { note: 'press_again' })).toMatchObject({ busy: false, ways: ['wallet'] });
    expect(page.wallets.asked).toEqual([]);
    page.wallets.remembersPress = true;
    page.actions.useProof('wallet');
    await page.see('end');
    expect(listWalletCalls(page)).toEqual(['walletOptions', 'useWallet']);
  });

  test('is not offered after its tries are used up, earlier or just now', async () => {
    const page = await openWelcome();
    page.client.answer('useWallet', { outcome: 'refused', reason: 'ended', triesLeft: 0 });
    page.actions.useProof('wallet');
    expect((await page.see('welcome', { note: 'ended' })).ways).toEqual([]);
    const later = await openWelcome();
    later.client.meet('walletOptions', refused(403, 'forbidden'));
    later.actions.useProof('wallet');
    expect((await later.see('welcome', { note: 'failed' })).ways).toEqual([]);
  });
});

describe('a wallet link', () => {
  const END = { flowStatus: 'COMPLETED' as const, errors: [], redirectUrl: REDIRECT };

  async function openLink(options: Parameters<typeof createFakePage>[0] = {}) {
    const page = await openWithoutWallets(options);
    page.actions.useProof('wallet');
    await page.see('wallet_link');
    return page;
  }

  test('ends the session with the wallet’s answer', async () => {
    const page = await openLink({ isComputer: true });
    expect(page.screen()).toMatchObject({ profile: 'eu_age', opensHere: false, minutesLeft: 5 });
    expect(page.client.calls).toEqual(['view', 'claim', 'walletLinks', 'view']);
    expect((await openLink()).client.calls).toEqual(['view', 'claim', 'walletLinks here', 'view']);
    expect((await openLink({ isFramed: true })).client.calls).toEqual(['view', 'claim', 'walletLinks', 'view']);
    page.client.pushView({ state: 'completed', end: END });
    expect(await page.see('end')).toMatchObject({ how: 'done', redirectUrl: REDIRECT });
    expect(page.client.following).toBe(0);
  });

  test('can be opened on a phone, and the person selects the kind', async () => {
    const links = [
      { profile: 'eu_age', link: 'av://?x' },
      { profile: 'mdl', link: 'openid4vp://?x' },
    ];
    const page = await openWithoutWallets();
    page.client.answer('walletLinks', { links, expiresAt: '2026-03-01T12:05:00.000Z', triesLeft: 5 });
    page.actions.useProof('wallet');
    expect(await page.see('wallet_link')).toMatchObject({ links, profile: 'eu_age', opensHere: true });
    page.actions.chooseProfile('mdl');
    page.platform.pass(70_000);
    expect(await page.see('wallet_link', { minutesLeft: 4 })).toMatchObject({ links, profile: 'mdl' });
  });

  test('can be chosen instead of the wallet that the browser would ask', async () => {
    const page = await openWelcome();
    page.actions.linkWallet();
    await page.see('wallet_link');
    expect(page.wallets.asked).toEqual([]);
  });

  test.each<[WalletRefusal, ProofNote]>([
    ['declined', 'declined'],
    ['no_age', 'not_enough'],
    ['not_trusted', 'not_trusted'],
    ['ended', 'ended'],
    ['not_valid', 'failed'],
  ])('leads back to the other options when the wallet’s answer is refused: %s', async (refusal, note) => {
    const page = await openLink();
    page.client.pushView({ walletLinkRefused: refusal });
    expect(await page.see('welcome', { note })).toMatchObject({ busy: false, ways: ['wallet'] });
    expect(page.client.following).toBe(0);
    page.actions.start();
    await page.see('permission', { state: 'explain' });
  });

  test('leads back when the links expire without an answer', async () => {
    const page = await openLink();
    page.platform.pass(299_000);
    await settle();
    expect(page.screen()).toMatchObject({ name: 'wallet_link', minutesLeft: 1 });
    page.platform.pass(1_000);
    expect(await page.see('welcome', { note: 'timed_out' })).toMatchObject({ ways: ['wallet'] });
    expect(page.client.following).toBe(0);
  });

  test('closes with the back button and with the session', async () => {
    const page = await openLink();
    page.actions.goBack();
    expect(await page.see('welcome')).toMatchObject({ note: null, ways: ['wallet'] });
    page.actions.useProof('wallet');
    await page.see('wallet_link');
    page.cancel();
    expect(await page.see('end')).toMatchObject({ how: 'cancelled' });
    expect(page.client.following).toBe(0);
  });

  test('is not offered after the last try, or if the service offers no more links', async () => {
    const page = await openWithoutWallets();
    const last = { links: [{ profile: 'mdl', link: 'openid4vp://?x' }], expiresAt: '2026-03-01T12:05:00.000Z' };
    page.client.answer('walletLinks', { ...last, triesLeft: 0 });
    page.actions.useProof('wallet');
    await page.see('wallet_link');
    page.client.pushView({ walletLinkRefused: 'declined' });
    expect((await page.see('welcome', { note: 'declined' })).ways).toEqual([]);
    const later = await openWithoutWallets();
    later.client.meet('walletLinks', refused(403, 'forbidden'));
    later.actions.useProof('wallet');
    expect((await later.see('welcome', { note: 'failed' })).ways).toEqual([]);
  });
});

describe('a wallet on this device that leads back to the page', () => {
  const ACTIVE = { ...WITH_WALLET, role: 'active' as const, state: 'opened' as const };

  test('ends the session with its code and removes the code from the address', async () => {
    const page = createFakePage({ view: ACTIVE, responseCode: 'r' });
    await page.open();
    expect(await page.see('end')).toMatchObject({ how: 'done', redirectUrl: REDIRECT });
    expect(page.client.calls).toEqual(['view', 'claim', 'finishWalletLink r', 'view']);
    expect(page.platform.fragmentsDropped).toBe(1);
  });

  test('leads back to the other options when its code is invalid', async () => {
    const page = createFakePage({ view: ACTIVE, responseCode: 'r' });
    page.client.answer('finishWalletLink', { outcome: 'refused', reason: 'not_valid', triesLeft: 5 });
    await page.open();
    expect(await page.see('welcome', { note: 'failed' })).toMatchObject({ busy: false, ways: ['wallet'] });
  });

  test.each<[string, Partial<DeviceView>, string]>([
    ['another device has', { role: 'none', state: 'opened' }, 'stopped'],
    ['has ended', { role: 'active', state: 'completed', end: { flowStatus: 'COMPLETED', errors: [] } }, 'end'],
  ])('sends no code for a session that %s', async (_, view, name) => {
    const page = createFakePage({ view: { ...WITH_WALLET, ...view }, responseCode: 'r' });
    await page.open();
    expect(page.screen()).toMatchObject({ name });
    expect(page.client.calls).toEqual(['view']);
    expect(page.platform.fragmentsDropped).toBe(1);
  });
});

describe('a session that accepts only a wallet', () => {
  test('shows that no wallet can be used if the service trusts no issuer', async () => {
    const page = await openWelcome({ view: { asks: { ...ASKS, steps: [] } } });
    expect(page.screen()).toMatchObject({ name: 'welcome', ways: [], note: 'no_tries' });
  });

  test('can be given up', async () => {
    const page = await openWithoutWallets({ view: WALLET_ONLY });
    page.cancel();
    expect(await page.see('end')).toMatchObject({ how: 'cancelled' });
  });

  test('shows after the last failed try that there are no more', async () => {
    const page = await openWelcome({ view: WALLET_ONLY });
    page.client.answer('useWallet', { outcome: 'refused', reason: 'no_age', triesLeft: 0 });
    page.actions.useProof('wallet');
    expect((await page.see('welcome', { note: 'no_tries' })).ways).toEqual([]);
  });
});
