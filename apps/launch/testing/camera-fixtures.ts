// Streams of real cameras and of programs that pose as one, each with the exact signs that it
// raises. Based on browser documentation and on streams measured in Chromium.

import { createRandom } from '@limen/face-geometry/testing/random.ts';
import type { CameraSign } from '@limen/plan';
import type { FrameMark } from '../src/camera/witness/frame-mark.ts';
import type { TrackFacts } from '../src/camera/witness/settings-mismatch.ts';

export interface CameraFixture {
  track: TrackFacts;
  marks: readonly FrameMark[];
  /** Brightness of the face. */
  light: number;
  raises: readonly CameraSign[];
}

interface StreamOptions {
  seconds?: number;
  /** Milliseconds between frames. */
  pace: (frame: number, random: () => number) => number;
  /** Jitter of the arrival and presentation times. */
  jitterMs?: number;
  showMs?: number;
  /** The page receives one of so many frames. */
  toldEvery?: number;
  /** Resolution of the page's clocks. */
  clockMs?: number;
  /** Values that the browser does not report. */
  without?: readonly ('capturedAt' | 'mediaMs' | 'presentedAt' | 'count')[];
  size?: readonly [width: number, height: number];
  /** Media time, if it differs from the capture time. */
  media?: (frame: number, atMs: number) => number;
  captured?: (frame: number, atMs: number) => number;
}

function stream(options: StreamOptions): FrameMark[] {
  const { seconds = 12, pace, jitterMs = 0, showMs = 2, toldEvery = 1, clockMs = 0.1 } = options;
  const { without = [], size = [1280, 720], media, captured } = options;
  const random = createRandom(7);
  const read = (ms: number) => Math.floor(ms / clockMs) * clockMs;
  const marks: FrameMark[] = [];
  let taken = 4_321.7;
  const end = taken + seconds * 1_000;
  for (let frame = 1; taken < end; frame += 1) {
    taken += pace(frame, random);
    const arrived = taken + random() * jitterMs;
    const shown = arrived + showMs + random() * jitterMs;
    if (frame % toldEvery !== 0) continue;
    const mark: FrameMark = {
      readAt: read(shown + 3 + random() * 9),
      presentedAt: read(shown),
      capturedAt: read(captured?.(frame, arrived) ?? arrived),
      mediaMs: media ? media(frame, taken) : taken - 4_000,
      count: frame,
      width: size[0],
      height: size[1],
    };
    for (const name of without) mark[name] = null;
    marks.push(mark);
  }
  return marks;
}

const LAPTOP: TrackFacts = {
  isSynthetic: false,
  settings: { width: 1280, height: 720, frameRate: 30, deviceId: 'a497' },
  capabilities: {
    width: { min: 1, max: 1280 },
    height: { min: 1, max: 720 },
    frameRate: { min: 0, max: 30.00003 },
    facingMode: [],
    deviceId: 'a497',
  },
};
const PHONE: TrackFacts = {
  isSynthetic: false,
  // Upright: the browser swaps the sides of the settings but not of the capabilities.
  settings: { width: 720, height: 1280, frameRate: 30, facingMode: 'user', deviceId: '17' },
  capabilities: {
    width: { min: 1, max: 3264 },
    height: { min: 1, max: 2448 },
    frameRate: { min: 0, max: 30 },
    facingMode: ['user'],
    deviceId: '17',
  },
};
const FIREFOX: TrackFacts = { ...PHONE, capabilities: null };

const THIRTIETH = 1_000 / 30;
const steady = (ms: number) => () => ms;

