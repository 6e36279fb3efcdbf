// One camera of the device: a canvas that is drawn on as long as anybody watches it.
import type { Size } from './scenes.ts';

export interface LensOptions {
  settings: { deviceId: string; label: string; facingMode: 'user' | 'environment' };
  size: Size;
  /** Before the first frame; what it gives draws one. */
  prepare(onto: CanvasRenderingContext2D): Promise<(nowMs: number) => void>;
}

export interface Lens {
  readonly tracks: MediaStreamTrack[];
  readonly frames: number;
  readonly drawingMs: number;
  open(): Promise<MediaStream>;
}

const FRAME_MS = 1000 / 6;
/** At most a quarter of the page's thread: where drawing takes long, frames come more slowly. */
const PAUSE_SHARE = 3;

export function createLens({ settings, size, prepare }: LensOptions): Lens {
  const tracks: MediaStreamTrack[] = [];
  let canvas: HTMLCanvasElement | null = null;
  let drawing: ReturnType<typeof prepare> | null = null;
  let isDrawing = false;
  let frames = 0;
  let drawingMs = 0;

  function prepareTrack(track: MediaStreamTrack): MediaStreamTrack {
    const { label, ...told } = { ...settings, ...size, frameRate: 15 };
    const clone = track.clone.bind(track);
    Object.defineProperty(track, 'label', { value: label });
    Object.assign(track, { getSettings: () => told, clone: () => prepareTrack(clone()) });
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
    setTimeout(() => keepDrawing(draw), Math.max(FRAME_MS - spentMs, spentMs * PAUSE_SHARE));
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
      drawing ??= prepare(canvas.getContext('2d')!);
      const draw = await drawing;
      const stream = canvas.captureStream();
      for (const track of stream.getVideoTracks()) prepareTrack(track);
      if (!isDrawing) keepDrawing(draw);
      return stream;
    },
  };
}
