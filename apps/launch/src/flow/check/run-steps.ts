// Each step of a plan with what it needs around it: its models, its camera, its screens.

import type { SeenIndicators } from '@limen/contract';
import { allowForDaylight, type LightJudgement } from '@limen/light';
import { countAttemptsLit, type DocumentPlanStep, type FacePlanStep, readStanding } from '@limen/plan';
import type { DeviceClient, DevicePlan, LogEntry } from '@limen/sdk/device';
import { nameCamera } from '../../camera/open-camera.ts';
import { readCameraFacts } from '../../camera/read-camera-facts.ts';
import { saysDaylight } from '../../camera/says-daylight.ts';
import { createCameraWitness } from '../../camera/witness/camera-witness.ts';
import type { CaptureScreen, Screen, TypedContact } from '../../course/screens.ts';
import { countFailedTries } from '../../course/tries.ts';
import { thresholdOf } from '../../face/index.ts';
import type { FaceEngine, ModelThresholds, Tie, WatchReport } from '../../models/face-engine.ts';
import { wipe } from '../../models/wipe.ts';
import type { Passkeys } from '../../passkeys/passkeys.ts';
import type { KnownPeople } from '../../people/people-store.ts';
import { type KnownDocument, toDocumentFindings } from '../../steps/document/document-findings.ts';
import { runDocumentStep } from '../../steps/document/document-step.ts';
import { type LightRounds, leftRounds } from '../../steps/document/light-document.ts';
import type { DocumentChoice } from '../../steps/document/scan-document.ts';
import { type FaceOutcome, runFaceStep } from '../../steps/face/face-step.ts';
import { StepProblem } from '../../steps/step-problem.ts';
import type { Attention } from '../camera/attention.ts';
import { type CameraParts, createStepCamera, type StepCamera } from '../camera/step-camera.ts';
import type { ColourChoice } from '../colour-choice.ts';
import type { Platform } from '../platform.ts';
import { until } from '../waiting/until.ts';
import { type Found, mergeCameraSigns, mergeIndicators } from './keep-findings.ts';
import type { ModelStage } from './load-models.ts';
import { stageModels } from './stage-models.ts';

type Indicators = NonNullable<SeenIndicators>;

/** What a person can do on the screens of these steps. */
export type PersonChoice = { choice: 'face' } | { choice: 'passkey' } | { choice: 'contact'; typed: TypedContact };

export interface PersonParts {
  people: KnownPeople;
  passkeys: Passkeys;
  choosePerson(...signals: readonly AbortSignal[]): Promise<PersonChoice>;
  /** Of the session, in milliseconds. */
  timeLeftMs(): number;
}

export interface CheckOptions extends PersonParts {
  client: DeviceClient;
  plan: DevicePlan;
  engine: FaceEngine;
  /** Brings the models of a stage; settles once they are there, with their thresholds. */
  loadModels(stage: ModelStage): Promise<ModelThresholds>;
  /** Whether the models come so slowly that the camera should wait for all that the first movement needs. */
  isSlow(): boolean;
  camera: CameraParts;
  /** Settles once the person knows why the browser is going to ask for the camera, or it will not ask. */
  explainCamera(signal: AbortSignal): Promise<void>;
  /** Null where no camera was in use. */
  collectSignals(cameraLabel: string | null): Promise<Indicators>;
  readPicture(file: Blob): Promise<ImageBitmap>;
  /** What the person does next on a screen of the document step. */
  chooseDocument(...signals: readonly AbortSignal[]): Promise<DocumentChoice>;
  /** Whether the screen may change its colour. */
  colours: Pick<ColourChoice, 'isLeftOut' | 'onLeftOut'>;
  /** The numbers behind what was found of the light, for whoever measures cameras. */
  noteLight(judgement: LightJudgement): void;
  platform: Platform;
  /** Whether the check can be continued on a phone. */
  canUsePhone: boolean;
  /** The server's time, in milliseconds since 1970. */
  serverNow(): number;
  attention: Attention;
  /** The element of the capture screen, once it is shown. */
  video(): Promise<HTMLVideoElement>;
  show(screen: Screen): void;
  /** Ends the check from outside, and is how the check itself ends on what happens beside it. */
  control: AbortController;
}