/** None of these may raise a sign. */
export const HONEST_CAMERAS: Readonly<Record<string, CameraFixture>> = {
  'a webcam with jitter of several milliseconds': {
    track: LAPTOP,
    light: 140,
    marks: stream({ pace: steady(THIRTIETH), jitterMs: 6 }),
    raises: [],
  },
  'a webcam that halves its rate in the dark, and halves it again': {
    track: LAPTOP,
    light: 60,
    marks: stream({ pace: (frame) => THIRTIETH * (frame < 90 ? 1 : frame < 150 ? 2 : 4), jitterMs: 3 }),
    raises: [],
  },
  'a webcam that takes five frames a second in a dark room': {
    track: LAPTOP,
    light: 50,
    marks: stream({ pace: steady(200), jitterMs: 3 }),
    raises: [],
  },
  'a phone whose rate follows the light': {
    track: PHONE,
    light: 150,
    marks: stream({ pace: (frame) => 37 + 7 * Math.sin(frame / 40), jitterMs: 1.5, size: [720, 1280] }),
    raises: [],
  },
  'a phone that is rotated during the stream': {
    track: PHONE,
    light: 150,
    marks: [
      ...stream({ pace: steady(THIRTIETH), jitterMs: 2, size: [720, 1280] }),
      ...stream({
        pace: steady(THIRTIETH),
        jitterMs: 2,
        size: [1280, 720],
        media: (frame) => 12_000 + frame * THIRTIETH,
      }),
    ].map((mark, i) => ({
      ...mark,
      readAt: i * THIRTIETH + (i % 10) / 10,
      count: i,
      presentedAt: i * THIRTIETH + (i % 7) / 5,
      capturedAt: i * THIRTIETH - 30 + (i % 9),
    })),
    raises: [],
  },
  'Safari, whose clock has whole milliseconds': {
    track: PHONE,
    light: 150,
    marks: stream({ pace: steady(THIRTIETH), jitterMs: 0.02, clockMs: 1, size: [720, 1280] }),
    raises: [],
  },
  'Safari with a camera of 25 frames a second and no time of capture': {
    track: PHONE,
    light: 150,
    marks: stream({ pace: steady(40), clockMs: 1, without: ['capturedAt'], size: [720, 1280] }),
    raises: [],
  },
  'Firefox, which reports neither capture times nor capabilities': {
    track: FIREFOX,
    light: 120,
    marks: stream({ pace: steady(THIRTIETH), jitterMs: 4, clockMs: 1, without: ['capturedAt'], size: [720, 1280] }),
    raises: [],
  },
  'Firefox that resists fingerprinting with a clock of 1/60 s': {
    track: FIREFOX,
    light: 120,
    marks: stream({ pace: steady(THIRTIETH), clockMs: 1_000 / 60, without: ['capturedAt'], size: [720, 1280] }),
    raises: [],
  },
  'a browser without frame callbacks': { track: LAPTOP, light: 120, marks: [], raises: [] },
  'a browser that does not count frames': {
    track: LAPTOP,
    light: 120,
    marks: stream({ pace: steady(THIRTIETH), jitterMs: 2, without: ['count'] }),
    raises: [],
  },
  'a page so busy that it receives every third frame': {
    track: LAPTOP,
    light: 140,
    marks: stream({ pace: steady(THIRTIETH), jitterMs: 5, toldEvery: 3 }),
    raises: [],
  },
  'a device so busy that frames are irregular': {
    track: LAPTOP,
    light: 140,
    marks: stream({ pace: (_frame, random) => THIRTIETH * Math.ceil(3 + random() * 9), jitterMs: 20 }),
    raises: [],
  },
  'a driver that quantizes the media time': {
    track: LAPTOP,
    light: 140,
    marks: stream({ pace: steady(THIRTIETH), jitterMs: 1, media: (frame) => frame * THIRTIETH }),
    raises: [],
  },
  'a browser that rounds the media time to milliseconds': {
    track: LAPTOP,
    light: 140,
    marks: stream({
      pace: steady(THIRTIETH),
      jitterMs: 1,
      media: (frame) => Math.round(frame * THIRTIETH),
      without: ['capturedAt'],
    }),
    raises: [],
  },
  'a camera with a perfect clock on an idle computer': {
    track: LAPTOP,
    light: 140,
    marks: stream({ pace: (_frame, random) => THIRTIETH + (random() - 0.5) * 0.02, jitterMs: 0.6 }),
    raises: [],
  },
  'a newly opened camera with an irregular start': {
    track: LAPTOP,
    light: 140,
    marks: stream({
      seconds: 3,
      pace: (frame, random) => (frame < 12 ? 20 + random() * 160 : THIRTIETH),
      jitterMs: 4,
      media: (frame, atMs) => (frame < 5 ? 0 : atMs - 4_000),
    }),
    raises: [],
  },
  'a laptop with a noise filter that gives 24 frames a second and reports 30': {
    track: LAPTOP,
    light: 130,
    marks: stream({ pace: steady(1_000 / 24), jitterMs: 3, showMs: 40 }),
    raises: [],
  },
  'a camera that was interrupted and restarts its count': {
    track: LAPTOP,
    light: 130,
    marks: stream({ pace: steady(THIRTIETH), jitterMs: 3, media: (frame) => (frame % 200) * THIRTIETH }),
    raises: [],
  },
};

