// Narrow view of `window` for the detectors, which tests can provide.
import type { Indicators } from '@limen/contract';

/** Detectors look for missing properties, so all are optional. Other names need `in`. */
export interface BrowserFacts {
  navigator: NavigatorFacts;
  document: DocumentFacts;
  performance: { now(): number };
  Date: { now(): number };
  setTimeout(callback: () => void, delayMs: number): unknown;
  Notification?: { readonly permission?: string };
  /** Equal outside of a frame. */
  self?: unknown;
  top?: unknown;
}

export interface NavigatorFacts {
  readonly userAgent: string;
  readonly webdriver?: boolean | undefined;
  readonly platform?: string | undefined;
  readonly vendor?: string | undefined;
  readonly languages?: readonly string[] | undefined;
  readonly plugins?: { readonly length: number } | undefined;
  readonly permissions?:
    | { query(descriptor: { name: 'notifications' }): Promise<{ readonly state: string }> }
    | undefined;
  readonly mediaDevices?: { enumerateDevices(): Promise<readonly { readonly kind: string }[]> } | undefined;
}

/** Parts of `navigator` that only Chromium has or that type libraries lack. */
export interface ChromiumFacts {
  readonly deviceMemory?: unknown;
  readonly connection?: { readonly effectiveType?: unknown } | undefined;
  readonly userAgentData?:
    | {
        readonly platform?: string;
        readonly brands?: readonly { readonly brand: string; readonly version: string }[] | undefined;
      }
    | undefined;
}

export interface DocumentFacts {
  readonly documentElement: { getAttributeNames(): string[] };
  createElement(tag: 'canvas'): { getContext(kind: 'webgl'): GraphicsFacts | null };
}

export interface GraphicsFacts {
  getParameter(name: number): unknown;
  getExtension(name: string): unknown;
}

export interface SignalEnvironment {
  browser: BrowserFacts;
  /** Label of the current camera's track; null if none was opened. */
  cameraLabel: string | null;
}

/** True is suspicious. A detector that throws, rejects or is late counts as false. */
export type Detector = (environment: SignalEnvironment) => boolean | Promise<boolean>;

/** One detector for each indicator of a group; a missing or extra one does not compile. */
export type Detectors<Group extends keyof Indicators> = { [Name in keyof Indicators[Group]]: Detector };

export function readChromiumFacts(browser: BrowserFacts): ChromiumFacts {
  return browser.navigator as ChromiumFacts;
}

export function isChromium({ navigator }: BrowserFacts): boolean {
  // On iPhones, Chrome is CriOS and Edge is EdgiOS; both are Safari underneath.
  return navigator.userAgent.includes('Chrome/');
}

export function hasAnyName(holder: object, names: readonly string[]): boolean {
  return names.some((name) => name in holder);
}
