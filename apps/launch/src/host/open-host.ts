// What the page does otherwise in a frame: it keeps to its size, tells the page around it, and does not begin under a cover.
import type { Hello } from '@limen/sdk/element';
import type { Actions, FrameObstacle, PageState } from '../course/screens.ts';
import type { mayDo } from '../course/transitions.ts';
import { fetchOrigins } from './fetch-origins.ts';
import { createHostLink, type HostLink, type Labels } from './host-link.ts';
import { takePort } from './take-port.ts';
import { createCoverWatch } from './watch-cover.ts';

export interface Host extends Pick<HostLink, 'isTaken' | 'taken' | 'leave'> {
  /** With every state, once the page shows it. */
  show(state: PageState, labels: Labels): void;
  /** The same actions; what begins a check waits until the person can have read what it is. */
  guard(actions: Actions): Actions;
}

interface HostOptions {
  sessionId: string | undefined;
  /** Handed in, as the labels are: what is fetched for frames alone brings nothing along that the first screen has. */
  mayDo: typeof mayDo;
  /** Null once there is none any more. */
  onObstacle(obstacle: FrameObstacle | null): void;
}

/** How high the page is told to be once somebody has begun; the element's frame is that high before it is told anything. */
const HEIGHT_REM = 48;

/** Each text that the person has to have seen. */
const READ_BEFORE = '[data-screen="welcome"] > .text :is(h1, p, li)';

/** For a page in a frame. */
export function openHost({ sessionId = '', mayDo, onObstacle }: HostOptions): Host {
  const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  const taking = takePort(window, fetchOrigins(sessionId, { fetch: (url) => fetch(url), pause }));
  const link = createHostLink(taking, askToLeave);
  const cover = createCoverWatch();
  let page: { state: PageState; actions: Actions } | undefined;
  let keepSize: (() => void) | undefined;

  const hello: Hello = { limen: 'hello' };
  // Says nothing of the session, so that it may go to whoever is there.
  window.parent.postMessage(hello, '*');
  void taking.then(({ mode }) => {
    if (mode === 'inline') keepSize = startSizing(link);
    else leaveOnEscape();
    if (!allowsCamera()) link.fail('no_camera_policy');
  });

  /** Only what can be cancelled is: elsewhere nothing is lost by leaving. */
  function askToLeave(): void {
    if (page?.state.dialog) return; // asked already, or reading
    if (page && mayDo(page.state, 'askToCancel')) page.actions.askToCancel();
    else link.leave();
  }

  /** The dialog around the frame does not hear the keys that are pressed in it. */
  function leaveOnEscape(): void {
    addEventListener('keydown', (event) => {
      const hasOtherUse = page?.state.dialog || (page && mayDo(page.state, 'stopColours'));
      if (event.key !== 'Escape' || hasOtherUse) return;
      // The dialog that asks would be closed again by the same press.
      event.preventDefault();
      askToLeave();
    });
  }

  let isBeginning = false;
  async function begin(act: () => void, obstacle?: FrameObstacle): Promise<void> {
    // A second press while the first one waits means the same.
    if (isBeginning) return;
    if (obstacle) return onObstacle(obstacle);
    isBeginning = true;
    const isSeen = !cover || (await cover.wasSeen());
    isBeginning = false;
    onObstacle(isSeen ? null : 'covered');
    if (isSeen) return act();
    console.warn('limen: something of the page around this frame covers it, so the check does not begin');
    link.fail('covered');
  }

  return {
    ...link,
    show(state, labels) {
      if (page) page.state = state;
      link.show(state, labels);
      keepSize?.();
      if (state.screen.name === 'welcome') cover?.watch([...document.querySelectorAll(READ_BEFORE)]);
    },
    guard(actions) {
      const guarded: Actions = {
        ...actions,
        start: () => void begin(actions.start, allowsCamera() ? undefined : 'no_camera_policy'),
        useProof: (proof) => void begin(() => actions.useProof(proof)),
        linkWallet: () => void begin(actions.linkWallet),
      };
      page = { state: { screen: { name: 'opening' }, dialog: null, asks: null }, actions: guarded };
      return guarded;
    },
  };
}

/**
 * As high as the first screen, which has much to read; from then on one height for every other, which fits itself into it as into a
 * window. What each of them takes would tell the host which it is, and so how the check goes.
 */
function startSizing(link: HostLink): () => void {
  const page = document.documentElement;
  const root = document.getElementById('root')!;
  function keepSize(): void {
    const screen = root.querySelector('[data-screen]')?.getAttribute('data-screen') ?? 'opening';
    if (screen === 'opening') return;
    const isFirst = screen === 'welcome';
    page.classList.toggle('sized', isFirst);
    const height = isFirst
      ? root.getBoundingClientRect().height
      : HEIGHT_REM * Number.parseFloat(getComputedStyle(page).fontSize);
    link.resize(Math.ceil(height));
  }
  new ResizeObserver(keepSize).observe(root);
  return keepSize;
}

/** Only Chromium tells; elsewhere the camera itself will. */
function allowsCamera(): boolean {
  const { featurePolicy } = document as { featurePolicy?: { allowsFeature(name: string): boolean } };
  return featurePolicy?.allowsFeature('camera') ?? true;
}
