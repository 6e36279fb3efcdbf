// The document step with what it needs around it: its models, its camera, its screens.
import { countAttemptsLit, type DocumentPlanStep } from '@limen/plan';
import type { DevicePlan, LogEntry } from '@limen/sdk/device';
import { nameCamera } from '../../camera/open-camera.ts';
import type { Screen } from '../../course/screens.ts';
import { countFailedTries } from '../../course/tries.ts';
import { type KnownDocument, toDocumentFindings } from '../../steps/document/document-findings.ts';
import { runDocumentStep } from '../../steps/document/document-step.ts';
import { type LightRounds, leftRounds } from '../../steps/document/light-document.ts';
import { type Found, type Indicators, mergeIndicators } from './keep-findings.ts';
import { ASKING, type CheckOptions, type Course, slowly, wipeLate, withCamera, withStanding } from './step-tools.ts';

/** Pixels on the shorter side. */
const DOCUMENT_FRAME = 1080;

export async function runDocument(
  options: CheckOptions,
  step: DocumentPlanStep,
  course: Course,
  found: Found,
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
  // While the person chooses a document, the models come in.
  models.load('identity_document').catch(() => undefined);
  const loading: Screen = { name: 'loading', share: null, of: 'identity_document' };
  let signals: Promise<Indicators> | undefined;
  const rounds = findRounds(plan, client.log());
  let cameraName: string | null = null;
  return withCamera(options, { facing: 'environment', shorterSide: DOCUMENT_FRAME }, pause, async (held) => {
    const outcome = await runDocumentStep({
      step,
      course: { ...withStanding(course, session), failedTries: countFailedTries(client.log(), course.index) },
      wish: { today: plan.today, wantsPortrait: plan.steps.some((other) => other.step === 'face') },
      show,
      person: {
        canUsePhone: session.canUsePhone,
        choose: (...signals) => person.chooseDocument(signal, ...signals),
        readPicture: person.readPicture,
      },
      camera: {
        async open() {
          const opened = await slowly({ ...options, show }, ASKING, held.get());
          cameraName = nameCamera(opened);
          signals ??= camera.collectSignals(opened.label);
        },
        close: held.rest,
        nextFrame: held.nextFrame,
        now: platform.now,
      },
      light: {
        // Another camera may look away from the screen, as that at the back of a phone does.
        known: () =>
          found.light && found.light.camera === cameraName ? { faceResponse: found.light.response, rounds } : null,
        colours: options.light.colours,
      },
      eye: {
        begin: (wish) =>
          slowly(
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
        judgeLight: (...given) => whileWanted(engine.judgeDocumentLight(...given)),
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

/** What the service drew for the face and the face did not need. */
function findRounds(plan: DevicePlan, log: readonly LogEntry[]): LightRounds {
  const face = plan.steps.find((step) => step.step === 'face');
  return leftRounds(face?.light ?? { attempts: [], required: false }, countAttemptsLit(plan, log));
}
