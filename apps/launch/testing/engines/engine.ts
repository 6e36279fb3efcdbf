// Interface of a browser engine for tests: tabs that are opened, evaluated and clicked in.

export type EngineName = 'Chromium' | 'Firefox' | 'WebKit';

export interface EngineTab {
  go(url: string): Promise<void>;
  /** Evaluates an expression on the page to JSON. Awaits promises. */
  evaluate<T>(expression: string): Promise<T>;
  /** Clicks the first match with the mouse. `selector`: CSS, or XPath starting with `//`. */
  click(selector: string): Promise<void>;
  /** Directs later calls to the frame that this expression returns; null for the page itself. */
  enter(frame: string | null): Promise<void>;
  close(): Promise<void>;
}

export interface Engine {
  name: EngineName;
  version: string;
  /** Opens a new window, because hidden tabs hardly run. */
  openTab(): Promise<EngineTab>;
  /** Whether its tabs have a virtual authenticator, like a phone. */
  hasAuthenticator: boolean;
  close(): Promise<void>;
}
