// Proofs in place of the check, none of which may be a dead end, and the offer to keep an age key.
import type { AgeKeyRefusal } from '@limen/plan';
import { describe, expect, test } from 'vitest';
import { ASKS, REDIRECT } from '../../testing/fakes/fake-device-client.ts';
import { createFakePage } from '../../testing/fakes/fake-page.ts';
import { createFakePasskeys } from '../../testing/fakes/fake-people.ts';
import type { EndScreen, MyAgeKeyScreen, ProofNote } from '../course/screens.ts';
import { createMyAgeKey } from './my-age-key.ts';

const WITH_KEY = { asks: { ...ASKS, proofs: ['age_key' as const] } };
const refusal = (reason: AgeKeyRefusal, triesLeft = 5) => ({ outcome: 'refused' as const, reason, triesLeft });

async function openWelcome(options: Parameters<typeof createFakePage>[0] = { view: WITH_KEY }) {
  const page = createFakePage(options);
  await page.open();
  return page;
}

describe('an age key', () => {
  test('is offered if the session accepts one and the browser has passkeys, even without a usable camera', async () => {
    expect((await openWelcome()).screen()).toMatchObject({ name: 'welcome', ways: ['age_key'] });
    expect((await openWelcome({})).screen()).toMatchObject({ ways: [] });
    const computer = await openWelcome({ view: { ...WITH_KEY, enableDesktop: false }, isComputer: true });
    expect(computer.screen()).toMatchObject({ phoneOnly: true, ways: ['age_key'] });
    const old = createFakePage({ view: WITH_KEY });
    old.passkeys.isThere = false;
    await old.open();
    expect(old.screen()).toMatchObject({ ways: [] });
  });

  test('ends the session with one tap and without the camera', async () => {
    const page = await openWelcome();
    page.actions.useProof('age_key');
    expect(page.screen()).toMatchObject({ name: 'welcome', busy: true, proving: 'age_key' });
    expect(await page.see('end')).toMatchObject({ how: 'done', redirectUrl: REDIRECT });
    expect(page.client.calls).toEqual(['view', 'claim', 'ageKeyOptions', 'useAgeKey', 'view']);
    expect(page.passkeys.asked).toEqual(['assert']);
    expect(page.names()).not.toContain('permission');
  });

  test.each<[AgeKeyRefusal, ProofNote]>([
    ['not_known', 'not_known'],
    ['too_old', 'not_enough'],
    ['too_weak', 'not_enough'],
    ['too_low', 'not_enough'],
    ['too_often', 'too_often'],
    ['not_valid', 'failed'],
  ])('leads back to the other options when it is %s', async (reason, note) => {
    const page = await openWelcome();
    page.client.answer('useAgeKey', refusal(reason));
    page.actions.useProof('age_key');
    expect(await page.see('welcome', { note })).toMatchObject({ busy: false, proving: null, ways: ['age_key'] });
    page.actions.start();
    await page.see('permission', { state: 'explain' });
  });

  test('leads back after the person declined, and repeats the same question', async () => {
    const page = await openWelcome();
    page.passkeys.close(1);
    page.actions.useProof('age_key');
    await page.see('welcome', { note: 'failed' });
    page.actions.useProof('age_key');
    await page.see('end');
    expect(page.client.calls.filter((call) => call === 'ageKeyOptions')).toHaveLength(1);
  });

  test('is not offered after its tries are used up', async () => {
    const page = await openWelcome();
    page.client.answer('useAgeKey', refusal('not_valid', 0));
    page.actions.useProof('age_key');
    const { ways } = await page.see('welcome', { note: 'failed' });
    expect(ways).toEqual([]);
  });
});