const LOOK_HERE: CaptureScreen = { name: 'capture', prompt: 'guide.oval', tone: 'wait', progress: null, paused: false };

const LOADING: Screen = { name: 'loading', share: null };
/** Of a frame that went down with its worker. */
const NOTHING_SEEN: WatchReport = { people: 0, face: null, problems: ['no_face'], advice: null };
const ASKING: Screen = { name: 'permission', state: 'asking' };
/** Nobody holds still for longer before a camera, for models that are still on their way: it is turned off, and that is said. */
const IDLE_MS = 10_000;
/** What is almost there is not worth a screen. */
const LOADING_MS = 300;
/** Pixels on the shorter side. Faces fill a good part of the frame: more would make the work slower and nothing better. */
const FACE_FRAME = 480;
const DOCUMENT_FRAME = 1080;

export interface Course {
  /** The step's position in the plan. */
  index: number;
  record(event: LogEntry[0], index: number): void;
}

export async function runFace(
  options: CheckOptions,
  step: FacePlanStep,
  course: Course,
  found: Found,
): Promise<FaceOutcome> {
  const { client, plan, engine, platform, show, control } = options;
  const { signal } = control;
  const witness = createCameraWitness(platform);
  /** Counts attempts: what the camera answers to one of before is of no interest. */
  let request = 0;
  const askCamera = (index: number) => {
    const own = request;
    witness.ask(() => {
      if (own === request) course.record('answered', index);
    });
  };
  let stream: MediaStream | null = null;
  let lastJudged: LightJudgement | null = null;
  let all: ModelThresholds | null = null;
  const models = stageModels(async (stage) => {
    const thresholds = await options.loadModels(stage);
    // The first prompts need no analysis of light.
    if (stage === 'person' && step.light) await engine.openLight();
    return thresholds;
  });
  const whileWanted = wipeLate(signal);
  let wasRevived = false;

  /** What knows the person is waited for beside guidance. A failure of one that was lost is of no interest. */
  function expectPerson(): void {
    const asked = models.person();
    asked.catch((error: unknown) => {
      if (asked === expected) control.abort(error);
    });
    expected = asked;
  }
  let expected: Promise<unknown> | undefined;

  async function bringBeforeCamera(): Promise<ModelThresholds> {
    const guidance = await models.bring();
    if (options.isSlow()) await models.person();
    return guidance;
  }

  /** Once in a try: what is asked of a worker that died comes to nothing, and the epoch tells that all begins anew. */
  async function survive<Result>(asked: Promise<Result>, nothing: Result): Promise<Result> {
    try {
      return await whileWanted(asked);
    } catch (error) {
      signal.throwIfAborted();
      if (wasRevived) throw error;
      wasRevived = true;
      const epoch = engine.epoch();
      expected = undefined;
      models.lose();
      await slowly(options, LOADING, models.bring());
      // It is there still: something else is wrong.
      if (engine.epoch() === epoch) throw error;
      show(LOOK_HERE);
      expectPerson();
      return nothing;
    }
  }

  const eye = {
    forget: engine.forget,
    epoch: engine.epoch,
    async watch(image: ImageBitmap) {
      const report = await survive(engine.watch(image), NOTHING_SEEN);
      witness.see({ ...(report.repeats && { repeats: true }), light: report.face?.light ?? null });
      return report;
    },
    measureLight: (atMs: number) => survive(engine.measureLight(atMs), undefined),
    async judgeLight(...given: Parameters<FaceEngine['judgeLight']>) {
      const isDaylight = stream !== null && saysDaylight(stream);
      const judgement = allowForDaylight(await whileWanted(engine.judgeLight(...given)), isDaylight);
      options.noteLight(judgement);
      lastJudged = judgement;
      return judgement;
    },
    tie: (wish: Parameters<FaceEngine['tie']>[0]) => survive<Tie>(engine.tie(wish), 'unseen'),
    async examine(wanted: Parameters<FaceEngine['examine']>[0]) {
      // There by now, as a rule; what did not come is asked for once more.
      all = await until(models.rest(), signal);
      return whileWanted(engine.examine(wanted));
    },
  };
  // While the person reads about the camera, the models come in.
  models.bring().catch(() => undefined);
  await options.explainCamera(signal);
  show(ASKING);
  // Before the camera: it is not on while nobody looks at what it sees.
  const thresholds = await slowly(options, LOADING, bringBeforeCamera());
  show(ASKING);
  const lens = { facing: 'user', shorterSide: FACE_FRAME, witness } as const;
  return withCamera(options, lens, pause, async (camera) => {
    let opened = await camera.get();
    stream = opened.stream;
    const signals = options.collectSignals(opened.label);
    show(LOOK_HERE);
    /** Since when there has been nothing to do but to hold still. */
    let idleSince: number | null = null;
    const nextFrame = async () => {
      idleSince = models.canTie() ? null : (idleSince ?? platform.now());
      if (idleSince !== null && platform.now() - idleSince >= IDLE_MS) {
        camera.rest();
        show(LOADING);
        await until(models.person(), signal);
        show(ASKING);
        opened = await camera.get();
        stream = opened.stream;
        show(LOOK_HERE);
      }
      return camera.nextFrame();
    };
    expectPerson();
    const outcome = await runFaceStep({
      step,
      ...course,
      record(event, index) {
        course.record(event, index);
        if (event === 'retried') request += 1;
        if (event === 'asked') askCamera(index);
      },
      eye,
      tally: found.tally,
      show,
      colours: options.colours,
      attemptsLit: countAttemptsLit(plan, client.log()),
      wasStopped: client.log().some(([event]) => event === 'stopped'),
      now: platform.now,
      after: platform.after,
      nextFrame,
      canTie: models.canTie,
      readCamera: () => readCameraFacts(opened.stream, globalThis.screen?.orientation?.type),
      begun: readStanding(client.log()).has(course.index),
      wantsEmbedding: plan.steps.some((other) => other.step === 'identity_document' || other.step === 'token'),
      wantsSelfie: plan.steps.some((other) => other.step === 'token' && other.sendsSelfie),
      limits: {
        /** After the examination. */
        get live() {
          return thresholdOf({ thresholds: all ?? thresholds }, 'liveness', 'live');
        },
        eyesClosed: thresholdOf({ thresholds }, 'eye', 'closed'),
        eyesOpen: thresholdOf({ thresholds }, 'eye', 'open'),
      },
    }).finally(() => {
      request += 1;
      // Also of a step that failed, whose next try may have another camera; and while this one is still on.
      found.camera = mergeCameraSigns(found.camera, witness.signs());
      witness.stop();
    });
    found.indicators = mergeIndicators(found.indicators, await signals);
    const name = nameCamera(opened);
    if (!outcome.face.spoof && outcome.face.light === 'lit' && lastJudged?.figures && name)
      found.light = { response: lastJudged.figures.response, camera: name };
    return outcome;
  });

  function pause(): void {
    engine.forget();
    show({ ...LOOK_HERE, paused: !platform.isVisible() });
  }
}

