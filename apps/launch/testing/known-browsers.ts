// Real browsers, and tools that pose as such, with the exact indicators that they raise. Based on
// documentation and public reports; real headless Chromium has its own test.
import { type BrowserTraits, brandedAs, WINDOWS_CHROME_AGENT } from './fakes/fake-browser.ts';

export interface KnownBrowser {
  traits: BrowserTraits;
  cameraLabel?: string;
  /** `group.indicator`, in the order of the contract. */
  raises: readonly string[];
}

const agent = (system: string, rest: string) => `Mozilla/5.0 (${system}) ${rest}`;
const CHROME = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0';
const NOT_CHROMIUM = { deviceMemory: undefined, connection: undefined, userAgentData: undefined };
const ANDROID = { platform: 'Linux armv81', plugins: { length: 0 } };
const ADRENO = 'Adreno (TM) 740';
const SWIFTSHADER = 'ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero)), SwiftShader driver)';

const SAFARI: BrowserTraits = {
  navigator: {
    ...NOT_CHROMIUM,
    userAgent: agent(
      'Macintosh; Intel Mac OS X 10_15_7',
      'AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15',
    ),
    platform: 'MacIntel',
    vendor: 'Apple Computer, Inc.',
    languages: ['en-GB'],
  },
  renderer: 'Apple GPU',
  missing: ['chrome'],
  clockMs: 1,
};

const IPHONE: BrowserTraits = {
  ...SAFARI,
  navigator: {
    ...SAFARI.navigator,
    userAgent: agent(
      'iPhone; CPU iPhone OS 18_6 like Mac OS X',
      'AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1',
    ),
    platform: 'iPhone',
  },
  notification: null,
};

const FIREFOX: BrowserTraits = {
  navigator: {
    ...NOT_CHROMIUM,
    userAgent: agent('Windows NT 10.0; Win64; x64; rv:143.0', 'Gecko/20100101 Firefox/143.0'),
    vendor: '',
  },
  renderer: 'ANGLE (Intel, Intel(R) HD Graphics Direct3D11 vs_5_0 ps_5_0), or similar',
  tellsRendererPlainly: true,
  missing: ['chrome'],
  clockMs: 1,
};

const ANDROID_CHROME: BrowserTraits = {
  navigator: {
    ...ANDROID,
    userAgent: agent('Linux; Android 10; K', `${CHROME} Mobile Safari/537.36`),
    userAgentData: brandedAs('Android', 'Google Chrome'),
  },
  renderer: ADRENO,
};

const BRAVE: BrowserTraits = {
  navigator: { connection: undefined, userAgentData: brandedAs('Windows', 'Brave'), deviceMemory: 4 },
  names: { brave: {} },
};

const PHANTOM_WALLET = { phantom: { solana: { isPhantom: true } }, solana: {} };
const FOREIGN = ['headless.deviceMemory', 'headless.connectionType'];

