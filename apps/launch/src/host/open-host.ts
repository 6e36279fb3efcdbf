// What the page does otherwise in a frame: it keeps to its size, tells the page around it, and does not begin under a cover.
import type { Hello } from '@limen/sdk/element';
import type { Actions, PageState } from '../course/screens.ts';
import type { mayDo } from '../course/transitions.ts';
import { createHostLink, type HostLink, type Labels } from './host-link.ts';
import { takePort } from './take-port.ts';
import { createCoverWatch } from './watch-cover.ts';

export interface Host extends Pick<HostLink, 'isTaken' | 'leave'> {
  /** With every state, once the page shows it. */
  show(state: PageState, labels: Labels): void;
  /** The same actions; what begins a check waits until the person can have read what it is. */
  guard(actions: Actions): Actions;
}

interface HostOptions {
  sessionId: string | undefined;
  /** Handed in, as the labels are: what is fetched for frames alone brings nothing along that the first screen has. */
  mayDo: typeof mayDo;
}

/** For a page in a frame. */
export function openHost({ sessionId = '', mayDo }: HostOptions): Host {
  const taking = takePort(window, fetchOrigins(sessionId));
  const link = createHostLink(taking, askToLeave);
  const cover = createCoverWatch();
  let page: { state: PageState; actions: Actions } | undefined;

  const hello: Hello = { limen: 'hello' };
  // Says nothing of the session, so that it may go to whoever is there.
  window.parent.postMessage(hello, '*');
  void taking.then(({ mode }) => {
    if (mode === 'inline') keepSize(link);
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
  async function begin(act: () => void): Promise<void> {
    // A second press while the first one waits means the same.
    if (isBeginning) return;
    isBeginning = true;
    const isSeen = !cover || (await cover.wasSeen());
    isBeginning = false;
    if (isSeen) return act();
    console.warn('limen: something of the page around this frame covers it, so the check does not begin');
    link.fail('covered');
  }

  return {
    ...link,
    show(state, labels) {
      if (page) page.state = state;
      link.show(state, labels);
      const text = document.querySelector('[data-screen="welcome"] > .text');
      if (text) cover?.watch(text);
    },
    guard(actions) {
      const guarded: Actions = {
        ...actions,
        start: () => void begin(actions.start),
        useProof: (proof) => void begin(() => actions.useProof(proof)),
        linkWallet: () => void begin(actions.linkWallet),
      };
      page = { state: { screen: { name: 'opening' }, dialog: null, asks: null }, actions: guarded };
      return guarded;
    },
  };
}

/** Nobody, where the service does not say. */
async function fetchOrigins(sessionId: string): Promise<readonly string[]> {
  try {
    const reply = await fetch(`launch/embedders?${new URLSearchParams({ sessionId })}`);
    return reply.ok ? ((await reply.json()) as { origins: string[] }).origins : [];
  } catch {
    return [];
  }
}

/** As high as what it shows, which then does not depend on how high the frame is. */
function keepSize(link: HostLink): void {
  document.documentElement.classList.add('sized');
  const root = document.getElementById('root')!;
  new ResizeObserver(() => link.resize(Math.ceil(root.getBoundingClientRect().height))).observe(root);
}

/** Only Chromium tells; elsewhere the camera itself will. */
function allowsCamera(): boolean {
  const { featurePolicy } = document as { featurePolicy?: { allowsFeature(name: string): boolean } };
  return featurePolicy?.allowsFeature('camera') ?? true;
}
