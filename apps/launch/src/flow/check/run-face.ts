// Runs the face step with its models, camera and screens.
import { allowForDaylight, type LightJudgment, type ShownColor } from '@limen/light';
import { countAttemptsLit, type FacePlanStep, readStanding } from '@limen/plan';
import { type Camera, nameCamera } from '../../camera/open-camera.ts';
import { readCameraFacts } from '../../camera/read-camera-facts.ts';
import { isInDaylight } from '../../camera/says-daylight.ts';
import { createCameraWitness } from '../../camera/witness/camera-witness.ts';
import type { CaptureScreen, Screen } from '../../course/screens.ts';
import { thresholdOf } from '../../face/index.ts';
import type { ExamineWish, ModelThresholds, Tie, TieWish, WatchReport } from '../../models/face-engine.ts';
import { type FaceOutcome, runFaceStep } from '../../steps/face/face-step.ts';
import type { FaceEye } from '../../steps/face/tied-person.ts';
import type { StepCamera } from '../camera/step-camera.ts';
import { until } from '../waiting/until.ts';
import { type CheckFindings, mergeCameraSigns, mergeIndicators } from './keep-findings.ts';
import { stageModels } from './stage-models.ts';
import { ASKING, type CheckOptions, type Course, showWhileSlow, wipeLate, withCamera } from './step-tools.ts';

const LOOK_HERE: CaptureScreen = { name: 'capture', prompt: 'guide.oval', tone: 'wait', progress: null, paused: false };
const LOADING: Screen = { name: 'loading', share: null };
/** Report for a frame lost in a worker crash. */
const NOTHING_SEEN: WatchReport = { people: 0, face: null, problems: ['no_face'], advice: null };
/** Limit for holding still while models load. The camera is then turned off. */
const IDLE_MS = 10_000;
/** Pixels of the shorter side. Faces fill much of the frame, so more only cost time. */
const FACE_FRAME = 480;

export function runFace(
  options: CheckOptions,
  step: FacePlanStep,
  course: Course,
  found: CheckFindings,
): Promise<FaceOutcome> {
  return new FaceCheck(options, step, course, found).run();
}

class FaceCheck {
  readonly #options: CheckOptions;
  readonly #step: FacePlanStep;
  readonly #course: Course;
  readonly #found: CheckFindings;
  readonly #models;
  readonly #witness;
  readonly #whileWanted;
  /** Number of attempts. Used to ignore the camera's answer to an earlier attempt. */
  #attempts = 0;
  #opened: Camera | null = null;
  #lastJudged: LightJudgment | null = null;
  /** All thresholds; set by the examination. */
  #allThresholds: ModelThresholds | null = null;
  #wasRevived = false;
  #expected: Promise<unknown> | undefined;
  /** Start of the time in which the person only has to hold still. */
  #idleSince: number | null = null;

