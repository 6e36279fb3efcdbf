// Keeps the page around the frame informed, from the moment on when its port is taken.
import type { HostMessage, LimenCheckStep, PageMessage } from '@limen/sdk/element';
import type { EndKind, PageState, Screen } from '../course/screens.ts';
import type { TakenPort } from './take-port.ts';

/** What is around the frame says it in the page's language. */
export type Labels = Omit<Extract<PageMessage, { type: 'ready' }>, 'type'>;

export type HostLink = ReturnType<typeof createHostLink>;

/** `onCancel`: the person wants to leave, by what is around the frame. */
export function createHostLink(taking: Promise<TakenPort>, onCancel: () => void) {
  let port: MessagePort | undefined;
  let leadsOn = false;
  let shown: { screen: Screen; labels: Labels } | undefined;
  let height: number | undefined;
  const told: { step?: string | undefined; end?: true; ready?: true; height?: number } = {};

  const tell = (message: PageMessage) => port?.postMessage(message);

  /** Whatever has changed since the host was last told, and all of it once it is there. */
  function update(): void {
    if (!port) return;
    if (shown && shown.screen.name !== 'opening') tellScreen(shown.screen, shown.labels);
    if (height !== undefined && height !== told.height) {
      told.height = height;
      tell({ type: 'resize', height });
    }
  }

  function tellScreen(screen: Screen, labels: Labels): void {
    if (!told.ready) {
      told.ready = true;
      tell({ type: 'ready', ...labels });
    }
    const step = stepOf(screen);
    if (step && step !== told.step) tell({ type: 'step', step });
    told.step = step ?? told.step;
    const end = endOf(screen);
    if (end && !told.end) {
      told.end = true;
      tell(end);
    }
  }

  void taking.then((taken) => {
    port = taken.port;
    leadsOn = taken.redirect;
    port.onmessage = ({ data }: MessageEvent<HostMessage | null>) => {
      if (data?.type === 'cancel') onCancel();
      // Whoever waits for an answer knows that the page is still there.
      tell({ type: 'connected' });
    };
    tell({ type: 'connected' });
    update();
  });

  return {
    /** With every state of the page. */
    show({ screen }: PageState, labels: Labels): void {
      shown = { screen, labels };
      update();
    },
    /** What the page takes, in CSS pixels. */
    resize(pixels: number): void {
      height = pixels;
      update();
    },
    fail: (code: Extract<PageMessage, { type: 'error' }>['code']): void => tell({ type: 'error', code }),
    isTaken: (): boolean => port !== undefined,
    /** Once somebody is there. */
    taken: taking,
    /** False where nobody is there to hear it. */
    leave(): boolean {
      const redirectUrl = leadsOn && shown?.screen.name === 'end' ? shown.screen.redirectUrl : null;
      tell({ type: 'leave', redirectUrl });
      return port !== undefined;
    },
  };
}

/**
 * Undefined where there is nothing to tell: what went wrong, and that something has to be shown again, would say how the check
 * comes out. For the same reason there is one step for all that is shown to the camera or typed.
 */
const STEPS: Record<Screen['name'], LimenCheckStep | undefined> = {
  opening: undefined,
  welcome: 'welcome',
  permission: 'camera',
  loading: undefined,
  capture: 'check',
  working: undefined,
  problem: undefined,
  handoff: 'phone',
  wallet_link: 'wallet',
  take_over: 'phone',
  return_code: 'phone',
  stopped: undefined,
  document: 'check',
  document_hold: 'check',
  document_capture: 'check',
  document_problem: undefined,
  not_recognized: undefined,
  wait: undefined,
  passkey: 'check',
  contact: 'check',
  my_age_key: undefined,
  end: undefined,
};

const GIVEN_UP: ReadonlySet<EndKind> = new Set(['cancelled', 'cancelled_enrolment', 'cancelled_sign_in'] as const);

function stepOf({ name }: Screen): LimenCheckStep | undefined {
  return STEPS[name];
}

/** Undefined while it goes on. A check that failed has ended like any other. */
function endOf(screen: Screen): { type: 'ended' | 'cancelled' } | undefined {
  if (screen.name !== 'end') return undefined;
  return { type: GIVEN_UP.has(screen.how) ? 'cancelled' : 'ended' };
}