/** Used by people: each must stay LOW. */
export const HONEST_BROWSERS: Readonly<Record<string, KnownBrowser>> = {
  'Chrome on Windows': { traits: {}, cameraLabel: 'Integrated Camera (04f2:b6d9)', raises: [] },
  'Chrome on Linux': {
    traits: {
      navigator: {
        userAgent: agent('X11; Linux x86_64', `${CHROME} Safari/537.36`),
        platform: 'Linux x86_64',
        userAgentData: brandedAs('Linux', 'Google Chrome'),
        // Newer versions report more.
        deviceMemory: 32,
      },
    },
    raises: [],
  },
  'Chrome on ChromeOS': {
    traits: {
      navigator: {
        userAgent: agent('X11; CrOS x86_64 14541.0.0', `${CHROME} Safari/537.36`),
        platform: 'Linux x86_64',
        userAgentData: brandedAs('Chrome OS', 'Google Chrome'),
      },
    },
    raises: [],
  },
  'Chrome on Windows that refused notifications': {
    traits: {
      notification: 'denied',
      navigator: { permissions: { query: async () => ({ state: 'denied' }) } },
    },
    raises: [],
  },
  'Chrome on Windows in a frame of another site': {
    traits: { notification: 'denied', names: { self: 'the frame', top: 'the host' } },
    raises: [],
  },
  'Chrome that downloads PDF files': {
    traits: { navigator: { plugins: { length: 0 } } },
    raises: ['headless.plugins'],
  },
  'Chrome with the Phantom wallet': { traits: { names: PHANTOM_WALLET }, raises: ['headless.phantom'] },
  'Chrome in a virtual machine': {
    traits: { renderer: 'llvmpipe (LLVM 15.0.7, 256 bits)' },
    raises: ['headless.webGL'],
  },
  'Edge on Windows': {
    traits: {
      navigator: {
        userAgent: `${WINDOWS_CHROME_AGENT} Edg/140.0.0.0`,
        userAgentData: brandedAs('Windows', 'Microsoft Edge'),
      },
    },
    cameraLabel: 'Surface Camera Front',
    raises: [],
  },
  'Chrome on Android': { traits: ANDROID_CHROME, cameraLabel: 'camera2 1, facing front', raises: [] },
  'Chrome on Android that asks for the desktop page': {
    traits: {
      navigator: {
        ...ANDROID,
        userAgent: agent('X11; Linux x86_64', `${CHROME} Safari/537.36`),
        userAgentData: brandedAs('Android', 'Google Chrome'),
        plugins: { length: 5 },
      },
      renderer: ADRENO,
    },
    raises: [],
  },
  'Samsung Internet': {
    traits: {
      navigator: {
        ...ANDROID,
        userAgent: agent(
          'Linux; Android 10; K',
          'AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36',
        ),
        userAgentData: brandedAs('Android', 'Samsung Internet', '130'),
      },
      renderer: 'Mali-G78',
    },
    raises: [],
  },
  'Safari on a Mac': { traits: SAFARI, cameraLabel: 'FaceTime HD Camera', raises: FOREIGN },
  'Safari on an iPad': { traits: { ...SAFARI, notification: null }, raises: ['headless.notification', ...FOREIGN] },
  'Safari on an iPhone': { traits: IPHONE, cameraLabel: 'Front Camera', raises: ['headless.notification', ...FOREIGN] },
  'Chrome on an iPhone': {
    traits: {
      ...IPHONE,
      navigator: {
        ...IPHONE.navigator,
        userAgent: agent(
          'iPhone; CPU iPhone OS 18_6 like Mac OS X',
          'AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0.7339.101 Mobile/15E148 Safari/604.1',
        ),
      },
    },
    raises: ['headless.notification', ...FOREIGN],
  },
  'Safari on an iPhone in lockdown mode': {
    traits: { ...IPHONE, renderer: null, missing: ['chrome', 'RTCPeerConnection', 'WebAssembly'] },
    raises: [
      ...['headless.webGL', 'headless.webRTC', 'headless.notification', ...FOREIGN],
      'browserAnomalies.missingWebAPIs',
    ],
  },
  'Firefox on Windows': { traits: FIREFOX, cameraLabel: 'Logitech BRIO', raises: FOREIGN },
  'Firefox on Android': {
    traits: {
      ...FIREFOX,
      navigator: {
        ...FIREFOX.navigator,
        ...ANDROID,
        userAgent: agent('Android 14; Mobile; rv:143.0', 'Gecko/143.0 Firefox/143.0'),
      },
    },
    raises: FOREIGN,
  },
  'Firefox that hides from fingerprinting': {
    traits: { ...FIREFOX, renderer: 'Mozilla', clockMs: 100 },
    cameraLabel: 'Internal Camera',
    raises: FOREIGN,
  },
  'Firefox with developer tools that pose as a phone': {
    traits: {
      ...FIREFOX,
      navigator: { ...FIREFOX.navigator, userAgent: ANDROID_CHROME.navigator?.userAgent ?? '' },
      // The debugger paused the page between two readings.
      pace: { page: 1, wall: 40 },
    },
    raises: [...['headless.chrome', ...FOREIGN, 'headless.timing'], 'browserAnomalies.inconsistentFingerprint'],
  },
  Brave: { traits: BRAVE, raises: ['headless.connectionType'] },
  'Brave without graphics, plugins and WebRTC, with the Phantom wallet': {
    traits: {
      ...BRAVE,
      navigator: { ...BRAVE.navigator, plugins: { length: 0 }, deviceMemory: undefined },
      renderer: null,
      missing: ['RTCPeerConnection'],
      names: PHANTOM_WALLET,
    },
    raises: ['webGL', 'phantom', 'plugins', 'webRTC', 'deviceMemory', 'connectionType'].map(
      (name) => `headless.${name}`,
    ),
  },
  'WeChat on Android': {
    traits: {
      navigator: {
        ...ANDROID,
        userAgent: agent(
          'Linux; Android 13; V2241A Build/TP1A; wv',
          'AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/86.0.4240.99 XWEB/4317 MMWEBSDK/20230805 Mobile Safari/537.36 MicroMessenger/8.0.42',
        ),
        userAgentData: undefined,
        connection: { effectiveType: undefined },
        permissions: undefined,
      },
      renderer: ADRENO,
      notification: null,
      missing: ['chrome', 'structuredClone'],
    },
    raises: [
      ...['headless.chrome', 'headless.notification', 'headless.connectionType'],
      'browserAnomalies.missingWebAPIs',
    ],
  },
  'WeChat on an iPhone': {
    traits: {
      ...IPHONE,
      navigator: {
        ...IPHONE.navigator,
        userAgent: agent(
          'iPhone; CPU iPhone OS 17_5 like Mac OS X',
          'AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 MicroMessenger/8.0.49 NetType/WIFI Language/zh_CN',
        ),
      },
    },
    raises: ['headless.notification', ...FOREIGN],
  },
  'ungoogled-chromium': {
    traits: {
      navigator: {
        userAgent: agent('X11; Linux x86_64', `${CHROME} Safari/537.36`),
        platform: 'Linux x86_64',
        userAgentData: brandedAs('Linux', 'Chromium'),
        plugins: { length: 0 },
        connection: undefined,
      },
      renderer: SWIFTSHADER,
      notification: 'denied',
      missing: ['chrome', 'RTCPeerConnection'],
    },
    raises: ['webGL', 'chrome', 'permissions', 'plugins', 'webRTC', 'connectionType'].map((name) => `headless.${name}`),
  },
};

