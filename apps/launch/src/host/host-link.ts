// Keeps the embedding page informed once its port is taken.
import type { HostMessage, LimenCheckStep, PageMessage } from '@limen/sdk/element';
import type { EndKind, PageState, Screen } from '../course/screens.ts';
import type { TakenPort } from './take-port.ts';

/** Labels of the host's frame, in the page's language. */
export type Labels = Omit<Extract<PageMessage, { type: 'ready' }>, 'type'>;

export type HostLink = ReturnType<typeof createHostLink>;

/** `onCancel`: the person wants to leave through the host's controls. */
export function createHostLink(taking: Promise<TakenPort>, onCancel: () => void) {
  let port: MessagePort | undefined;
  let leadsOn = false;
  let shown: { screen: Screen; labels: Labels } | undefined;
  let height: number | undefined;
  const sent: { step?: string | undefined; end?: true; ready?: true; height?: number } = {};

  const send = (message: PageMessage) => port?.postMessage(message);

  /** Sends what changed since the last update; everything after the connection. */
  function update(): void {
    if (!port) return;
    if (shown && shown.screen.name !== 'opening') sendScreen(shown.screen, shown.labels);
    if (height !== undefined && height !== sent.height) {
      sent.height = height;
      send({ type: 'resize', height });
    }
  }

  function sendScreen(screen: Screen, labels: Labels): void {
    if (!sent.ready) {
      sent.ready = true;
      send({ type: 'ready', ...labels });
    }
    const step = toStep(screen);
    if (step && step !== sent.step) send({ type: 'step', step });
    sent.step = step ?? sent.step;
    const end = toEndMessage(screen);
    if (end && !sent.end) {
      sent.end = true;
      send(end);
    }
  }

  void taking.then((taken) => {
    port = taken.port;
    leadsOn = taken.redirect;
    port.onmessage = ({ data }: MessageEvent<HostMessage | null>) => {
      if (data?.type === 'cancel') onCancel();
      // The answer shows that the page is alive.
      send({ type: 'connected' });
    };
    send({ type: 'connected' });
    update();
  });

  return {
    /** Called with every state of the page. */
    show({ screen }: PageState, labels: Labels): void {
      shown = { screen, labels };
      update();
    },
    /** Sets the height of the page's content, in CSS pixels. */
    resize(pixels: number): void {
      height = pixels;
      update();
    },
    fail: (code: Extract<PageMessage, { type: 'error' }>['code']): void => send({ type: 'error', code }),
    isTaken: (): boolean => port !== undefined,
    /** Resolves when a host connects. */
    taken: taking,
    /** Returns false if no host listens. */
    leave(): boolean {
      const redirectUrl = leadsOn && shown?.screen.name === 'end' ? shown.screen.redirectUrl : null;
      send({ type: 'leave', redirectUrl });
      return port !== undefined;
    },
  };
}

/**
 * Undefined for screens that must stay hidden from the host: a problem or a repetition would reveal
 * the outcome. For the same reason, everything in front of the camera or typed is one step.
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

const CANCELED_ENDS: ReadonlySet<EndKind> = new Set(['cancelled', 'cancelled_enrolment', 'cancelled_sign_in'] as const);

function toStep({ name }: Screen): LimenCheckStep | undefined {
  return STEPS[name];
}

/** Returns undefined until the end. A failed check ends like any other. */
function toEndMessage(screen: Screen): { type: 'ended' | 'cancelled' } | undefined {
  if (screen.name !== 'end') return undefined;
  return { type: CANCELED_ENDS.has(screen.how) ? 'cancelled' : 'ended' };
}
