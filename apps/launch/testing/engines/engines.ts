// The engines for journeys. The test command sets which ones are installed.
import { chromiumPath } from '../../../server/testing/browser.ts';
import { startChromium } from './chromium.ts';
import type { Engine, EngineName } from './engine.ts';
import { startFirefox } from './firefox.ts';
import { startWebKit } from './webkit.ts';

const firefoxPath = process.env['LIMEN_TEST_FIREFOX'];
const webKitPath = process.env['LIMEN_TEST_WEBKIT'];

export interface EngineChoice {
  name: EngineName;
  isThere: boolean;
  start(): Promise<Engine>;
}

export const ENGINES: EngineChoice[] = [
  { name: 'Chromium', isThere: chromiumPath !== undefined, start: startChromium },
  { name: 'Firefox', isThere: firefoxPath !== undefined, start: () => startFirefox(firefoxPath!) },
  { name: 'WebKit', isThere: webKitPath !== undefined, start: () => startWebKit(webKitPath!) },
];
