// Keeps the page around the frame informed, from the moment on when its port is taken.
import type { HostMessage, PageMessage } from '@limen/sdk/element';
import type { PageState, Screen } from '../course/screens.ts';
import { endOf, stepOf } from './describe-for-host.ts';
import type { TakenPort } from './take-port.ts';

/** What is around the frame says it in the page's language. */
export type Labels = Omit<Extract<PageMessage, { type: 'ready' }>, 'type'>;

export interface HostLink {
  /** With every state of the page. */
  show(state: PageState, labels: Labels): void;
  /** What the page takes, in CSS pixels. */
  resize(height: number): void;
  fail(code: Extract<PageMessage, { type: 'error' }>['code']): void;
  isTaken(): boolean;
  /** Once somebody is there. */
  taken: Promise<unknown>;
  /** False where nobody is there to hear it. */
  leave(): boolean;
}

/** `onCancel`: the person wants to leave, by what is around the frame. */
export function createHostLink(taking: Promise<TakenPort>, onCancel: () => void): HostLink {
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
    show({ screen }, labels) {
      shown = { screen, labels };
      update();
    },
    resize(pixels) {
      height = pixels;
      update();
    },
    fail: (code) => tell({ type: 'error', code }),
    isTaken: () => port !== undefined,
    taken: taking,
    leave() {
      const redirectUrl = leadsOn && shown?.screen.name === 'end' ? shown.screen.redirectUrl : null;
      tell({ type: 'leave', redirectUrl });
      return port !== undefined;
    },
  };
}