const HEADLESS_AGENT = agent('X11; Linux x86_64', `${CHROME.replace('Chrome/', 'HeadlessChrome/')} Safari/537.36`);
const HEADLESS_NAVIGATOR = {
  userAgent: HEADLESS_AGENT,
  webdriver: true,
  platform: 'Linux x86_64',
  languages: ['en-US'],
  userAgentData: brandedAs('Linux', 'HeadlessChrome'),
};

/** Automated: none may stay LOW. */
export const AUTOMATED_BROWSERS: Readonly<Record<string, KnownBrowser>> = {
  'Puppeteer with headless Chromium': {
    traits: { navigator: HEADLESS_NAVIGATOR, renderer: SWIFTSHADER },
    cameraLabel: 'fake_device_0',
    raises: ['headless.webdriver', 'headless.userAgent', 'headless.webGL', 'virtualCamera.virtualCameraSoftware'],
  },
  'the old headless Chromium': {
    traits: {
      navigator: { ...HEADLESS_NAVIGATOR, webdriver: false, userAgentData: undefined, plugins: { length: 0 } },
      renderer: null,
      notification: 'denied',
      missing: ['chrome'],
    },
    raises: ['userAgent', 'webGL', 'chrome', 'permissions', 'plugins'].map((name) => `headless.${name}`),
  },
  'headless Chromium under the name of a usual one': {
    traits: { navigator: { userAgent: WINDOWS_CHROME_AGENT, userAgentData: brandedAs('Windows', 'HeadlessChrome') } },
    raises: ['headless.userAgent'],
  },
  'Selenium with Chrome': {
    traits: {
      navigator: { webdriver: true },
      names: { cdc_adoQpoasnfa76pfcZLmcfl_Array: Array, cdc_adoQpoasnfa76pfcZLmcfl_Promise: Promise },
    },
    raises: ['headless.webdriver', 'headless.selenium'],
  },
  'Selenium with Chrome that hides its driver': {
    traits: { documentNames: { $cdc_asdjflasutopfhvcZLmcfl_: {} } },
    raises: ['headless.selenium'],
  },
  'Selenium with an old Firefox': {
    traits: { ...FIREFOX, rootAttributes: ['webdriver'] },
    raises: ['headless.selenium', ...FOREIGN],
  },
  'Selenium with Firefox': {
    traits: { ...FIREFOX, navigator: { ...FIREFOX.navigator, webdriver: true } },
    raises: ['headless.webdriver', ...FOREIGN],
  },
  'Playwright with a visible Chromium': {
    traits: { navigator: { webdriver: true }, names: { __playwright__binding__: () => {} } },
    raises: ['headless.webdriver', 'browserAnomalies.automationProperties'],
  },
  PhantomJS: {
    traits: {
      navigator: {
        ...NOT_CHROMIUM,
        userAgent: agent('Unknown; Linux x86_64', 'AppleWebKit/538.1 (KHTML, like Gecko) PhantomJS/2.1.1 Safari/538.1'),
        platform: 'Linux x86_64',
        vendor: 'Apple Computer, Inc.',
        languages: undefined,
        plugins: { length: 0 },
        permissions: undefined,
        mediaDevices: undefined,
      },
      renderer: null,
      notification: null,
      missing: ['chrome', 'RTCPeerConnection', 'Promise', 'fetch', 'WebAssembly', 'IntersectionObserver'],
      names: { callPhantom: () => {}, _phantom: {} },
    },
    raises: [
      ...['userAgent', 'webGL', 'phantom', 'languages', 'webRTC', 'notification'].map((name) => `headless.${name}`),
      ...FOREIGN,
      'virtualCamera.mediaDevicesError',
      ...['browserAnomalies.missingWebAPIs', 'browserAnomalies.automationProperties'],
    ],
  },
  'PhantomJS under the name of a usual Chrome': {
    traits: { names: { callPhantom: () => {}, _phantom: {} } },
    raises: ['headless.phantom', 'browserAnomalies.automationProperties'],
  },
  'Chrome with a virtual camera': {
    traits: {},
    cameraLabel: 'OBS Virtual Camera',
    raises: ['virtualCamera.virtualCameraSoftware'],
  },
};
