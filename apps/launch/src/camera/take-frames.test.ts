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

/** Creates a video with or without frame callbacks. */
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

/** Returns whether the promise is still pending after all other tasks. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const state = Promise.race([promise.then(() => false), vi.advanceTimersByTimeAsync(0).then(() => true)]);
  return state;
}

describe('frames', () => {
  test('are each taken once: the newest available, or the next', async () => {
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

  test('are detected by the video’s clock in browsers without frame callbacks', async () => {
    const { element, video, look } = createVideo({ tells: false });
    const frames = await startVideo(element, STREAM, signal, 480);
    const first = frames.next(signal);
    look();
    expect(await isPending(first)).toBe(true);
    video.currentTime = 0.04;
    look();
    await first;
  });

  test('are not taken before the first picture, although the clock runs', async () => {
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

  test('stop with the source, which releases the stream', async () => {
    const { element, video, cancel } = createVideo();
    const frames = await startVideo(element, STREAM, signal, 480);
    expect(video.srcObject).toBe(STREAM);
    frames.stop();
    expect(cancel).toHaveBeenCalledWith(7);
    expect(video.srcObject).toBeNull();
  });

  test('are taken without a callback, because a busy device is not a stalled camera', async () => {
    const { element, quality } = createVideo();
    const frames = await startVideo(element, STREAM, signal, 480);
    const first = frames.next(signal);
    quality.totalVideoFrames += 1;
    await vi.advanceTimersByTimeAsync(1_000);
    await first;
  });

  test('are awaited on a slow device while the track is live', async () => {
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
    ['the track is muted', () => Object.assign(track, { muted: true }), 8_000],
    ['the track has ended', () => Object.assign(track, { readyState: 'ended' }), 1_000],
  ])('report a stalled camera when %s', async (_how, happen, afterMs) => {
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

  test('are awaited again after the track was muted for a moment', async () => {
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

  test('are not awaited after the signal', async () => {
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
  test('that never starts is reported as a stalled camera', async () => {
    const { element } = createVideo({ play: () => new Promise(() => {}) });
    const refused = expect(startVideo(element, STREAM, signal, 480)).rejects.toBeInstanceOf(CameraStalledError);
    await vi.advanceTimersByTimeAsync(30_000);
    await refused;
  });

  test('that is given up before it starts leaves an empty element and no timer', async () => {
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

  test('that the browser refuses to play rejects with the cause and leaves no timer', async () => {
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
])(
  'scales a frame of %i × %i with a shorter side of at most %i to %i × %i',
  (width, height, most, resizeWidth, resizeHeight) => {
    expect(fitFrame(width, height, most)).toEqual({ resizeWidth, resizeHeight });
  },
);