describe('the offer to remember', () => {
  const offered = (ageOver = 18) => ({
    ...WITH_KEY,
    state: 'completed' as const,
    role: 'active' as const,
    end: { flowStatus: 'COMPLETED' as const, errors: [], redirectUrl: REDIRECT, ageKeyOffer: { ageOver } },
  });

  test('waits for the person to accept', async () => {
    const page = await openWelcome({ view: offered() });
    expect(page.screen()).toMatchObject({ name: 'end', keep: { ageOver: 18, state: 'offered' } });
    page.platform.pass(60_000);
    expect(page.platform.leftFor).toEqual([]);
    page.actions.keepAge();
    expect(page.screen()).toMatchObject({ keep: { state: 'asking' } });
    await expect.poll(() => (page.screen() as EndScreen).keep?.state).toBe('kept');
    expect(page.passkeys.asked).toEqual(['register']);
    page.actions.goOn();
    expect(page.platform.leftFor).toEqual([REDIRECT]);
  });

  test('stays open for a person who accepts it, even if the host listens', async () => {
    const page = await openWelcome({ view: offered() });
    page.platform.listen();
    page.actions.keepAge();
    await expect.poll(() => (page.screen() as EndScreen).keep?.state).toBe('kept');
    page.platform.pass(60_000);
    expect(page.platform.leftFor).toEqual([]);
    page.actions.goOn();
    expect(page.platform.leftFor).toEqual([REDIRECT]);
  });

  test('can be ignored', async () => {
    const page = await openWelcome({ view: offered() });
    page.actions.goOn();
    expect(page.platform.leftFor).toEqual([REDIRECT]);
    expect(page.client.calls).toEqual(['view']);
  });

  test('shows a failure and can be retried', async () => {
    const page = await openWelcome({ view: offered() });
    page.passkeys.close(1);
    page.actions.keepAge();
    await expect.poll(() => (page.screen() as EndScreen).keep?.state).toBe('failed');
    page.client.answer('makeAgeKey', { outcome: 'refused' });
    page.actions.keepAge();
    await expect.poll(() => page.client.calls.filter((call) => call === 'makeAgeKey').length).toBe(1);
    await expect.poll(() => (page.screen() as EndScreen).keep?.state).toBe('failed');
    page.actions.keepAge();
    await expect.poll(() => (page.screen() as EndScreen).keep?.state).toBe('kept');
  });

  test('is not shown in a browser without passkeys, which redirects by itself', async () => {
    const page = createFakePage({ view: offered() });
    page.passkeys.isThere = false;
    await page.open();
    expect(page.screen()).not.toHaveProperty('keep');
    page.platform.pass(10_000);
    expect(page.platform.leftFor).toEqual([REDIRECT]);
  });
});

describe('the age key page', () => {
  function createMine(outcome: string, status = 200) {
    const shown: (MyAgeKeyScreen | EndScreen)[] = [];
    const asked: string[] = [];
    const passkeys = createFakePasskeys();
    const page = createMyAgeKey({
      baseUrl: 'https://limen.example/prefix/',
      passkeys,
      async fetch(url) {
        asked.push(url.href);
        const reply = url.href.endsWith('/options') ? { publicKey: { challenge: 'c' } } : { outcome };
        return new Response(JSON.stringify(reply), { status });
      },
      show: (screen) => void shown.push(screen),
    });
    return { page, passkeys, shown, asked };
  }

  test('deletes the key after the key itself signed', async () => {
    const { page, shown, asked } = createMine('deleted');
    page.open();
    await page.delete();
    expect(shown).toEqual([
      { name: 'my_age_key', state: 'explain' },
      { name: 'my_age_key', state: 'asking' },
      { name: 'end', how: 'key_deleted', redirectUrl: null },
    ]);
    const at = 'https://limen.example/prefix/launch/my-age-key';
    expect(asked).toEqual([`${at}/options`, `${at}/delete`]);
  });

  test('shows that no key is kept, that deletion failed, or that the browser has no passkeys', async () => {
    const unknown = createMine('not_known');
    await unknown.page.delete();
    expect(unknown.shown.at(-1)).toMatchObject({ how: 'key_not_known' });
    for (const failing of [createMine('refused'), createMine('deleted', 503)]) {
      await failing.page.delete();
      expect(failing.shown.at(-1)).toEqual({ name: 'my_age_key', state: 'failed' });
    }
    const declined = createMine('deleted');
    declined.passkeys.close(1);
    await declined.page.delete();
    expect(declined.shown.at(-1)).toEqual({ name: 'my_age_key', state: 'failed' });
    const old = createMine('deleted');
    old.passkeys.isThere = false;
    old.page.open();
    expect(old.shown).toEqual([{ name: 'my_age_key', state: 'unsupported' }]);
  });
});
