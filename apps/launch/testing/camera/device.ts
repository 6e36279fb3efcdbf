// The cameras as the page meets them: the browser's functions for cameras, answered by canvases that are drawn on.
import { createDocumentStage, type DocumentStage } from './document-stage.ts';
import { createLens, type Lens } from './lens.ts';
import type { CameraData, DocumentShots, Scene } from './scenes.ts';
import { createStage } from './stage.ts';

/** What a request for the camera meets with. */
export type Answer = 'stream' | 'NotAllowedError' | 'NotFoundError' | 'NotReadableError' | 'nothing';

export interface CameraFigures {
  /** Whatever came of it. */
  timesAsked: number;
  timesOpened: number;
  /** What each that was opened was to look at: `user`, or `environment`. */
  facing: string[];
  isOff: boolean;
  frames: number;
  /** Of the page's thread, for drawing. */
  msPerFrame: number;
}

export interface DeviceOnPage {
  show(scene: Scene): void;
  /** Only where there was a document from the beginning. */
  lay(document: DocumentShots): Promise<void>;
  /** Requests that wait for an answer get it too. */
  answer(answer: Answer): void;
  unplug(): void;
  measure(): CameraFigures;
}

const FRONT = { deviceId: 'limen-front', label: 'Front Camera', facingMode: 'user' } as const;
const REAR = { deviceId: 'limen-rear', label: 'Back Camera', facingMode: 'environment' } as const;

export function installDevice(data: CameraData): DeviceOnPage {
  const waiting: (() => void)[] = [];
  const facing: string[] = [];
  let answer: Answer = 'stream';
  let { scene, document: laid } = data;
  let documents: DocumentStage | undefined;
  let asked = 0;

  const front = createLens({
    settings: FRONT,
    manner: data.manner,
    size: data.size,
    framesPerSecond: data.framesPerSecond,
    async prepare(onto) {
      const stage = await createStage(data, onto);
      return (nowMs) => {
        stage.scene = scene;
        stage.draw(readFromPage('data-prompt'), nowMs);
      };
    },
  });
  const rear =
    laid &&
    createLens({
      settings: REAR,
      manner: 'honest',
      size: laid.size,
      framesPerSecond: data.framesPerSecond,
      async prepare(onto) {
        const stage = createDocumentStage(onto);
        documents = stage;
        await stage.lay(laid!);
        return (nowMs) => stage.draw(readFromPage('data-side'), nowMs);
      },
    });
  const lenses: Lens[] = rear ? [front, rear] : [front];

  const listTracks = () => lenses.flatMap(({ tracks }) => tracks);
  const isOff = () => listTracks().every(({ readyState }) => readyState === 'ended');
  const sum = (figure: 'frames' | 'drawingMs') => lenses.reduce((total, lens) => total + lens[figure], 0);

  async function open({ video }: MediaStreamConstraints = {}): Promise<MediaStream> {
    asked += 1;
    while (answer === 'nothing') await new Promise<void>((resolve) => waiting.push(resolve));
    if (answer !== 'stream') throw new DOMException('The test camera says so', answer);
    const wanted = typeof video === 'object' ? video.facingMode : undefined;
    const stream = await (wanted === 'environment' && rear ? rear : front).open();
    facing.push(String(wanted));
    return stream;
  }

  /** As browsers do: no names until a camera was opened. */
  async function list(): Promise<MediaDeviceInfo[]> {
    if (answer === 'NotFoundError') return [];
    return (rear ? [FRONT, REAR] : [FRONT]).map(({ deviceId, label }) => {
      const told = facing.length > 0 ? { deviceId, label, groupId: 'limen' } : { deviceId: '', label: '', groupId: '' };
      return { ...told, kind: 'videoinput', toJSON: () => told };
    });
  }

  // Absent on a page that is not served securely, as it should be.
  const { mediaDevices } = navigator;
  if (mediaDevices) Object.assign(mediaDevices, { getUserMedia: open, enumerateDevices: list });

  return {
    show(next) {
      scene = next;
    },
    async lay(next) {
      laid = next;
      await documents?.lay(next);
    },
    answer(next) {
      answer = next;
      for (const resume of waiting.splice(0)) resume();
    },
    unplug() {
      answer = 'NotFoundError';
      for (const track of listTracks().filter(({ readyState }) => readyState === 'live')) {
        // A page that stops a track is not told, one that loses it is.
        track.stop();
        track.dispatchEvent(new Event('ended'));
      }
      mediaDevices.dispatchEvent(new Event('devicechange'));
    },
    measure: () => ({
      timesAsked: asked,
      timesOpened: facing.length,
      facing,
      isOff: isOff(),
      frames: sum('frames'),
      msPerFrame: sum('drawingMs') / Math.max(sum('frames'), 1),
    }),
  };
}

function readFromPage(attribute: string): string | null {
  return document.querySelector(`[${attribute}]`)?.getAttribute(attribute) ?? null;
}