export async function runDocument(
  options: CheckOptions,
  step: DocumentPlanStep,
  course: Course,
  found: Found,
): Promise<KnownDocument> {
  const { client, plan, engine, platform, control } = options;
  const { signal } = control;
  const whileWanted = wipeLate(signal);
  let shown: Screen = ASKING;
  const show = (screen: Screen) => {
    shown = screen;
    options.show(screen);
  };
  // While the person chooses a document, the models come in.
  options.loadModels('identity_document').catch(() => undefined);
  const loading: Screen = { name: 'loading', share: null, of: 'identity_document' };
  let signals: Promise<Indicators> | undefined;
  const rounds = findRounds(plan, client.log());
  let camera: string | null = null;
  return withCamera(options, { facing: 'environment', shorterSide: DOCUMENT_FRAME }, pause, async (held) => {
    const outcome = await runDocumentStep({
      step,
      ...course,
      show,
      now: platform.now,
      nextFrame: held.nextFrame,
      today: plan.today,
      canUsePhone: options.canUsePhone,
      readPicture: options.readPicture,
      standing: readStanding(client.log()).get(course.index),
      failedTries: countFailedTries(client.log(), course.index),
      wantsPortrait: plan.steps.some((other) => other.step === 'face'),
      choose: (...signals) => options.chooseDocument(signal, ...signals),
      async openCamera() {
        const opened = await slowly({ ...options, show }, ASKING, held.get());
        camera = nameCamera(opened);
        signals ??= options.collectSignals(opened.label);
      },
      // Another camera may look away from the screen, as that at the back of a phone does.
      knownLight: () =>
        found.light && found.light.camera === camera ? { faceResponse: found.light.response, rounds } : null,
      colours: options.colours,
      closeCamera: held.rest,
      eye: {
        begin: (wish) =>
          slowly(
            { ...options, show },
            loading,
            options.loadModels('identity_document').then(async () => {
              if (found.light) await engine.openLight();
              await engine.beginDocument(wish);
            }),
          ),
        look: (image) => whileWanted(engine.lookAtDocument(image)),
        readFile: (image) => whileWanted(engine.readDocumentFile(image)),
        light: (image, atMs) => whileWanted(engine.lightDocument(image, atMs)),
        judgeLight: (...given) => whileWanted(engine.judgeDocumentLight(...given)),
        forget: engine.forget,
      },
    });
    found.indicators = mergeIndicators(found.indicators, await (signals ?? options.collectSignals(null)));
    const findings = toDocumentFindings(step, outcome, options.serverNow());
    return { findings, portrait: outcome.found.embedding };
  });

  function pause(): void {
    if (shown.name === 'document_capture') show({ ...shown, paused: !platform.isVisible() });
  }
}

