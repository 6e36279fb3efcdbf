// A check on fakes, from the plan to the answer, without the page.
import type { DevicePlan, LogEntry, PlanStep } from '@limen/sdk/device';
import type { Screen } from '../../src/course/screens.ts';
import { createAttention } from '../../src/flow/camera/attention.ts';
import { createFindingsStore } from '../../src/flow/check/keep-findings.ts';
import { runCheck } from '../../src/flow/check/run-check.ts';
import type { PersonChoice } from '../../src/flow/check/step-tools.ts';
import { createColorChoice } from '../../src/flow/colour-choice.ts';
import { createInbox, createLatch } from '../../src/flow/waiting/person-input.ts';
import type { ModelThresholds } from '../../src/models/face-engine.ts';
import type { DocumentChoice } from '../../src/steps/document/scan-document.ts';
import { createFakeCamera, createFakeEngine, type FakeVideo, THRESHOLDS } from './fake-camera.ts';
import { createFakeClient } from './fake-device-client.ts';
import { FACE_STEP, PLAN, settle, untilTrue } from './fake-flow.ts';
import { createFakePasskeys, createFakePeople } from './fake-people.ts';
import { createFakePlatform } from './fake-platform.ts';
import { GOOD } from './fake-reports.ts';

const SERVER_NOW = Date.parse('2026-03-01T12:34:56.789Z');
export const SIGNALS = { headless: ['webdriver'], virtualCamera: [], browserAnomalies: [] };

export const CLEAN = [0, 0, 0, 0, 0];

interface Options {
  steps?: PlanStep[];
  reported?: LogEntry[];
  modelsReady?: Promise<ModelThresholds>;
  /** Delays all models except those for guidance. */
  restReady?: Promise<void>;
  signals?: Promise<typeof SIGNALS>;
}

export async function startCheck({
  steps = [FACE_STEP],
  reported = [],
  modelsReady = Promise.resolve(THRESHOLDS),
  restReady = Promise.resolve(),
  signals = Promise.resolve(SIGNALS),
}: Options = {}) {
  const plan: DevicePlan = { ...PLAN, steps };
  const platform = createFakePlatform();
  const client = createFakeClient({ platform, plan, reported });
  const engine = createFakeEngine();
  const camera = createFakeCamera(platform);
  const attention = createAttention(platform);
  const control = new AbortController();
  const screens: Screen[] = [];
  const labels: (string | null)[] = [];
  const brought: string[] = [];
  const choices = createInbox<DocumentChoice>();
  const kept = createFindingsStore();
  const colors = createColorChoice(false);
  const video = createLatch<HTMLVideoElement>();
  let element: FakeVideo | undefined;
  await engine.load({ roles: [], manifestHash: '' });
  await client.claim();
  const run = () =>
    runCheck({
      kept,
      session: { client, plan, canUsePhone: false, timeLeftMs: () => 60_000, serverNow: () => SERVER_NOW },
      models: {
        engine,
        load(step) {
          brought.push(step);
          const ready = step === 'guidance' ? modelsReady : modelsReady.then(() => restReady);
          return ready.then(() => engine.load({ roles: [], manifestHash: '' }));
        },
        isSlow: () => false,
      },
      camera: {
        parts: camera,
        explain: async () => undefined,
        collectSignals(label) {
          labels.push(label);
          return signals;
        },
        attention,
        video: video.wait,
      },
      person: {
        people: createFakePeople(),
        passkeys: createFakePasskeys(),
        choose: createInbox<PersonChoice>().take,
        chooseDocument: choices.take,
        readPicture: async () => ({}) as ImageBitmap,
      },
      light: { colours: colors, note: () => undefined },
      platform,
      control,
      show(screen) {
        screens.push(screen);
        const isCapture = ['capture', 'document_capture'].includes(screen.name);
        if (isCapture === (element?.isShown ?? false)) return;
        if (element) element.isShown = false;
        element = isCapture ? { isShown: true } : undefined;
        video.set((element as unknown as HTMLVideoElement) ?? null);
      },
    });
  const names = () => screens.map(({ name }) => name).filter((name, i, names) => name !== names[i - 1]);
  /** Returns `CLEAN` if nothing is left behind. */
  const isClean = () => [camera.running, camera.playing, engine.kept, platform.listeners, platform.timers];
  /** Makes the choice once the screen is shown. */
  const choose = async (name: Screen['name'], choice: DocumentChoice) => {
    await untilTrue(
      () => screens.at(-1)?.name === name,
      () => screens.at(-1),
    );
    await settle();
    choices.put(choice);
  };
  return {
    platform,
    attention,
    client,
    engine,
    camera,
    control,
    screens,
    labels,
    brought,
    run,
    names,
    isClean,
    choose,
    kept,
  };
}

/** Starts a check up to the middle of the first challenge, with kept frames. */
export async function startInTheMiddle() {
  const parts = await startCheck();
  parts.camera.put(...GOOD.slice(0, 6));
  const running = parts.run();
  await untilTrue(() => parts.camera.left === 0 && parts.client.calls.includes('record shown 0'));
  await settle();
  return { ...parts, running };
}
