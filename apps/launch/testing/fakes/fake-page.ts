// The whole flow on fakes, without a page.
import type { CarriedSteps, DevicePlan, DeviceView, LogEntry } from '@limen/sdk/device';
import type { PageState, Screen } from '../../src/course/screens.ts';
import { mayFollow } from '../../src/course/transitions.ts';
import { runCheck } from '../../src/flow/check/run-check.ts';
import { LaunchPage } from '../../src/flow/page.ts';
import type { PersonRecord } from '../../src/people/person-record.ts';
import { createFakeCamera, createFakeEngine, type FakeVideo } from './fake-camera.ts';
import { createFakeClient } from './fake-device-client.ts';
import { PLAN, untilTrue } from './fake-flow.ts';
import { createFakePasskeys, createFakePeople } from './fake-people.ts';
import { createFakePlatform } from './fake-platform.ts';
import { createFakeWallets } from './fake-wallets.ts';

interface Options {
  view?: Partial<DeviceView>;
  plan?: Partial<DevicePlan>;
  reported?: LogEntry[];
  code?: string;
  /** Code with which a wallet led here. */
  responseCode?: string;
  /** Whether the page is in a frame, to which a wallet cannot lead back. */
  isFramed?: boolean;
  /** Findings of the previous device. */
  carried?: CarriedSteps;
  isComputer?: boolean;
  wantsNoColours?: boolean;
  savesData?: boolean;
  /** Makes the check's code fail to load. */
  checkIsMissing?: boolean;
  /** People stored in the browser. */
  people?: readonly PersonRecord[];
}

type Named<Name extends Screen['name']> = Extract<Screen, { name: Name }>;

export function createFakePage(options: Options = {}) {
  const { view, plan, reported, code, carried, isComputer = false, people: known } = options;
  const { wantsNoColours: wantsNoColors = false, savesData = false } = options;
  const platform = createFakePlatform({ isComputer, wantsNoColours: wantsNoColors, savesData });
  const session = { platform, plan: { ...PLAN, ...plan }, ...(view && { view }), ...(reported && { reported }) };
  const client = createFakeClient({ ...session, ...(carried && { carried }) });
  const engine = createFakeEngine();
  const camera = createFakeCamera(platform);
  const people = createFakePeople(known);
  const passkeys = createFakePasskeys();
  const wallets = createFakeWallets();
  const states: PageState[] = [];
  let element: FakeVideo | undefined;

  const page = new LaunchPage({
    client,
    arrival: {
      code,
      boxKey: carried && 'key',
      responseCode: options.responseCode,
      comesBack: !options.isFramed,
    },
    engine,
    camera,
    platform,
    keepers: { people, passkeys, wallets },
    later: {
      loadCheck: async () => {
        if (options.checkIsMissing) throw new TypeError('Failed to fetch dynamically imported module');
        return { runCheck };
      },
      readPicture: async () => ({}) as ImageBitmap,
      collectSignals: async () => ({ headless: [], virtualCamera: [], browserAnomalies: [] }),
    },
    onChange(state) {
      const before = states.at(-1)?.screen.name ?? 'opening';
      if (!mayFollow(before, state.screen.name)) throw new Error(`${before} does not lead to ${state.screen.name}`);
      states.push(state);
      const isCapture = ['capture', 'document_capture'].includes(state.screen.name);
      if (isCapture === (element?.isShown ?? false)) return;
      if (element) element.isShown = false;
      element = isCapture ? { isShown: true } : undefined;
      page.actions.attachVideo((element as unknown as HTMLVideoElement) ?? null);
    },
  });
  const { actions } = page;
  const screen = () => states.at(-1)?.screen;
  return {
    platform,
    client,
    engine,
    camera,
    people,
    passkeys,
    wallets,
    actions,
    states,
    screen,
    dialog: () => states.at(-1)?.dialog,
    /** Names of the screens in order, without repetitions. */
    names: () => states.map((state) => state.screen.name).filter((name, i, names) => name !== names[i - 1]),
    async open(): Promise<void> {
      page.open(await client.view());
    },
    /** Waits for a screen with the given properties. */
    async see<Name extends Screen['name']>(name: Name, says: Partial<Named<Name>> = {}): Promise<Named<Name>> {
      const isThere = () => {
        const seen = screen();
        if (seen?.name !== name) return false;
        return Object.entries(says).every(([key, value]) => Reflect.get(seen, key) === value);
      };
      await untilTrue(isThere, () => ({ wanted: [name, says], seen: states.at(-1) }));
      return screen() as Named<Name>;
    },
    cancel() {
      actions.askToCancel();
      actions.confirmCancel();
    },
  };
}

export type FakePage = ReturnType<typeof createFakePage>;
