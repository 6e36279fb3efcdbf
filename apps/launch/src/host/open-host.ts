// Behavior of the page in a frame: reports to the host, fits its size, and does not start while
// covered.
import type { Hello } from '@limen/sdk/element';
import type { Actions, FrameObstacle, PageState } from '../course/screens.ts';
import type { mayDo } from '../course/transitions.ts';
import { fetchOrigins } from './fetch-origins.ts';
import { createHostLink, type HostLink, type Labels } from './host-link.ts';
import { takePort } from './take-port.ts';
import { createCoverWatch } from './watch-cover.ts';

export interface Host extends Pick<HostLink, 'isTaken' | 'taken' | 'leave'> {
  /** Called with every state, after the page has rendered it. */
  show(state: PageState, labels: Labels): void;
  /** Wraps the actions. Starting the check waits until its texts were readable. */
  guard(actions: Actions): Actions;
}

interface HostOptions {
  sessionId: string | undefined;
  /** Passed in, like the labels, so that this chunk does not duplicate code of the first screen. */
  mayDo: typeof mayDo;
  /** Null once there is no obstacle. */
  onObstacle(obstacle: FrameObstacle | null): void;
}

/** Height of the page after the start. The element's frame has this height from the beginning. */
const HEIGHT_REM = 48;

/** Texts that the person must have seen. */
const READ_BEFORE = '[data-screen="welcome"] > .text :is(h1, p, li)';

/** Connects a page in a frame to its host. */
export function openHost({ sessionId = '', mayDo, onObstacle }: HostOptions): Host {
  const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  const taking = takePort(window, fetchOrigins(sessionId, { fetch: (url) => fetch(url), pause }));
  const link = createHostLink(taking, askToLeave);
  const cover = createCoverWatch();
  let page: { state: PageState; actions: Actions } | undefined;
  let keepSize: (() => void) | undefined;

  const hello: Hello = { limen: 'hello' };
  // Contains nothing of the session, so any origin may receive it.
  window.parent.postMessage(hello, '*');
  void taking.then(({ mode }) => {
    if (mode === 'inline') keepSize = startSizing(link);
    else leaveOnEscape();
    if (!allowsCamera()) link.fail('no_camera_policy');
  });

  /** Asks for confirmation if the check can be canceled. Otherwise leaving loses nothing. */
  function askToLeave(): void {
    if (page?.state.dialog) return; // already asked, or reading
    if (page && mayDo(page.state, 'askToCancel')) page.actions.askToCancel();
    else link.leave();
  }

  /** The host's dialog does not receive keys pressed in the frame. */
  function leaveOnEscape(): void {
    addEventListener('keydown', (event) => {
      const hasOtherUse = page?.state.dialog || (page && mayDo(page.state, 'stopColours'));
      if (event.key !== 'Escape' || hasOtherUse) return;
      // Without this, the same key press would close the confirmation.
      event.preventDefault();
      askToLeave();
    });
  }

  let isBeginning = false;
  async function begin(act: () => void, obstacle?: FrameObstacle): Promise<void> {
    // A second press while the first one waits changes nothing.
    if (isBeginning) return;
    if (obstacle) return onObstacle(obstacle);
    isBeginning = true;
    const isSeen = !cover || (await cover.wasSeen());
    isBeginning = false;
    onObstacle(isSeen ? null : 'covered');
    if (isSeen) return act();
    console.warn('limen: the embedding page covers this frame, so the check does not start');
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
 * Keeps the height of the first screen, which has much text. Later screens share one height and fit
 * themselves in, because their own heights would reveal the screen to the host.
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

/** Returns whether the frame may use the camera. Browsers without that report return true. */
function allowsCamera(): boolean {
  const { featurePolicy } = document as { featurePolicy?: { allowsFeature(name: string): boolean } };
  return featurePolicy?.allowsFeature('camera') ?? true;
}
