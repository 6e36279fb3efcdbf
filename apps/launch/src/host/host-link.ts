// Keeps the page around the frame informed, from the moment on when its port is taken.
import type { HostMessage, PageMessage } from '@limen/sdk/element';
import type { PageState, Screen } from '../course/screens.ts';
import { directionOf, type Translator } from '../i18n/index.ts';
import { titleOf } from '../ui/headings.ts';
import { endOf, stepOf } from './describe-for-host.ts';
import type { TakenPort } from './take-port.ts';

export interface HostLink {
  /** With every state of the page. */
  show(state: PageState, words: Translator): void;
  /** What the page takes, in CSS pixels. */
  resize(height: number): void;
  fail(code: Extract<PageMessage, { type: 'error' }>['code']): void;
  isTaken(): boolean;
  /** False where nobody is there to hear it. */
  leave(): boolean;
}

/** `onCancel`: the person wants to leave, by what is around the frame. */
export function createHostLink(taking: Promise<TakenPort>, onCancel: () => void): HostLink {
  let port: MessagePort | undefined;
  let shown: { state: PageState; words: Translator } | undefined;
  let height: number | undefined;
  const told: { step?: string | undefined; end?: true; ready?: true; height?: number } = {};

  const tell = (message: PageMessage) => port?.postMessage(message);

  /** Whatever has changed since the host was last told, and all of it once it is there. */
  function update(): void {
    if (!port) return;
    if (shown && shown.state.screen.name !== 'opening') tellScreen(shown.state.screen, shown.words, shown.state);
    if (height !== undefined && height !== told.height) {
      told.height = height;
      tell({ type: 'resize', height });
    }
  }

  function tellScreen(screen: Screen, words: Translator, { asks }: PageState): void {
    if (!told.ready) {
      told.ready = true;
      const [name, close] = [words.text(titleOf(asks)), words.text('action.close')];
      tell({ type: 'ready', name, close, lang: words.tag, dir: directionOf(words.tag) });
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
    port.onmessage = ({ data }: MessageEvent<HostMessage | null>) => {
      if (data?.type === 'cancel') onCancel();
    };
    tell({ type: 'connected' });
    update();
  });

  return {
    show(state, words) {
      shown = { state, words };
      update();
    },
    resize(pixels) {
      height = pixels;
      update();
    },
    fail: (code) => tell({ type: 'error', code }),
    isTaken: () => port !== undefined,
    leave() {
      tell({ type: 'leave' });
      return port !== undefined;
    },
  };
}
