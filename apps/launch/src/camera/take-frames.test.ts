import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CameraStalledError, fitFrame, startVideo } from './take-frames.ts';

const track = { muted: false, readyState: 'live' };
const STREAM = { getVideoTracks: () => [track] } as unknown as MediaStream;
const signal = new AbortController().signal;

beforeEach(() => {
  Object.assign(track, { muted: false, readyState: 'live' });
  vi.useFakeTimers();
  vi.stubGlobal('createImageBitmap', async (_video: unknown, size: object) => size);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** With or without word of new frames. */
function createVideo({ tells = true, play = async () => {} } = {}) {
  let look: (() => void) | undefined;
  const quality = { totalVideoFrames: 0 };
  const video = { readyState: 4, videoWidth: 1280, videoHeight: 720, currentTime: 0, srcObject: null as unknown, play };
  Object.assign(video, { getVideoPlaybackQuality: () => quality });
  const request = (callback: () => void) => {
    look = callback;
    return 7;
  };
  const cancel = vi.fn(() => {
    look = undefined;
  });
  if (tells) Object.assign(video, { requestVideoFrameCallback: request, cancelVideoFrameCallback: cancel });
  vi.stubGlobal('requestAnimationFrame', request);
  vi.stubGlobal('cancelAnimationFrame', cancel);
  return { video, quality, element: video as unknown as HTMLVideoElement, look: () => look?.(), cancel };
}

/** Whether it is settled when everything else had its turn. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const state = Promise.race([promise.then(() => false), vi.advanceTimersByTimeAsync(0).then(() => true)]);
  return state;
}

describe('frames', () => {
  test('are each taken once: the newest that is there, or the next', async () => {
    const { element, look } = createVideo();
    const frames = await startVideo(element, STREAM, signal, 480);
    look();
    look();
    expect(await frames.next(signal)).toEqual({ resizeWidth: 853, resizeHeight: 480 });
    const second = frames.next(signal);
    expect(await isPending(second)).toBe(true);
    look();
    await second;
  });

  test('are known by the clock of the picture where the browser does not tell', async () => {
    const { element, video, look } = createVideo({ tells: false });
    const frames = await startVideo(element, STREAM, signal, 480);
    const first = frames.next(signal);
    look();
    expect(await isPending(first)).toBe(true);
    video.currentTime = 0.04;
    look();
    await first;
  });

  test('are not taken before the first picture is there, though the clock runs', async () => {
    const { element, video } = createVideo();
    video.readyState = 1;
    const frames = await startVideo(element, STREAM, signal, 480);
    const first = frames.next(signal);
    video.currentTime = 1.2;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await isPending(first)).toBe(true);
    video.readyState = 2;
    await vi.advanceTimersByTimeAsync(5_000);
    await first;
  });

  test('stop with the source, which lets the stream go', async () => {
    const { element, video, cancel } = createVideo();
    const frames = await startVideo(element, STREAM, signal, 480);
    expect(video.srcObject).toBe(STREAM);
    frames.stop();
    expect(cancel).toHaveBeenCalledWith(7);
    expect(video.srcObject).toBeNull();
  });

  test('that the page was not told of are taken all the same: a busy device is no stopped camera', async () => {
    const { element, quality } = createVideo();
    const frames = await startVideo(element, STREAM, signal, 480);
    const first = frames.next(signal);
    quality.totalVideoFrames += 1;
    await vi.advanceTimersByTimeAsync(1_000);
    await first;
  });

  test('that come late on a slow device are waited for while the track says that the camera is on', async () => {
    const { element, look } = createVideo();
    const frames = await startVideo(element, STREAM, signal, 480);
    const first = frames.next(signal);
    await vi.advanceTimersByTimeAsync(25_000);
    look();
    await first;
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([
    ['never come', () => {}, 30_000],
    ['the track itself says it has none', () => Object.assign(track, { muted: true }), 8_000],
    ['the track has ended', () => Object.assign(track, { readyState: 'ended' }), 1_000],
  ])('are of a camera that stands still where they %s', async (_how, happen, afterMs) => {
    const { element, look } = createVideo();
    const frames = await startVideo(element, STREAM, signal, 480);
    happen();
    const first = frames.next(signal);
    const refused = expect(first).rejects.toBeInstanceOf(CameraStalledError);
    await vi.advanceTimersByTimeAsync(afterMs - 1_000);
    expect(await isPending(first.catch(() => {}))).toBe(true);
    await vi.advanceTimersByTimeAsync(1_000);
    await refused;
    look();
    await frames.next(signal);
  });

  test('are waited for anew after a moment in which the track had none', async () => {
    const { element, look } = createVideo();
    const frames = await startVideo(element, STREAM, signal, 480);
    const first = frames.next(signal);
    track.muted = true;
    await vi.advanceTimersByTimeAsync(7_000);
    track.muted = false;
    await vi.advanceTimersByTimeAsync(7_000);
    track.muted = true;
    await vi.advanceTimersByTimeAsync(7_000);
    look();
    await first;
  });

  test('are not waited for after the signal', async () => {
    const { element } = createVideo();
    const frames = await startVideo(element, STREAM, signal, 480);
    const control = new AbortController();
    const first = frames.next(control.signal);
    control.abort('enough');
    await expect(first).rejects.toBe('enough');
    await expect(frames.next(control.signal)).rejects.toBe('enough');
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a picture', () => {
  test('that never begins is a camera that stands still', async () => {
    const { element } = createVideo({ play: () => new Promise(() => {}) });
    const refused = expect(startVideo(element, STREAM, signal, 480)).rejects.toBeInstanceOf(CameraStalledError);
    await vi.advanceTimersByTimeAsync(30_000);
    await refused;
  });

  test('that is given up before it begins leaves the element empty, and no timer', async () => {
    const { element, video } = createVideo({ play: () => new Promise(() => {}) });
    const control = new AbortController();
    const starting = startVideo(element, STREAM, control.signal, 480);
    expect(video.srcObject).toBe(STREAM);
    control.abort('enough');
    await expect(starting).rejects.toBe('enough');
    expect(video.srcObject).toBeNull();
    expect(vi.getTimerCount()).toBe(0);
    await expect(startVideo(element, STREAM, control.signal, 480)).rejects.toBe('enough');
    expect(video.srcObject).toBeNull();
  });

  test('that the browser refuses to play says why, and leaves no timer', async () => {
    const { element } = createVideo({ play: () => Promise.reject(new Error('not now')) });
    await expect(startVideo(element, STREAM, signal, 480)).rejects.toThrow('not now');
    expect(vi.getTimerCount()).toBe(0);
  });
});

test.each([
  [1280, 720, 480, 853, 480],
  [720, 1280, 480, 480, 853],
  [640, 480, 480, 640, 480],
  [480, 640, 480, 480, 640],
  [320, 240, 480, 320, 240],
  [1920, 1080, 1080, 1920, 1080],
  [3840, 2160, 1080, 1920, 1080],
])('a frame of %i × %i, %i at most, is looked at with %i × %i', (width, height, most, resizeWidth, resizeHeight) => {
  expect(fitFrame(width, height, most)).toEqual({ resizeWidth, resizeHeight });
});
