// Runs the document step with its models, camera and screens.
import { countAttemptsLit, type DocumentPlanStep } from '@limen/plan';
import type { DevicePlan, LogEntry } from '@limen/sdk/device';
import { nameCamera } from '../../camera/open-camera.ts';
import type { Screen } from '../../course/screens.ts';
import { countFailedTries } from '../../course/tries.ts';
import { type KnownDocument, toDocumentFindings } from '../../steps/document/document-findings.ts';
import { runDocumentStep } from '../../steps/document/document-step.ts';
import { type LightRounds, listUnusedRounds } from '../../steps/document/light-document.ts';
import { type CheckFindings, type Indicators, mergeIndicators } from './keep-findings.ts';
import {
  ASKING,
  type CheckOptions,
  type Course,
  showWhileSlow,
  wipeLate,
  withCamera,
  withStanding,
} from './step-tools.ts';

/** Pixels of the frames' shorter side. */
const DOCUMENT_FRAME = 1080;

export async function runDocument(
  options: CheckOptions,
  step: DocumentPlanStep,
  course: Course,
  found: CheckFindings,
): Promise<KnownDocument> {
  const { session, models, camera, person, platform } = options;
  const { client, plan } = session;
  const { engine } = models;
  const { signal } = options.control;
  const whileWanted = wipeLate(signal);
  let shown: Screen = ASKING;
  const show = (screen: Screen) => {
    shown = screen;
    options.show(screen);
  };
  // The models load while the person chooses a document.
  models.load('identity_document').catch(() => undefined);
  const loading: Screen = { name: 'loading', share: null, of: 'identity_document' };
  let signals: Promise<Indicators> | undefined;
  const rounds = findRounds(plan, client.log());
  let cameraName: string | null = null;
  return withCamera(options, { facing: 'environment', shorterSide: DOCUMENT_FRAME }, pause, async (held) => {
    const outcome = await runDocumentStep({
      step,
      course: { ...withStanding(course, session), failedTries: countFailedTries(client.log(), course.index) },
      wish: { today: plan.today, wantsPortrait: plan.steps.some(({ step }) => step === 'face') },
      show,
      person: {
        canUsePhone: session.canUsePhone,
        choose: (...signals) => person.chooseDocument(signal, ...signals),
        readPicture: person.readPicture,
      },
      camera: {
        async open() {
          const opened = await showWhileSlow({ ...options, show }, ASKING, held.get());
          cameraName = nameCamera(opened);
          signals ??= camera.collectSignals(opened.label);
        },
        close: held.rest,
        nextFrame: held.nextFrame,
        now: platform.now,
      },
      light: {
        // Another camera may face away from the screen, as a phone's rear camera does.
        known: () =>
          found.light && found.light.camera === cameraName ? { faceResponse: found.light.response, rounds } : null,
        colours: options.light.colours,
      },
      eye: {
        begin: (wish) =>
          showWhileSlow(
            { ...options, show },
            loading,
            models.load('identity_document').then(async () => {
              if (found.light) await engine.openLight();
              await engine.beginDocument(wish);
            }),
          ),
        look: (image) => whileWanted(engine.lookAtDocument(image)),
        readFile: (image) => whileWanted(engine.readDocumentFile(image)),
        light: (image, atMs) => whileWanted(engine.lightDocument(image, atMs)),
        judgeLight: (...args) => whileWanted(engine.judgeDocumentLight(...args)),
        forget: engine.forget,
      },
    });
    found.indicators = mergeIndicators(found.indicators, await (signals ?? camera.collectSignals(null)));
    const findings = toDocumentFindings(step, outcome, session.serverNow());
    return { findings, portrait: outcome.found.embedding };
  });

  function pause(): void {
    if (shown.name === 'document_capture') show({ ...shown, paused: !platform.isVisible() });
  }
}

/** Returns the light rounds that the service drew for the face and the face step did not use. */
function findRounds(plan: DevicePlan, log: readonly LogEntry[]): LightRounds {
  const face = plan.steps.find((step) => step.step === 'face');
  return listUnusedRounds(face?.light ?? { attempts: [], required: false }, countAttemptsLit(plan, log));
}
