import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { CaptureScreen, DocumentCaptureScreen } from '../course/screens.ts';
import { loadLanguage } from '../i18n/index.ts';
import { createAnnouncer, listAnnouncements, movementText } from './announce.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function listen() {
  const heard: string[] = [];
  const announcer = createAnnouncer((texts) => void heard.push(texts.join(' ')));
  return { heard, announcer };
}

it('announces the first text at once, and only the last of those that follow too fast', () => {
  const { heard, announcer } = listen();
  for (const text of ['closer', 'back', 'closer', 'hold still']) announcer.say([text]);
  expect(heard).toEqual(['closer']);
  vi.advanceTimersByTime(1499);
  expect(heard).toEqual(['closer']);
  vi.advanceTimersByTime(1);
  expect(heard).toEqual(['closer', 'hold still']);
});

it('does not repeat itself', () => {
  const { heard, announcer } = listen();
  announcer.say(['closer']);
  announcer.say(['back']);
  announcer.say(['closer']);
  vi.advanceTimersByTime(10_000);
  announcer.say(['closer']);
  expect(heard).toEqual(['closer']);
});

it('repeats a text after a pause without text', () => {
  const { heard, announcer } = listen();
  for (const texts of [['copied'], [], ['copied']]) {
    announcer.say(texts);
    vi.advanceTimersByTime(2000);
  }
  expect(heard).toEqual(['copied', '', 'copied']);
});

it('announces nothing after a stop', () => {
  const { heard, announcer } = listen();
  announcer.say(['closer']);
  announcer.say(['back']);
  announcer.stop();
  vi.advanceTimersByTime(10_000);
  expect(heard).toEqual(['closer']);
});

it('announces loading in quarters, not in every percent', async () => {
  const words = await loadLanguage('en');
  const said = Array.from({ length: 101 }, (_, i) => listAnnouncements({ name: 'loading', share: i / 100 }, words)[0]);
  expect(new Set(said).size).toBe(5);
});

it('counts the movements only during a movement', async () => {
  const words = await loadLanguage('en');
  const progress = { number: 2, total: 3, share: 0.4 };
  const screen: CaptureScreen = { name: 'capture', prompt: 'challenge.blink', tone: 'do', progress, paused: false };
  expect(listAnnouncements(screen, words)).toEqual([expect.stringContaining('eyes'), 'Movement 2 of 3']);
  expect(listAnnouncements({ ...screen, prompt: 'challenge.done', tone: 'good' }, words)).toEqual(['Well done']);
  const lit: CaptureScreen = { ...screen, prompt: 'guide.colours', light: 'rgb(255 101 101)' };
  expect([listAnnouncements(lit, words).length, movementText(lit, words)]).toEqual([1, null]);
  const passed: CaptureScreen = { ...screen, prompt: 'guide.lookAhead', progress: { number: 3, total: 3, share: 1 } };
  expect([listAnnouncements(passed, words).length, movementText(passed, words)]).toEqual([1, null]);
  expect(listAnnouncements({ ...screen, paused: true }, words)).toEqual([expect.stringContaining('paused')]);
});

it('announces the side of a document, so that a change is heard', async () => {
  const words = await loadLanguage('en');
  const screen: DocumentCaptureScreen = {
    name: 'document_capture',
    kind: 'card',
    side: 'portrait',
    prompt: 'scan.fitPortrait',
    tone: 'do',
    paused: false,
    progress: { number: 1, total: 2, share: 0 },
  };
  const second: DocumentCaptureScreen = { ...screen, side: 'zone', progress: { number: 2, total: 2, share: 0 } };
  expect(listAnnouncements(screen, words)[1]).toBe('Side 1 of 2');
  expect(listAnnouncements({ ...screen, prompt: 'scan.blur' }, words)[1]).toBe('Side 1 of 2');
  expect(listAnnouncements(second, words)[1]).toBe('Side 2 of 2');
  expect(listAnnouncements({ ...second, progress: { number: 1, total: 1, share: 0 } }, words)).toHaveLength(1);
  expect(listAnnouncements({ ...second, paused: true }, words)).toEqual([expect.stringContaining('paused')]);
});

it('announces the remaining tries, unless none was used up', async () => {
  const words = await loadLanguage('en');
  const screen = { name: 'document_problem', problem: 'unreadable', triesLeft: 2 } as const;
  expect(listAnnouncements(screen, words)[1]).toBe('You have 2 more tries.');
  expect(listAnnouncements({ ...screen, problem: 'unusable_file' }, words)).toHaveLength(1);
});

it('announces the remaining tries after a failed comparison, and the wait after too many', async () => {
  const words = await loadLanguage('en');
  expect(listAnnouncements({ name: 'not_recognized', triesLeft: 2, isEnrolment: false }, words)).toEqual([
    'Look straight into the camera in good light, without glasses or a mask, and try again.',
    'You have 2 more tries.',
  ]);
  expect(listAnnouncements({ name: 'wait', minutesLeft: 3, isEnrolment: false }, words).at(-1)).toBe(
    'You can try again in 3 minutes.',
  );
  expect(listAnnouncements({ name: 'wait', minutesLeft: 0, isEnrolment: false }, words).at(-1)).toBe(
    'You can try again now.',
  );
  expect(listAnnouncements({ name: 'end', how: 'throttled', redirectUrl: null, minutesLeft: 60 }, words)).toEqual([
    'There have been too many tries.',
    'You can try again in 60 minutes.',
  ]);
});
