// Replaces the browser's camera functions. The cameras are canvases that are drawn on.
import { createDocumentStage, type DocumentStage } from './document-stage.ts';
import { createLens, type Lens } from './lens.ts';
import type { CameraData, DocumentShots, Scene } from './scenes.ts';
import { createStage } from './stage.ts';

export type Answer = 'stream' | 'NotAllowedError' | 'NotFoundError' | 'NotReadableError' | 'nothing';

export interface CameraFigures {
  /** Counts all requests, including failed ones. */
  timesAsked: number;
  timesOpened: number;
  /** Facing mode of each opened camera: `user` or `environment`. */
  facing: string[];
  isOff: boolean;
  frames: number;
  /** Time on the main thread for drawing. */
  msPerFrame: number;
}

export interface DeviceOnPage {
  show(scene: Scene): void;
  /** Requires a document from the start. */
  lay(document: DocumentShots): Promise<void>;
  /** Also answers pending requests. */
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
    if (answer !== 'stream') throw new DOMException('The test camera rejects the request', answer);
    const wanted = typeof video === 'object' ? video.facingMode : undefined;
    const stream = await (wanted === 'environment' && rear ? rear : front).open();
    facing.push(String(wanted));
    return stream;
  }

  /** Like browsers: no labels until a camera was opened. */
  async function list(): Promise<MediaDeviceInfo[]> {
    if (answer === 'NotFoundError') return [];
    return (rear ? [FRONT, REAR] : [FRONT]).map(({ deviceId, label }) => {
      const identity =
        facing.length > 0 ? { deviceId, label, groupId: 'limen' } : { deviceId: '', label: '', groupId: '' };
      return { ...identity, kind: 'videoinput', toJSON: () => identity };
    });
  }

  // Absent on an insecure page, as intended.
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
        // A page gets no event for tracks that it stops itself.
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
