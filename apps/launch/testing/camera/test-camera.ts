// A camera for browser journeys: it shows a scene of our choice and does what the page asks for. Never shipped.
import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { build } from 'vite';
import { openModels } from '../models.ts';
import type { Answer, CameraFigures, installDevice } from './device.ts';
import { keepPictures } from './keep-pictures.ts';
import type { CameraData, DocumentShots, Scene, Size, StreamManner } from './scenes.ts';
import { cutRoom, findSitter, type Portrait, seat } from './sitters.ts';

export interface CameraOptions {
  scene: Scene;
  manner?: StreamManner;
  size?: Size;
  /** Of the camera that looks at the person: few, as in a dark room, unless the test is about speed. */
  framesPerSecond?: number;
  /** How long a person holds what they are asked for, before they try again. */
  holdMs?: number;
  portrait?: Portrait;
  /** For the camera that looks away from the person. Without one there is a single camera, as on a computer. */
  document?: DocumentShots;
}

/** A page in whichever browser. */
interface Evaluating {
  evaluate(expression: string): Promise<unknown>;
}

export interface TestCamera {
  /** What makes it one, for a page that runs this before its own scripts. */
  script: string;
  /** For every page that the context opens from now on. A page that is loaded anew has the camera as it was made. */
  install(context: BrowserContext): Promise<void>;
  drive(page: Evaluating): CameraDriver;
}

export interface CameraDriver {
  show(scene: Scene): Promise<void>;
  /** In place of the document that was there. */
  lay(document: DocumentShots): Promise<void>;
  /** The camera in use is gone, and no other is there. */
  unplug(): Promise<void>;
  /** Whoever asks gets it, also who is waiting since `hang`. */
  plugIn(): Promise<void>;
  refuse(): Promise<void>;
  missing(): Promise<void>;
  busy(): Promise<void>;
  /** The browser's question stays unanswered. */
  hang(): Promise<void>;
  timesOpened(): Promise<number>;
  isOff(): Promise<boolean>;
  measure(): Promise<CameraFigures>;
}

/** Who sits before the camera, of the sample photos: looks ahead, stands alone, and all four movements are read well, also at five frames a second. */
export const MAIN: Portrait = { sample: 5, place: 1 };
const OTHER: Portrait = { sample: 6, place: 1 };
/** Height of the face ÷ shorter side of the frame. */
const NEAR = 0.42;
const FAR = 0.2;
/** The page looks at no more than this of the shorter side; so no more is drawn. */
const SHORTER_SIDE = 480;
const FEW_FRAMES = 6;
/** Longer than people need: a busy machine looks at three frames a second. */
const HOLD_MS = 1_200;
const GLOBAL = 'limenTestCamera';

export async function createTestCamera(options: CameraOptions): Promise<TestCamera> {
  const { scene, manner = 'honest', size = { width: 640, height: 480 }, portrait = MAIN, document = null } = options;
  const { framesPerSecond = FEW_FRAMES, holdMs = HOLD_MS } = options;
  const data: CameraData = {
    scene,
    manner,
    size,
    framesPerSecond,
    holdMs,
    document,
    ...(await preparePictures(size, portrait)),
  };
  const content = `${await bundleDevice()}\nglobalThis.${GLOBAL} = ${GLOBAL}Parts.installDevice(${JSON.stringify(data)});`;
  return {
    script: content,
    install: async (context) => {
      await context.addInitScript({ content });
    },
    drive,
  };
}

function drive(page: Evaluating): CameraDriver {
  // As text: functions of a test are compiled for the test.
  const call = (method: keyof ReturnType<typeof installDevice>, ...values: (string | DocumentShots)[]) =>
    page.evaluate(`${GLOBAL}.${method}(${values.map((value) => JSON.stringify(value)).join()})`);
  const answer = async (value: Answer) => void (await call('answer', value));
  const measure = async () => (await call('measure')) as CameraFigures;
  return {
    show: async (scene) => void (await call('show', scene)),
    lay: async (document) => void (await call('lay', document)),
    unplug: async () => void (await call('unplug')),
    plugIn: () => answer('stream'),
    refuse: () => answer('NotAllowedError'),
    missing: () => answer('NotFoundError'),
    busy: () => answer('NotReadableError'),
    hang: () => answer('nothing'),
    timesOpened: async () => (await measure()).timesOpened,
    isOff: async () => (await measure()).isOff,
    measure,
  };
}

type Pictures = Omit<CameraData, 'scene' | 'manner' | 'size' | 'document' | 'framesPerSecond' | 'holdMs'>;
const prepared = new Map<string, Promise<Pictures>>();

function preparePictures(size: Size, portrait: Portrait): Promise<Pictures> {
  const key = JSON.stringify([size, portrait]);
  const files = 'file' in portrait ? [portrait.file] : [];
  const pictures = prepared.get(key) ?? keepPictures({ name: key, files }, () => drawPictures(size, portrait));
  prepared.set(key, pictures);
  return pictures;
}

let opened: ReturnType<typeof openModels> | undefined;

async function drawPictures({ width, height }: Size, portrait: Portrait): Promise<Pictures> {
  opened ??= openModels(['detect', 'landmarks', 'eye']);
  const models = await opened;
  const scale = Math.min(SHORTER_SIDE / Math.min(width, height), 1);
  const size = { width: Math.round(width * scale), height: Math.round(height * scale) };
  const main = await findSitter(models, portrait);
  return {
    main: await seat(models, main, size, NEAR),
    other: await seat(models, await findSitter(models, OTHER), size, NEAR),
    far: await seat(models, main, size, FAR),
    room: await cutRoom(size),
  };
}

let bundled: Promise<string> | undefined;

/** The page's part as one script, with the drawing code that the other tests use. */
function bundleDevice(): Promise<string> {
  bundled ??= buildScript(join(import.meta.dirname, 'device.ts'));
  return bundled;
}

async function buildScript(entry: string): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: 'error',
    build: { write: false, minify: false, lib: { entry, formats: ['iife'], name: `${GLOBAL}Parts` } },
  });
  const [output] = Array.isArray(result) ? result : [result];
  if (!output || !('output' in output)) throw new Error('The test camera was not built');
  return output.output[0].code;
}
