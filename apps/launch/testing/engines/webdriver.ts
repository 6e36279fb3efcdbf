// Drives an engine with W3C WebDriver commands over any transport.
import type { Engine, EngineName, EngineTab } from './engine.ts';

/** The used commands, by their standard names. */
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
  send<Name extends keyof WebDriverCommands>(name: Name, params: WebDriverCommands[Name]): Promise<unknown>;
  end(): Promise<void>;
}

/** Long enough for any script. */
export const SESSION_TIMEOUTS = { script: 120_000, pageLoad: 120_000, implicit: 0 };
/** Needs no scrolling: WebKit's driver misses clicks in frames below the fold. */
const WINDOW = { width: 1200, height: 1500 };
/** Key of an element in JSON, defined by the standard. */
export const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

export async function driveByWebDriver({ name, version, send, end }: WebDriver): Promise<Engine> {
  // The initial window stays open, because no other can be opened from a closed one.
  const first = (await send('getWindowHandle', {})) as string;
  // Commands go to the last selected window, so they are serialized.
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
    /** Every command starts in the page itself. */
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
        const reply = await inPlace(() => send('executeAsyncScript', { script, args: [] }));
        const { value, error } = reply as { value?: string; error?: string };
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
