// Streams of cameras that people have, and of programs that pose as one, each with exactly the signs that it should raise.
// Put together from what browsers document and from streams that were measured in Chromium; the numbers are drawn.

import { createRandom } from '@limen/face-geometry/testing/random.ts';
import type { CameraSign } from '@limen/plan';
import type { FrameMark } from '../src/camera/witness/frame-mark.ts';
import type { TrackFacts } from '../src/camera/witness/settings-mismatch.ts';

export interface CameraFixture {
  track: TrackFacts;
  marks: readonly FrameMark[];
  /** How bright the face is. */
  light: number;
  raises: readonly CameraSign[];
}

interface StreamOptions {
  seconds?: number;
  /** Milliseconds from one frame to the next. */
  pace: (frame: number, random: () => number) => number;
  /** Of the time at which a frame arrives, and of the time at which it is shown. */
  jitterMs?: number;
  showMs?: number;
  /** The page is told of one frame in so many. */
  toldEvery?: number;
  /** All clocks of the page go in such steps. */
  clockMs?: number;
  /** What the browser does not say. */
  without?: readonly ('capturedAt' | 'mediaMs' | 'presentedAt' | 'count')[];
  size?: readonly [width: number, height: number];
  /** The stream's own time, if it is not when the frame was taken. */
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
  // Held upright: the browser swaps the sides of what it gives, not of what the camera can.
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

/** None of them may raise anything. */
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
  'a phone that is turned while it looks': {
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
  'Safari, whose clock knows whole milliseconds': {
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
  'Firefox, which says neither when a frame was taken nor what the camera can': {
    track: FIREFOX,
    light: 120,
    marks: stream({ pace: steady(THIRTIETH), jitterMs: 4, clockMs: 1, without: ['capturedAt'], size: [720, 1280] }),
    raises: [],
  },
  'a Firefox that resists fingerprinting: its clock goes in sixtieths of a second': {
    track: FIREFOX,
    light: 120,
    marks: stream({ pace: steady(THIRTIETH), clockMs: 1_000 / 60, without: ['capturedAt'], size: [720, 1280] }),
    raises: [],
  },
  'a browser that tells of no frames': { track: LAPTOP, light: 120, marks: [], raises: [] },
  'a browser that does not count frames': {
    track: LAPTOP,
    light: 120,
    marks: stream({ pace: steady(THIRTIETH), jitterMs: 2, without: ['count'] }),
    raises: [],
  },
  'a page so busy that it hears of every third frame': {
    track: LAPTOP,
    light: 140,
    marks: stream({ pace: steady(THIRTIETH), jitterMs: 5, toldEvery: 3 }),
    raises: [],
  },
  'a device so busy that frames come when they can': {
    track: LAPTOP,
    light: 140,
    marks: stream({ pace: (_frame, random) => THIRTIETH * Math.ceil(3 + random() * 9), jitterMs: 20 }),
    raises: [],
  },
  'a driver that puts the stream’s time on a grid': {
    track: LAPTOP,
    light: 140,
    marks: stream({ pace: steady(THIRTIETH), jitterMs: 1, media: (frame) => frame * THIRTIETH }),
    raises: [],
  },
  'a browser that rounds the stream’s time to whole milliseconds': {
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
  'a camera with the best of clocks, on a computer with nothing else to do': {
    track: LAPTOP,
    light: 140,
    marks: stream({ pace: (_frame, random) => THIRTIETH + (random() - 0.5) * 0.02, jitterMs: 0.6 }),
    raises: [],
  },
  'a camera that was just opened, and stumbles at first': {
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
  'a laptop behind a noise filter, which gives 24 frames a second and says 30': {
    track: LAPTOP,
    light: 130,
    marks: stream({ pace: steady(1_000 / 24), jitterMs: 3, showMs: 40 }),
    raises: [],
  },
  'a camera that the system took away and gave back, and counts anew': {
    track: LAPTOP,
    light: 130,
    marks: stream({ pace: steady(THIRTIETH), jitterMs: 3, media: (frame) => (frame % 200) * THIRTIETH }),
    raises: [],
  },
};

export const INJECTED_STREAMS: Readonly<Record<string, CameraFixture>> = {
  'a canvas that is drawn on at a timer’s pace': {
    track: { isSynthetic: true, settings: { width: 1280, height: 720, frameRate: 60 }, capabilities: {} },
    light: 140,
    // Half of them when the timer goes off, the others when the compositor is ready.
    marks: stream({
      pace: (frame) => (frame % 3 === 0 ? 36.7 : frame % 3 === 1 ? 33 : 33.05),
      without: ['capturedAt'],
    }),
    raises: ['frame_timing', 'settings_mismatch'],
  },
  'the same behind the name and the words of a camera': {
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
  'a looped clip that brings its time along': {
    track: LAPTOP,
    light: 140,
    marks: stream({ pace: steady(THIRTIETH), jitterMs: 4, media: (frame) => (frame % 60) * THIRTIETH }),
    raises: ['standing_clock'],
  },
  'five frames a second of a bright face, where thirty are claimed': {
    track: LAPTOP,
    light: 140,
    marks: stream({ pace: steady(200), jitterMs: 4 }),
    raises: ['settings_mismatch'],
  },
  'a track without capabilities that claims to look at the person': {
    track: { ...LAPTOP, settings: { ...LAPTOP.settings, facingMode: 'user' }, capabilities: {} },
    light: 140,
    marks: stream({ pace: steady(THIRTIETH), jitterMs: 4 }),
    raises: ['settings_mismatch'],
  },
  'a camera that looks at the person and cannot': {
    track: { ...PHONE, capabilities: { ...PHONE.capabilities, facingMode: ['environment'] } },
    light: 140,
    marks: stream({ pace: steady(THIRTIETH), jitterMs: 4, size: [720, 1280] }),
    raises: ['settings_mismatch'],
  },
  'sixty frames a second of a camera that can thirty': {
    track: { ...LAPTOP, settings: { ...LAPTOP.settings, frameRate: 60 } },
    light: 140,
    marks: stream({ pace: steady(1_000 / 60), jitterMs: 4 }),
    raises: ['settings_mismatch'],
  },
  'a picture of another shape than its settings say': {
    track: LAPTOP,
    light: 140,
    marks: stream({ pace: steady(THIRTIETH), jitterMs: 4, size: [640, 480] }),
    raises: ['settings_mismatch'],
  },
};
