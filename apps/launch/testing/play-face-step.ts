// Plays a face step with the shipped models in Node, on a simulated clock. The step and the
// worker's side are real; animated portraits sit in front of the camera.
import type { FacePlanStep, LogEntry, Movement } from '@limen/plan';
import type { Screen } from '../src/course/screens.ts';
import { type FaceModels, type Frame, MOVEMENT_LOOKS, type ModelRole, thresholdOf } from '../src/face/index.ts';
import { createFaceEngine } from '../src/models/face-engine.ts';
import type { FromWorker, ToWorker } from '../src/models/messages.ts';
import { serveRequests } from '../src/models/worker/serve-requests.ts';
import { type FaceOutcome, runFaceStep } from '../src/steps/face/face-step.ts';
import { createTally } from '../src/steps/face/tally.ts';
import { createActor, type MotionStyle } from './act.ts';
import type { PortraitRig } from './animate-portrait.ts';

export const PLAYED_ROLES = ['detect', 'landmarks', 'eye', 'liveness', 'embedding'] as const satisfies ModelRole[];

export interface Scene {
  /** Movements requested in the attempt so far. */
  asked: number;
  /** Whether all movements are done. */
  isAfter: boolean;
  /** Number of the attempt, from 1. */
  attempt: number;
}

export interface Play {
  challenges: readonly Movement[];
  /** Returns what the camera sees. */
  cast(scene: Scene): PortraitRig | Frame;
  manner?: MotionStyle;
  frameMs?: number;
}

export interface Played {
  outcome: FaceOutcome;
  log: LogEntry[];
  /** Number of measured faces. */
  embeddings: number;
}

const CHALLENGES = new Map<string, Movement>(
  Object.entries(MOVEMENT_LOOKS).map(([movement, { prompt }]) => [prompt, movement as Movement]),
);

export async function playFaceStep(models: FaceModels, { challenges, cast, manner, frameMs = 100 }: Play) {
  const step: FacePlanStep = {
    step: 'face',
    when: 'always',
    report: 'none',
    ageThreshold: 0,
    challenges: [...challenges],
    challengeMs: 15_000,
  };
  let embeddings = 0;
  const counted: FaceModels = {
    ...models,
    run(role, ...input) {
      if (role === 'embedding') embeddings += 1;
      return models.run(role, ...input);
    },
  };
  const engine = createFaceEngine({
    modelsUrl: 'unused',
    startWorker: () => startHere(counted),
    cores: 2,
    after: () => () => {},
  });
  await engine.load({ roles: PLAYED_ROLES, manifestHash: null });
  const actor = createActor(manner);
  const log: LogEntry[] = [];
  const scene: Scene = { asked: 0, isAfter: false, attempt: 1 };
  let asked: Movement | null = null;
  let now = 0;

  function follow(screen: Screen): void {
    const challenge = screen.name === 'capture' ? (CHALLENGES.get(screen.prompt) ?? null) : null;
    if (challenge !== asked) actor.show(challenge, now);
    asked = challenge;
  }

  function note(event: LogEntry[0], index: number): void {
    log.push([event, index, now]);
    if (event === 'shown') scene.asked = index + 1;
    if (event === 'done') scene.isAfter = index + 1 === challenges.length;
    if (event === 'retried') Object.assign(scene, { asked: 0, isAfter: false, attempt: scene.attempt + 1 });
  }

  const outcome = await runFaceStep({
    step,
    course: { index: 0, begun: false, tally: createTally(), record: note },
    wants: { embedding: true, selfie: false },
    eye: {
      ...engine,
      canTie: () => true,
      limits: {
        live: thresholdOf(models, 'liveness', 'live'),
        eyesClosed: thresholdOf(models, 'eye', 'closed'),
        eyesOpen: thresholdOf(models, 'eye', 'open'),
      },
    },
    light: { colours: { isLeftOut: () => true, onLeftOut: () => () => undefined }, attemptsLit: 0, wasStopped: false },
    camera: {
      async nextFrame() {
        now += frameMs;
        const seen = cast(scene);
        const frame = 'render' in seen ? seen.render(actor.moveAt(now), now) : { ...seen, data: seen.data.slice() };
        return { image: frame as unknown as ImageBitmap, afterPause: false };
      },
    },
    show: follow,
    clock: { now: () => now, after: () => () => undefined },
  });
  return { outcome, log, embeddings } satisfies Played;
}

/** Runs the worker's side in this thread. */
function startHere(models: FaceModels) {
  let hear: (event: { data: FromWorker }) => void = () => {};
  const take = serveRequests({
    loader: {
      models,
      load: async () => {},
      forget: () => {},
      findIdentity: () => undefined,
      describe: () => ({ threads: 1, roles: {}, work: {} }),
    },
    pixels: { read: () => Promise.reject(new Error('not asked for')) as never, clear: () => {} },
    openReader: () => Promise.reject(new Error('not asked for')),
    openEncryptor: () => Promise.reject(new Error('not asked for')),
    openLight: () => import('@limen/light'),
    encodeJpeg: () => Promise.reject(new Error('not asked for')),
    post: (data) => hear({ data }),
  });
  return {
    postMessage: (message: unknown) => take(message as ToWorker),
    addEventListener(name: string, listen: (event: { data: unknown }) => void) {
      if (name === 'message') hear = listen;
    },
    terminate: () => {},
  };
}
