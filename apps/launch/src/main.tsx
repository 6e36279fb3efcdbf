// Starts the page: finds the session, loads the language, and connects the flow to the browser.
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
import { getTitle } from './ui/headings.ts';
import { isFramed } from './ui/parts/leaving-link.tsx';
import { createWallets, type WalletBrowser } from './wallets/wallets.ts';

const root = document.getElementById('root')!;
/** Page that embeds this one, if any. */
let host: Host | undefined;
/** Obstacle that prevents a check in this frame. */
let obstacle: FrameObstacle | null = null;
let renderAgain = () => {};

const UNREACHABLE: Screen = {
  name: 'problem',
  problem: 'models',
  canRetry: true,
  // Without a session there is nothing to hand off or cancel.
  canUsePhone: false,
  canCancel: false,
};

/** Query parameter without a session; `/launch/my-age-key` redirects to it. */
const MY_AGE_KEY = 'my-age-key';

/** Loaded later, because the first screen needs neither. */
const loadSignals = () => import('./signals/collect-signals.ts');
const loadCheck = async () => (await Promise.all([import('./flow/check/run-check.ts'), loadSignals()]))[0];

await start().catch(() => showAlone(UNREACHABLE));

/** Removes the static content, which Preact would otherwise keep below the page. */
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
      notifyHost(state, words);
    },
  });
  const actions = host?.guard(page.actions) ?? page.actions;
  page.open(view);
}

function onObstacle(reported: FrameObstacle | null): void {
  obstacle = reported;
  renderAgain();
}

function notifyHost(state: PageState, words: Translator): void {
  const [name, close] = [words.text(getTitle(state.asks)), words.text('action.close')];
  host?.show(state, { name, close, lang: words.tag, dir: directionOf(words.tag) });
}

/** Falls back to a key in memory if the browser cannot store one. A reload then ends the check. */
async function createClient(sessionId: string): Promise<{ client: DeviceClient; keepsKey: boolean }> {
  const baseUrl = new URL('.', location.href).href;
  try {
    return { client: await createDeviceClient({ baseUrl, sessionId, keys: createIndexedDbKeys() }), keepsKey: true };
  } catch (error) {
    if (error instanceof TypeError) throw error;
    return { client: await createDeviceClient({ baseUrl, sessionId, keys: createMemoryKeys() }), keepsKey: false };
  }
}

/** Shows the age key page, which has no session. */
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

/** Shows a screen without a session. Its actions are reading, reloading, and `extraActions`. */
async function showAlone(screen: Screen, extraActions: Partial<Actions> = {}): Promise<void> {
  const words = await loadLanguage(navigator.language);
  const showWith = (dialog: Dialog | null) => {
    const state = { screen, dialog, asks: null };
    show(<App state={state} actions={actions} words={words} />);
    notifyHost(state, words);
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
    ...extraActions,
  };
  showWith(null);
}
