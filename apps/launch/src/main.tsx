// Starts the page: which session, in which language, and the flow with the browser's own camera, clock and keys.
import {
  createDeviceClient,
  createIndexedDbKeys,
  createMemoryKeys,
  type DeviceClient,
  LimenError,
  parseLaunchUrl,
} from '@limen/sdk/device';
import { type ComponentChild, render } from 'preact';
import { isCameraAllowed, openCamera } from './camera/open-camera.ts';
import { readPicture } from './camera/read-picture.ts';
import { startVideo } from './camera/take-frames.ts';
import type { Actions, Dialog, FrameObstacle, PageState, Screen } from './course/screens.ts';
import { mayDo } from './course/transitions.ts';
import { LaunchPage } from './flow/page.ts';
import { createBrowserPlatform } from './flow/platform.ts';
import type { Host } from './host/open-host.ts';
import { directionOf, loadLanguage, type Translator } from './i18n/index.ts';
import { createFaceEngine } from './models/face-engine.ts';
import { createPasskeys } from './passkeys/passkeys.ts';
import { createPeopleStore } from './people/people-store.ts';
import { App } from './ui/app.tsx';
import { titleOf } from './ui/headings.ts';
import { isFramed } from './ui/parts/leaving-link.tsx';
import { createWallets, type WalletBrowser } from './wallets/wallets.ts';

const root = document.getElementById('root')!;
/** The page around this one, where there is one. */
let host: Host | undefined;
/** What keeps a check from beginning in this frame. */
let obstacle: FrameObstacle | null = null;
let renderAgain = () => {};

const UNREACHABLE: Screen = {
  name: 'problem',
  problem: 'models',
  canRetry: true,
  // There is no session to hand on or to cancel.
  canUsePhone: false,
  canCancel: false,
};

/** In the address, where there is no session: as `/launch/my-age-key` leads there. */
const MY_AGE_KEY = 'my-age-key';

/** Neither is needed for the first screen. */
const loadSignals = () => import('./signals/collect-signals.ts');
const loadCheck = async () => (await Promise.all([import('./flow/check/run-check.ts'), loadSignals()]))[0];

await start().catch(() => showAlone(UNREACHABLE));

/** Preact would keep what the document shows until the first render, below the page. */
function show(app: ComponentChild): void {
  if (root.querySelector('.late')) root.replaceChildren();
  render(app, root);
}

async function start(): Promise<void> {
  const link = parseLaunchUrl(location.href);
  if (isFramed())
    host = (await import('./host/open-host.ts')).openHost({ sessionId: link?.sessionId, mayDo, onObstacle });
  if (!link && new URLSearchParams(location.search).has(MY_AGE_KEY)) return showMyAgeKey();
  if (!isSecureContext) return showAlone({ name: 'permission', state: 'insecure' });
  if (!link) return showAlone({ name: 'end', how: 'not_found', redirectUrl: null });
  const created = await createClient(link.sessionId).catch(() => null);
  const client = created?.client;
  const view = await client?.view().catch((error: unknown) => {
    if (error instanceof LimenError && error.code === 'not_found') return null;
    throw error;
  });
  if (!created || !client || !view) return showAlone({ name: 'end', how: 'not_found', redirectUrl: null });

  const words = await loadLanguage(new URLSearchParams(location.search).get('locale') ?? view.locale);
  const page = new LaunchPage({
    client,
    arrival: {
      code: link.code,
      boxKey: link.boxKey,
      responseCode: link.responseCode,
      comesBack: created.keepsKey && !host,
    },
    engine: createFaceEngine(),
    camera: { open: openCamera, start: startVideo, isAllowed: isCameraAllowed },
    later: {
      loadCheck,
      readPicture,
      async collectSignals(cameraLabel) {
        const { collectSignals } = await loadSignals();
        return collectSignals({ browser: window, cameraLabel });
      },
    },
    keepers: {
      people: createPeopleStore(),
      passkeys: createPasskeys(),
      wallets: createWallets(window as unknown as WalletBrowser),
    },
    platform: createBrowserPlatform(host),
    onChange(state) {
      renderAgain = () => show(<App state={state} obstacle={obstacle} actions={actions} words={words} />);
      renderAgain();
      tellHost(state, words);
    },
  });
  const actions = host?.guard(page.actions) ?? page.actions;
  page.open(view);
}

function onObstacle(found: FrameObstacle | null): void {
  obstacle = found;
  renderAgain();
}

function tellHost(state: PageState, words: Translator): void {
  const [name, close] = [words.text(titleOf(state.asks)), words.text('action.close')];
  host?.show(state, { name, close, lang: words.tag, dir: directionOf(words.tag) });
}

/** Without a place to keep the key the check works all the same, only a reload ends it. */
async function createClient(sessionId: string): Promise<{ client: DeviceClient; keepsKey: boolean }> {
  const baseUrl = new URL('.', location.href).href;
  try {
    return { client: await createDeviceClient({ baseUrl, sessionId, keys: createIndexedDbKeys() }), keepsKey: true };
  } catch (error) {
    if (error instanceof TypeError) throw error;
    return { client: await createDeviceClient({ baseUrl, sessionId, keys: createMemoryKeys() }), keepsKey: false };
  }
}

/** The page for one's age key, which no session leads to. */
async function showMyAgeKey(): Promise<void> {
  const { createMyAgeKey } = await import('./flow/my-age-key.ts');
  const page = createMyAgeKey({
    baseUrl: new URL('.', location.href).href,
    passkeys: createPasskeys(),
    fetch: (url, init) => fetch(url, init),
    show: (screen) => void showAlone(screen, { deleteAgeKey: () => void page.delete() }),
  });
  page.open();
}

/** A screen with no session behind it: what can be done is to read, to try again, and what is given. */
async function showAlone(screen: Screen, given: Partial<Actions> = {}): Promise<void> {
  const words = await loadLanguage(navigator.language);
  const showWith = (dialog: Dialog | null) => {
    const state = { screen, dialog, asks: null };
    show(<App state={state} actions={actions} words={words} />);
    tellHost(state, words);
  };
  const reload = () => location.reload();
  const ignore = () => undefined;
  const actions: Actions = {
    start: ignore,
    useProof: ignore,
    linkWallet: ignore,
    chooseProfile: ignore,
    keepAge: ignore,
    deleteAgeKey: ignore,
    usePhone: ignore,
    renewCode: ignore,
    chooseNumber: ignore,
    giveReturnCode: ignore,
    goBack: ignore,
    goOn: ignore,
    attachVideo: ignore,
    askToCancel: ignore,
    confirmCancel: ignore,
    chooseDocument: ignore,
    otherDocument: ignore,
    scanDocument: ignore,
    useDocumentFile: ignore,
    tryDocumentAgain: ignore,
    showFaceAgain: ignore,
    usePasskey: ignore,
    giveContact: ignore,
    leaveOutColours: ignore,
    stopColours: ignore,
    askToForget: ignore,
    confirmForget: ignore,
    retry: reload,
    askForCamera: reload,
    showPrivacy: () => showWith('privacy'),
    closeDialog: () => showWith(null),
    ...given,
  };
  showWith(null);
}