  constructor(options: CheckOptions, step: FacePlanStep, course: Course, found: CheckFindings) {
    this.#options = options;
    this.#step = step;
    this.#course = course;
    this.#found = found;
    this.#witness = createCameraWitness(options.platform);
    this.#whileWanted = wipeLate(options.control.signal);
    this.#models = stageModels(async (stage) => {
      const thresholds = await options.models.load(stage);
      // The first prompts need no light analysis.
      if (stage === 'person' && step.light) await options.models.engine.openLight();
      return thresholds;
    });
  }

  async run(): Promise<FaceOutcome> {
    const { camera, show, control } = this.#options;
    // The models load while the person reads about the camera.
    this.#models.load().catch(() => undefined);
    await camera.explain(control.signal);
    show(ASKING);
    // Comes first, so the camera is not on while no one analyzes its frames.
    const thresholds = await showWhileSlow(this.#options, LOADING, this.#bringBeforeCamera());
    show(ASKING);
    const lens = { facing: 'user', shorterSide: FACE_FRAME, witness: this.#witness } as const;
    return withCamera(
      this.#options,
      lens,
      () => this.#pause(),
      (held) => this.#follow(held, thresholds),
    );
  }

  async #follow(held: StepCamera, guidance: ModelThresholds): Promise<FaceOutcome> {
    const { session, camera, light, platform, show } = this.#options;
    const { client, plan } = session;
    const found = this.#found;
    const { label } = await this.#open(held);
    const signals = camera.collectSignals(label);
    this.#expectPerson();
    const outcome = await runFaceStep({
      step: this.#step,
      course: {
        index: this.#course.index,
        begun: readStanding(client.log()).has(this.#course.index),
        tally: found.tally,
        record: (event, index) => this.#record(event, index),
      },
      wants: {
        embedding: plan.steps.some(({ step }) => step === 'identity_document' || step === 'token'),
        selfie: plan.steps.some((planned) => planned.step === 'token' && planned.sendsSelfie),
      },
      eye: this.#createEye(guidance),
      camera: {
        nextFrame: () => this.#nextFrame(held),
        readFacts: () => readCameraFacts(this.#opened!.stream, globalThis.screen?.orientation?.type),
      },
      light: {
        colours: light.colours,
        attemptsLit: countAttemptsLit(plan, client.log()),
        wasStopped: client.log().some(([event]) => event === 'stopped'),
      },
      show,
      clock: platform,
    }).finally(() => {
      this.#attempts += 1;
      // Runs after a failure too, because the next try may use another camera. Must run before the
      // camera closes.
      found.camera = mergeCameraSigns(found.camera, this.#witness.signs());
      this.#witness.stop();
    });
    found.indicators = mergeIndicators(found.indicators, await signals);
    const name = this.#opened && nameCamera(this.#opened);
    const figures = this.#lastJudged?.figures;
    if (!outcome.face.spoof && outcome.face.light === 'lit' && figures && name)
      found.light = { response: figures.response, camera: name };
    return outcome;
  }

  #createEye(guidance: ModelThresholds): FaceEye {
    const { engine } = this.#options.models;
    const live = () => thresholdOf({ thresholds: this.#allThresholds ?? guidance }, 'liveness', 'live');
    return {
      forget: engine.forget,
      epoch: engine.epoch,
      canTie: this.#models.canTie,
      limits: {
        get live() {
          return live();
        },
        eyesClosed: thresholdOf({ thresholds: guidance }, 'eye', 'closed'),
        eyesOpen: thresholdOf({ thresholds: guidance }, 'eye', 'open'),
      },
      watch: async (image) => {
        const report = await this.#survive(engine.watch(image), NOTHING_SEEN);
        this.#witness.see({ ...(report.repeats && { repeats: true }), light: report.face?.light ?? null });
        return report;
      },
      measureLight: (atMs) => this.#survive(engine.measureLight(atMs), undefined),
      judgeLight: (shown) => this.#judgeLight(shown),
      tie: (wish: TieWish) => this.#survive<Tie>(engine.tie(wish), 'unseen'),
      examine: async (wanted: ExamineWish) => {
        // Usually loaded by now. Requests failed models once more.
        this.#allThresholds = await until(this.#models.rest(), this.#options.control.signal);
        return this.#whileWanted(engine.examine(wanted));
      },
    };
  }

  async #judgeLight(shown: readonly ShownColor[]): Promise<LightJudgment> {
    const { models, light } = this.#options;
    const isDaylight = this.#opened !== null && isInDaylight(this.#opened.stream);
    const judgment = allowForDaylight(await this.#whileWanted(models.engine.judgeLight(shown)), isDaylight);
    light.note(judgment);
    this.#lastJudged = judgment;
    return judgment;
  }

  #record(event: Parameters<Course['record']>[0], index: number): void {
    this.#course.record(event, index);
    if (event === 'retried') this.#attempts += 1;
    if (event !== 'asked') return;
    const own = this.#attempts;
    this.#witness.ask(() => {
      if (own === this.#attempts) this.#course.record('answered', index);
    });
  }

  async #nextFrame(held: StepCamera): ReturnType<StepCamera['nextFrame']> {
    const { platform, show, control } = this.#options;
    this.#idleSince = this.#models.canTie() ? null : (this.#idleSince ?? platform.now());
    if (this.#idleSince !== null && platform.now() - this.#idleSince >= IDLE_MS) {
      held.rest();
      show(LOADING);
      await until(this.#models.person(), control.signal);
      show(ASKING);
      await this.#open(held);
    }
    return held.nextFrame();
  }

  async #open(held: StepCamera): Promise<Camera> {
    const opened = await held.get();
    this.#opened = opened;
    this.#options.show(LOOK_HERE);
    return opened;
  }

  async #bringBeforeCamera(): Promise<ModelThresholds> {
    const guidance = await this.#models.load();
    if (this.#options.models.isSlow()) await this.#models.person();
    return guidance;
  }

  /** Waits for the person models during guidance. Ignores failures of models that were reset. */
  #expectPerson(): void {
    const asked = this.#models.person();
    asked.catch((error: unknown) => {
      if (asked === this.#expected) this.#options.control.abort(error);
    });
    this.#expected = asked;
  }

  /** Survives one worker crash per try: returns `fallback`, and the epoch has changed. */
  async #survive<Result>(asked: Promise<Result>, fallback: Result): Promise<Result> {
    const { models, show, control } = this.#options;
    try {
      return await this.#whileWanted(asked);
    } catch (error) {
      control.signal.throwIfAborted();
      if (this.#wasRevived) throw error;
      this.#wasRevived = true;
      const epoch = models.engine.epoch();
      this.#expected = undefined;
      this.#models.reset();
      await showWhileSlow(this.#options, LOADING, this.#models.load());
      // The worker is still alive, so the failure has another cause.
      if (models.engine.epoch() === epoch) throw error;
      show(LOOK_HERE);
      this.#expectPerson();
      return fallback;
    }
  }

  #pause(): void {
    const { models, platform, show } = this.#options;
    models.engine.forget();
    show({ ...LOOK_HERE, paused: !platform.isVisible() });
  }
}
