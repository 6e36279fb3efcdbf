// The one thing that tests know of a browser, whichever it is: tabs that are opened, looked at and clicked in.

export type EngineName = 'Chromium' | 'Firefox' | 'WebKit';

export interface EngineTab {
  go(url: string): Promise<void>;
  /** What an expression is on the page, as JSON; a promise is waited for. */
  evaluate<T>(expression: string): Promise<T>;
  /** As a person does it, with the mouse. `selector` is CSS, or XPath from `//` on; the first that fits. */
  click(selector: string): Promise<void>;
  /** What is asked and clicked from now on is in the frame that this expression names; null: in the page itself. */
  enter(frame: string | null): Promise<void>;
  close(): Promise<void>;
}

export interface Engine {
  name: EngineName;
  version: string;
  /** A window of its own: what is hidden behind another one hardly runs. */
  openTab(): Promise<EngineTab>;
  /** Whether its tabs have one that makes passkeys by itself, as a phone has. */
  hasAuthenticator: boolean;
  close(): Promise<void>;
}