export const INJECTED_STREAMS: Readonly<Record<string, CameraFixture>> = {
  'a canvas drawn by a timer': {
    track: { isSynthetic: true, settings: { width: 1280, height: 720, frameRate: 60 }, capabilities: {} },
    light: 140,
    // Half of the frames follow the timer; the others wait for the compositor.
    marks: stream({
      pace: (frame) => (frame % 3 === 0 ? 36.7 : frame % 3 === 1 ? 33 : 33.05),
      without: ['capturedAt'],
    }),
    raises: ['frame_timing', 'settings_mismatch'],
  },
  'a canvas with the name and settings of a camera': {
    track: LAPTOP,
    light: 140,
    marks: stream({ pace: (frame) => (frame % 3 === 0 ? 36.7 : 33), jitterMs: 0.05, without: ['capturedAt'] }),
    raises: ['frame_timing'],
  },
  'a program that writes frames every 33.333 milliseconds to the microsecond': {
    track: LAPTOP,
    light: 140,
    marks: stream({ pace: steady(THIRTIETH) }),
    raises: ['frame_timing'],
  },
  'frames from the future': {
    track: LAPTOP,
    light: 140,
    marks: stream({ pace: steady(THIRTIETH), jitterMs: 3, captured: (_frame, atMs) => atMs + 400 }),
    raises: ['frame_timing'],
  },
  'frames that all have the same time': {
    track: LAPTOP,
    light: 140,
    marks: stream({ pace: steady(THIRTIETH), jitterMs: 4, media: () => 0, without: ['capturedAt'] }),
    raises: ['standing_clock'],
  },
  'a looped clip with its own media time': {
    track: LAPTOP,
    light: 140,
    marks: stream({ pace: steady(THIRTIETH), jitterMs: 4, media: (frame) => (frame % 60) * THIRTIETH }),
    raises: ['standing_clock'],
  },
  'five frames a second of a bright face with a claimed rate of thirty': {
    track: LAPTOP,
    light: 140,
    marks: stream({ pace: steady(200), jitterMs: 4 }),
    raises: ['settings_mismatch'],
  },
  'a track without capabilities that claims to face the person': {
    track: { ...LAPTOP, settings: { ...LAPTOP.settings, facingMode: 'user' }, capabilities: {} },
    light: 140,
    marks: stream({ pace: steady(THIRTIETH), jitterMs: 4 }),
    raises: ['settings_mismatch'],
  },
  'a camera whose capabilities lack its facing mode': {
    track: { ...PHONE, capabilities: { ...PHONE.capabilities, facingMode: ['environment'] } },
    light: 140,
    marks: stream({ pace: steady(THIRTIETH), jitterMs: 4, size: [720, 1280] }),
    raises: ['settings_mismatch'],
  },
  'sixty frames a second of a camera with a maximum of thirty': {
    track: { ...LAPTOP, settings: { ...LAPTOP.settings, frameRate: 60 } },
    light: 140,
    marks: stream({ pace: steady(1_000 / 60), jitterMs: 4 }),
    raises: ['settings_mismatch'],
  },
  'frames with another aspect ratio than the settings': {
    track: LAPTOP,
    light: 140,
    marks: stream({ pace: steady(THIRTIETH), jitterMs: 4, size: [640, 480] }),
    raises: ['settings_mismatch'],
  },
};