/** What the service drew for the face and the face did not need. */
function findRounds(plan: DevicePlan, log: readonly LogEntry[]): LightRounds {
  const face = plan.steps.find((step) => step.step === 'face');
  return leftRounds(face?.light ?? { attempts: [], required: false }, countAttemptsLit(plan, log));
}

async function withCamera<Result>(
  { camera, attention, platform, video, control }: CheckOptions,
  lens: Pick<Parameters<typeof createStepCamera>[0], 'facing' | 'shorterSide' | 'witness'>,
  onPause: () => void,
  work: (camera: StepCamera) => Promise<Result>,
): Promise<Result> {
  const { signal } = control;
  const onLost = () => control.abort(new StepProblem('unplugged'));
  const opened = createStepCamera({ camera, ...lens, attention, platform, signal, video, onLost, onPause });
  try {
    return await work(opened);
  } finally {
    opened.stop();
  }
}

/** What the engine tells of a person after nobody wanted it any more is overwritten. */
function wipeLate(signal: AbortSignal) {
  return <Result>(reply: Promise<Result>): Promise<Result> => until(reply, signal, wipe);
}

/** Shows a screen while something takes its time. */
async function slowly<Result>(
  { platform, show, control }: Pick<CheckOptions, 'platform' | 'show' | 'control'>,
  screen: Screen,
  work: Promise<Result>,
): Promise<Result> {
  const stop = platform.after(LOADING_MS, () => show(screen));
  try {
    return await until(work, control.signal);
  } finally {
    stop();
  }
}
