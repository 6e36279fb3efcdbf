import type { PageMessage } from '@limen/sdk/element';
import { expect, it } from 'vitest';
import type { PageState, Screen } from '../course/screens.ts';
import { createHostLink } from './host-link.ts';
import type { TakenPort } from './take-port.ts';

const LABELS = { name: 'Age check', close: 'Close', lang: 'en', dir: 'ltr' } as const;
const createState = (screen: Screen): PageState => ({ screen, dialog: null, asks: null });

function openLink({ redirect = false } = {}) {
  const heard: PageMessage[] = [];
  let cancels = 0;
  const port = { onmessage: null, postMessage: (message: PageMessage) => heard.push(message) };
  let take = () => {};
  const taking = new Promise<TakenPort>((resolve) => {
    take = () => resolve({ port: port as unknown as MessagePort, mode: 'inline', redirect });
  });
  const link = createHostLink(taking, () => {
    cancels += 1;
  });
  return {
    link,
    heard,
    async connect() {
      take();
      await new Promise(setImmediate);
    },
    show: (screen: Screen) => link.show(createState(screen), LABELS),
    say: (data: unknown) => (port.onmessage as unknown as (event: { data: unknown }) => void)({ data }),
    cancels: () => cancels,
  };
}

const CAPTURE: Screen = { name: 'capture', prompt: 'guide.oval', tone: 'do', progress: null, paused: false };
const createEnd = (how: Extract<Screen, { name: 'end' }>['how'], redirectUrl: string | null = null): Screen => ({
  name: 'end',
  how,
  redirectUrl,
});

it('sends everything that the host missed once it connects, and then only changes', async () => {
  const { link, heard, connect, show } = openLink();
  show({ name: 'opening' });
  show({ name: 'permission', state: 'explain' });
  link.resize(600);
  expect(heard).toEqual([]);
  await connect();
  expect(heard).toEqual([
    { type: 'connected' },
    { type: 'ready', ...LABELS },
    { type: 'step', step: 'camera' },
    { type: 'resize', height: 600 },
  ]);
  heard.length = 0;
  show({ name: 'permission', state: 'asking' });
  link.resize(600);
  show(CAPTURE);
  link.resize(700);
  expect(heard).toEqual([
    { type: 'step', step: 'check' },
    { type: 'resize', height: 700 },
  ]);
});

it('sends the same messages for a passed and a failed check', async () => {
  const ends = ['done', 'failed', 'unlikely', 'other_face', 'unread', 'expired', 'not_recognized', 'verified'] as const;
  const transcripts = ends.map(async (how) => {
    const { heard, connect, show } = openLink();
    await connect();
    show(CAPTURE);
    show({ name: 'working', doing: 'matching', offline: false });
    if (how !== 'done') show({ name: 'not_recognized', triesLeft: 1, isEnrolment: false });
    if (how !== 'done') show(CAPTURE);
    // Some sessions redirect only people who passed.
    show(createEnd(how, how === 'done' ? 'https://shop.example/back' : null));
    return JSON.stringify(heard);
  });
  expect(new Set(await Promise.all(transcripts)).size).toBe(1);
  expect(await transcripts[0]).toContain('{"type":"ended"}');
});

it('reports once that the person gave up', async () => {
  const { heard, connect, show } = openLink();
  await connect();
  show(createEnd('cancelled'));
  show(createEnd('cancelled'));
  expect(heard.filter(({ type }) => type === 'cancelled' || type === 'ended')).toEqual([{ type: 'cancelled' }]);
});

it('accepts only a request to cancel', async () => {
  const { connect, say, cancels } = openLink();
  await connect();
  for (const forged of [null, 'cancel', { type: 'start' }, { type: 'ended' }, {}]) say(forged);
  expect(cancels()).toBe(0);
  say({ type: 'cancel' });
  say({ type: 'ping' });
  expect(cancels()).toBe(1);
});

it('answers each message, so the host knows that the page is alive', async () => {
  const { heard, connect, say } = openLink();
  await connect();
  heard.length = 0;
  say({ type: 'ping' });
  say({ type: 'cancel' });
  expect(heard).toEqual([{ type: 'connected' }, { type: 'connected' }]);
});

it.each([
  [true, 'https://shop.example/back'],
  [false, null],
])('sends the redirect URL only to a host that navigates itself: %s', async (redirect, address) => {
  const { link, heard, connect, show } = openLink({ redirect });
  await connect();
  show(createEnd('done', 'https://shop.example/back'));
  link.leave();
  expect(heard.at(-1)).toEqual({ type: 'leave', redirectUrl: address });
});

it('sends leave only to a connected host', async () => {
  const { link, connect } = openLink();
  expect([link.isTaken(), link.leave()]).toEqual([false, false]);
  await connect();
  expect([link.isTaken(), link.leave()]).toEqual([true, true]);
});
