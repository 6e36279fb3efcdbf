// An engine that is driven by the commands of the W3C's WebDriver, however these get there.
import type { Engine, EngineName, EngineTab } from './engine.ts';

/** The commands in use, by the names that the standard has for them. */
export interface WebDriverCommands {
  navigateTo: { url: string };
  executeAsyncScript: { script: string; args: unknown[] };
  findElement: { using: 'css selector' | 'xpath'; value: string };
  elementClick: { element: string };
  getWindowHandle: Record<string, never>;
  newWindow: { type: 'window' };
  switchToWindow: { handle: string };
  closeWindow: Record<string, never>;
  executeScript: { script: string; args: unknown[] };
  switchToFrame: { frame: string };
  setWindowRect: { width: number; height: number };
}

export interface WebDriver {
  name: EngineName;
  version: string;
  /** Rejects with what the driver says against it. */
  send<Name extends keyof WebDriverCommands>(name: Name, given: WebDriverCommands[Name]): Promise<unknown>;
  end(): Promise<void>;
}

/** Long enough for anything that a page is asked. */
export const SESSION_TIMEOUTS = { script: 120_000, pageLoad: 120_000, implicit: 0 };
/** So high that nothing has to be scrolled: in a frame below the fold, WebKit's driver clicks beside what it was told to. */
const WINDOW = { width: 1200, height: 1500 };
/** What the standard calls an element in JSON. */
export const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

export async function driveByWebDriver({ name, version, send, end }: WebDriver): Promise<Engine> {
  // The one that the browser came with stays: from a window that was closed no other can be opened.
  const first = (await send('getWindowHandle', {})) as string;
  // A command goes to the window that was switched to last: so one after the other.
  let last: Promise<unknown> = Promise.resolve();
  function inWindow<T>(handle: string, work: () => Promise<T>): Promise<T> {
    const mine = last
      .catch(() => undefined)
      .then(async () => {
        await send('switchToWindow', { handle });
        return work();
      });
    last = mine;
    return mine;
  }

  async function openTab(): Promise<EngineTab> {
    let frame: string | null = null;
    /** Every command begins in the page itself. */
    const inPlace = <T>(work: () => Promise<T>) =>
      inWindow(handle, async () => {
        if (frame !== null) {
          const found = await send('executeScript', { script: `return ${frame}`, args: [] });
          await send('switchToFrame', { frame: (found as Record<string, string>)[ELEMENT]! });
        }
        return work();
      });
    const { handle } = (await inWindow(first, () => send('newWindow', { type: 'window' }))) as { handle: string };
    await inWindow(handle, () => send('setWindowRect', WINDOW));
    return {
      go: async (url) => void (await inWindow(handle, () => send('navigateTo', { url }))),
      async evaluate<T>(expression: string): Promise<T> {
        const script = `const done = arguments[arguments.length - 1];
          (async () => (${expression}))().then(
            (value) => done({ value: JSON.stringify(value) }),
            (error) => done({ error: String(error) }),
          );`;
        const told = await inPlace(() => send('executeAsyncScript', { script, args: [] }));
        const { value, error } = told as { value?: string; error?: string };
        if (error !== undefined) throw new Error(error);
        return (value === undefined ? undefined : JSON.parse(value)) as T;
      },
      click: (selector) =>
        inPlace(async () => {
          const using = selector.startsWith('//') ? 'xpath' : 'css selector';
          const found = (await send('findElement', { using, value: selector })) as Record<string, string>;
          await send('elementClick', { element: found[ELEMENT]! });
        }),
      async enter(next) {
        frame = next;
      },
      close: async () => void (await inWindow(handle, () => send('closeWindow', {}))),
    };
  }

  return {
    name,
    version,
    openTab,
    hasAuthenticator: false,
    close: end,
  };
}
