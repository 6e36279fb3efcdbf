import { expect, test } from 'vitest';
import { HONEST_CAMERAS, INJECTED_STREAMS } from '../../../testing/camera-fixtures.ts';
import { settle } from '../../../testing/fakes/fake-flow.ts';
import { createFakePlatform } from '../../../testing/fakes/fake-platform.ts';
import { createCameraWitness } from './camera-witness.ts';
import type { FrameMark } from './frame-mark.ts';

const HONEST = HONEST_CAMERAS['a webcam with jitter of several milliseconds']!;
const STANDING = INJECTED_STREAMS['frames that all have the same time']!;

interface Manner {
  apply?: (wanted: MediaTrackConstraints) => Promise<unknown>;
}

/** Creates a camera of thirty frames a second on a clock that the test advances. */
function start({ apply = async () => undefined }: Manner = {}) {
  const platform = createFakePlatform();
  const witness = createCameraWitness(platform);
  const asked: MediaTrackConstraints[] = [];
  const settings = { ...HONEST.track.settings };
  const track = {
    getSettings: () => settings,
    getCapabilities: () => HONEST.track.capabilities,
    getConstraints: () => ({ width: { ideal: 1280 }, frameRate: { ideal: 30 } }),
    // Bound, so its text is hidden like that of a native function.
    applyConstraints: (async (wanted: MediaTrackConstraints) => {
      asked.push(wanted);
      const { frameRate } = wanted;
      settings.frameRate = (frameRate as ConstrainDoubleRange).max ?? 30;
      await apply(wanted);
    }).bind(null),
  };
  const createStream = (track: unknown) => ({ getVideoTracks: () => [track] }) as unknown as MediaStream;
  let count = 0;
  const blank: Omit<FrameMark, 'readAt' | 'count'> = {
    presentedAt: null,
    capturedAt: null,
    mediaMs: null,
    width: 1280,
    height: 720,
  };
  async function pass(ms: number, rate: number) {
    for (let passed = 0; passed < ms; passed += 1_000 / rate) {
      platform.pass(1_000 / rate);
      count += 1;
      witness.note({ ...blank, readAt: platform.now(), count });
      await settle();
    }
  }
  witness.begin(createStream(track));
  return { witness, platform, asked, pass, track, createStream };
}

test('raises no sign for an honest stream, and keeps the signs of an earlier stream', () => {
  const { witness, track, createStream } = start();
  for (const mark of HONEST.marks) witness.note(mark);
  witness.see({ light: HONEST.light });
  expect(witness.signs()).toEqual([]);
  witness.begin(createStream({ ...track }));
  for (const mark of STANDING.marks) witness.note(mark);
  witness.begin(createStream({ ...track }));
  for (const mark of HONEST.marks) witness.note(mark);
  expect(witness.signs()).toEqual(['standing_clock']);
});

test('neither fails nor raises a sign for a stream without a track or with one that throws', () => {
  const { witness, createStream } = start();
  witness.begin({} as MediaStream);
  witness.ask();
  expect(witness.signs()).toEqual([]);
  const fail = () => {
    throw new Error('no');
  };
  witness.begin(createStream({ getSettings: fail, getCapabilities: fail, applyConstraints: fail.bind(null) }));
  witness.ask();
  expect(witness.signs()).toEqual([]);
});

test('restores the first rate of a camera that slowed down on request', async () => {
  const { witness, platform, asked, pass } = start();
  await pass(2_000, 30);
  witness.ask();
  await pass(1_200, 15);
  expect(asked).toEqual([
    { width: { ideal: 1280 }, frameRate: { ideal: 15, max: 15 } },
    { width: { ideal: 1280 }, frameRate: { ideal: 30 } },
  ]);
  expect(witness.signs()).toEqual([]);
  expect(platform.timers).toBe(0);
});

test('raises a sign if the camera agrees and changes nothing', async () => {
  const { witness, asked, pass } = start();
  await pass(2_000, 30);
  witness.ask();
  // Ignored while a request is pending.
  witness.ask();
  await pass(1_200, 30);
  expect(asked).toHaveLength(2);
  expect(witness.signs()).toEqual(['request_ignored']);
});

test('restores the first rate without waiting for an answer', async () => {
  const { witness, platform, asked, pass } = start({ apply: () => new Promise(() => {}) });
  await pass(2_000, 30);
  witness.ask();
  await pass(800, 30);
  expect(asked).toHaveLength(2);
  expect(witness.signs()).toEqual([]);
  expect(platform.timers).toBe(0);
});

test('raises a sign for a refusal that no browser gives', async () => {
  const { witness, pass } = start({ apply: () => Promise.reject('never') });
  witness.ask();
  await pass(800, 30);
  expect(witness.signs()).toEqual(['request_ignored']);
});

test('leaves no timer and raises no sign if the step ends during a request', async () => {
  const { witness, platform, asked, pass } = start();
  await pass(2_000, 30);
  witness.ask();
  await settle();
  witness.stop();
  await settle();
  witness.stop();
  await settle();
  expect([platform.timers, asked.length]).toEqual([0, 2]);
  expect(witness.signs()).toEqual([]);
});

test('keeps the sign of repeated pictures', () => {
  const { witness } = start();
  witness.see({ repeats: true, light: 120 });
  witness.see({ light: null });
  expect(witness.signs()).toEqual(['repeated_noise']);
});
