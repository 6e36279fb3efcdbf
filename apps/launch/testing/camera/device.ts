// The camera as the page meets it: the browser's functions for cameras, answered by a canvas on which a stage is drawn.
import type { CameraData, Scene } from './scenes.ts';
import { createStage, type Stage } from './stage.ts';

/** What a request for the camera meets with. */
export type Answer = 'stream' | 'NotAllowedError' | 'NotFoundError' | 'NotReadableError' | 'nothing';

export interface CameraFigures {
  /** Whatever came of it. */
  timesAsked: number;
  timesOpened: number;
  isOff: boolean;
  frames: number;
  /** Of the page's thread, for drawing. */
  msPerFrame: number;
}

export interface DeviceOnPage {
  show(scene: Scene): void;
  /** Requests that wait for an answer get it too. */
  answer(answer: Answer): void;
  unplug(): void;
  measure(): CameraFigures;
}

const FRAME_MS = 1000 / 6;
/** At most a quarter of the page's thread: where drawing takes long, frames come more slowly. */
const PAUSE_SHARE = 3;
const DEVICE = { deviceId: 'limen-front', groupId: 'limen', label: 'Front Camera' };

export function installDevice(data: CameraData): DeviceOnPage {
  const { width, height } = data.size;
  const tracks: MediaStreamTrack[] = [];
  const waiting: (() => void)[] = [];
  let answer: Answer = 'stream';
  let { scene } = data;
  let stage: Promise<Stage> | null = null;
  let canvas: HTMLCanvasElement | null = null;
  let isDrawing = false;
  let opened = 0;
  let frames = 0;
  let drawingMs = 0;
  let asked = 0;

  const isOff = () => tracks.every(({ readyState }) => readyState === 'ended');

  async function open(): Promise<MediaStream> {
    asked += 1;
    while (answer === 'nothing') await new Promise<void>((resolve) => waiting.push(resolve));
    if (answer !== 'stream') throw new DOMException('The test camera says so', answer);
    canvas ??= Object.assign(document.createElement('canvas'), { width, height });
    stage ??= createStage(data, canvas.getContext('2d')!);
    const ready = await stage;
    const stream = canvas.captureStream();
    for (const track of stream.getVideoTracks()) prepareTrack(track);
    opened += 1;
    if (!isDrawing) keepDrawing(ready);
    return stream;
  }

  function prepareTrack(track: MediaStreamTrack): MediaStreamTrack {
    const settings = { deviceId: DEVICE.deviceId, width, height, frameRate: 15, facingMode: 'user' };
    const clone = track.clone.bind(track);
    Object.defineProperty(track, 'label', { value: DEVICE.label });
    Object.assign(track, { getSettings: () => settings, clone: () => prepareTrack(clone()) });
    tracks.push(track);
    return track;
  }

  function keepDrawing(ready: Stage): void {
    isDrawing = !isOff();
    if (!isDrawing) return;
    const start = performance.now();
    ready.scene = scene;
    ready.draw(document.querySelector('[data-prompt]')?.getAttribute('data-prompt') ?? null, start);
    const spentMs = performance.now() - start;
    frames += 1;
    drawingMs += spentMs;
    setTimeout(() => keepDrawing(ready), Math.max(FRAME_MS - spentMs, spentMs * PAUSE_SHARE));
  }

  /** As browsers do: no names until a camera was opened. */
  async function list(): Promise<MediaDeviceInfo[]> {
    if (answer === 'NotFoundError') return [];
    const told = opened > 0 ? DEVICE : { deviceId: '', groupId: '', label: '' };
    return [{ ...told, kind: 'videoinput', toJSON: () => told }];
  }

  // Absent on a page that is not served securely, as it should be.
  const { mediaDevices } = navigator;
  if (mediaDevices) Object.assign(mediaDevices, { getUserMedia: open, enumerateDevices: list });

  return {
    show(next) {
      scene = next;
    },
    answer(next) {
      answer = next;
      for (const resume of waiting.splice(0)) resume();
    },
    unplug() {
      answer = 'NotFoundError';
      for (const track of tracks.filter(({ readyState }) => readyState === 'live')) {
        // A page that stops a track is not told, one that loses it is.
        track.stop();
        track.dispatchEvent(new Event('ended'));
      }
      mediaDevices.dispatchEvent(new Event('devicechange'));
    },
    measure: () => ({
      timesAsked: asked,
      timesOpened: opened,
      isOff: isOff(),
      frames,
      msPerFrame: drawingMs / Math.max(frames, 1),
    }),
  };
}
