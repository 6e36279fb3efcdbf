// The browser signals of the launch page: what it can tell about who, or what, is in front of the camera.
export type { BrowserFacts, SignalEnvironment } from './browser-facts.ts';
export { collectSignals } from './collect-signals.ts';
