// One camera of the device: a canvas that is drawn while someone watches, with the properties of a
// camera.
import type { Size, StreamManner } from './scenes.ts';

export interface LensOptions {
  settings: { deviceId: string; label: string; facingMode: 'user' | 'environment' };
  manner: StreamManner;
  size: Size;
  framesPerSecond: number;
  /** Runs before the first frame. Returns the function that draws a frame. */
  prepare(onto: CanvasRenderingContext2D): Promise<(nowMs: number) => void>;
}

export interface Lens {
  readonly tracks: MediaStreamTrack[];
  readonly frames: number;
  readonly drawingMs: number;
  open(): Promise<MediaStream>;
}

/** Reported rate; the actual rate may be lower. */
const FRAME_RATE = 15;
/** GNOME's WebKit shows the first two pictures of a canvas forever unless it has a frame rate. */
const IS_WEBKIT = navigator.vendor.startsWith('Apple');
/** Jitter as a share of the frame interval, because no camera is exact. */
const JITTER = 0.2;
/** Limits drawing to a quarter of the main thread by slowing the frame rate. */
const PAUSE_SHARE = 3;
/** Number of pictures in a repeating stream. */
const SHOWN_AGAIN = { frozen: 1, looped: 8 };

export function createLens({ settings, manner, size, framesPerSecond, prepare }: LensOptions): Lens {
  const tracks: MediaStreamTrack[] = [];
  const { label, ...own } = settings;
  let canvas: HTMLCanvasElement | null = null;
  let drawing: Promise<(nowMs: number) => void> | null = null;
  let isDrawing = false;
  let frames = 0;
  let drawingMs = 0;
  let frameRate = FRAME_RATE;

  async function applyConstraints(wanted: MediaTrackConstraints = {}): Promise<void> {
    if (manner === 'deaf') throw new Error('The test camera rejects the request');
    const { frameRate: rate } = wanted;
    const most = typeof rate === 'object' ? (rate.exact ?? rate.max ?? rate.ideal) : rate;
    frameRate = Math.min(most ?? FRAME_RATE, FRAME_RATE);
  }

  function getCapabilities(): MediaTrackCapabilities {
    const [width, height] = [
      { min: 1, max: size.width },
      { min: 1, max: size.height },
    ];
    return {
      deviceId: own.deviceId,
      facingMode: [own.facingMode],
      width,
      height,
      frameRate: { min: 0, max: FRAME_RATE },
    };
  }

  function prepareTrack(track: MediaStreamTrack): MediaStreamTrack {
    const clone = track.clone.bind(track);
    // Removes the functions of canvas tracks that no camera track has.
    Object.setPrototypeOf(track, MediaStreamTrack.prototype);
    Object.defineProperty(track, 'label', { value: label });
    Object.assign(track, {
      getSettings: () => ({ ...own, ...size, frameRate }),
      getCapabilities,
      // Bound, so that its text looks native.
      applyConstraints: applyConstraints.bind(null),
      clone: () => prepareTrack(clone()),
    });
    tracks.push(track);
    return track;
  }

  function keepDrawing(draw: (nowMs: number) => void): void {
    isDrawing = tracks.some(({ readyState }) => readyState === 'live');
    if (!isDrawing) return;
    const start = performance.now();
    draw(start);
    const spentMs = performance.now() - start;
    frames += 1;
    drawingMs += spentMs;
    const frameMs = (1000 / Math.min(framesPerSecond, frameRate)) * (1 + JITTER * (Math.random() - 0.5));
    setTimeout(() => keepDrawing(draw), Math.max(frameMs - spentMs, spentMs * PAUSE_SHARE));
  }

  async function prepareCanvas(onto: HTMLCanvasElement): Promise<(nowMs: number) => void> {
    const context = onto.getContext('2d', { willReadFrequently: true })!;
    const draw = await prepare(context);
    return manner === 'frozen' || manner === 'looped' ? repeatFrames(context, draw, SHOWN_AGAIN[manner]) : draw;
  }

  return {
    tracks,
    get frames() {
      return frames;
    },
    get drawingMs() {
      return drawingMs;
    },
    async open() {
      canvas ??= Object.assign(document.createElement('canvas'), size);
      drawing ??= prepareCanvas(canvas);
      const draw = await drawing;
      const stream = IS_WEBKIT ? canvas.captureStream(FRAME_RATE) : canvas.captureStream();
      for (const track of stream.getVideoTracks()) prepareTrack(track);
      if (!isDrawing) keepDrawing(draw);
      return stream;
    },
  };
}

/** Draws the first frames and repeats them from then on. */
function repeatFrames(
  context: CanvasRenderingContext2D,
  draw: (nowMs: number) => void,
  length: number,
): (nowMs: number) => void {
  const { width, height } = context.canvas;
  const kept: ImageData[] = [];
  let frame = 0;
  return (nowMs) => {
    frame += 1;
    if (kept.length < length) {
      draw(nowMs);
      kept.push(context.getImageData(0, 0, width, height));
    } else context.putImageData(kept[frame % length]!, 0, 0);
  };
}
