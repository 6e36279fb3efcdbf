// A camera for browser journeys: shows a chosen scene and follows the page's prompts. Never
// shipped.
import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { build } from 'vite';
import { openModels } from '../models.ts';
import { cachePictures } from './cache-pictures.ts';
import type { Answer, CameraFigures, installDevice } from './device.ts';
import type { CameraData, DocumentShots, Scene, Size, StreamManner } from './scenes.ts';
import { cutRoom, findSitter, type Portrait, seat } from './sitters.ts';

export interface CameraOptions {
  scene: Scene;
  manner?: StreamManner;
  size?: Size;
  /** Rate of the front camera: low, as in a dark room, unless the test is about speed. */
  framesPerSecond?: number;
  /** How long a person holds a pose before trying again. */
  holdMs?: number;
  portrait?: Portrait;
  /** Document for the rear camera. Without one there is a single camera, as on a computer. */
  document?: DocumentShots;
}

/** A page of any browser. */
interface EvaluablePage {
  evaluate(expression: string): Promise<unknown>;
}

export interface TestCamera {
  /** Script that installs the camera. The page must run it before its own scripts. */
  script: string;
  /** Installs it for all later pages of the context. A reload resets the camera. */
  install(context: BrowserContext): Promise<void>;
  drive(page: EvaluablePage): CameraDriver;
}

export interface CameraDriver {
  show(scene: Scene): Promise<void>;
  lay(document: DocumentShots): Promise<void>;
  /** Removes the camera, with no other available. */
  unplug(): Promise<void>;
  /** Answers all requests, including those pending since `hang`. */
  plugIn(): Promise<void>;
  refuse(): Promise<void>;
  missing(): Promise<void>;
  busy(): Promise<void>;
  /** Leaves the browser's prompt open. */
  hang(): Promise<void>;
  timesOpened(): Promise<number>;
  isOff(): Promise<boolean>;
  measure(): Promise<CameraFigures>;
}

/** The person in front of the camera: all movements work even at five frames a second. */
export const MAIN: Portrait = { sample: 5, place: 1 };
const OTHER: Portrait = { sample: 6, place: 1 };
/** Height of the face relative to the frame's shorter side. */
const NEAR = 0.42;
const FAR = 0.2;
/** The page scales to this shorter side, so nothing larger is drawn. */
const SHORTER_SIDE = 480;
const FEW_FRAMES = 6;
/** Longer than people need, because a busy machine analyzes three frames a second. */
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

function drive(page: EvaluablePage): CameraDriver {
  // Sent as text, because functions of a test are compiled for the test.
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
  const pictures = prepared.get(key) ?? cachePictures({ name: key, files }, () => drawPictures(size, portrait));
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

/** Bundles the page's part with the shared drawing code into one script. */
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
