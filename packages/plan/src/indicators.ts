// Indicators that a page can see in its browser, by group and name, with their meaning.

/** Signs in the camera’s stream, by name, with their meaning. */
export const CAMERA_SIGNS = {
  frame_timing: 'Frames come at a regularity, or at times, that no camera has.',
  settings_mismatch: 'The camera’s settings do not fit its capabilities or its pictures.',
  request_ignored:
    'Asked for another frame rate, the camera agreed and nothing changed, or it answered as no camera answers.',
  repeated_noise: 'Frames that should differ are the same to the last bit, or repeat in a cycle.',
  standing_clock: 'Pictures change while the stream’s own time stands still or runs backwards.',
} as const;
export type CameraSign = keyof typeof CAMERA_SIGNS;

export const CAMERA_SIGN_NAMES = Object.keys(CAMERA_SIGNS) as CameraSign[];

export const INDICATORS = {
  headless: {
    webdriver: 'The browser says that it is remote-controlled.',
    userAgent: 'The user agent names a headless browser.',
    webGL: 'Graphics come from a software renderer, or there are none.',
    phantom: 'Names that PhantomJS leaves in the page; a wallet extension leaves one of them too.',
    selenium: 'Names that Selenium or its driver leaves in the page.',
    chrome: 'A Chromium user agent without the `chrome` object.',
    permissions: 'Two ways to ask for the notification permission disagree.',
    plugins: 'The list of plugins is empty where it should not be.',
    languages: 'The list of languages is empty.',
    webRTC: 'No WebRTC.',
    notification: 'No notification interface.',
    deviceMemory: 'The amount of memory is missing or odd.',
    connectionType: 'The kind of connection is missing or odd.',
    timing: 'The page’s clocks behave oddly.',
  },
  virtualCamera: {
    virtualCameraSoftware: 'The camera has the name of a known virtual camera.',
    suspiciousLabels: 'The camera’s name looks like that of a virtual or capture device.',
    noMediaDevices: 'The browser lists no camera.',
    mediaDevicesError: 'The list of cameras could not be read.',
  },
  browserAnomalies: {
    missingWebAPIs: 'Interfaces that every current browser has are missing.',
    inconsistentFingerprint: 'The browser’s statements about itself contradict each other.',
    automationProperties: 'Names that automation tools leave in the page.',
  },
} as const;

export type IndicatorGroup = keyof typeof INDICATORS;
export type IndicatorName<Group extends IndicatorGroup> = keyof (typeof INDICATORS)[Group];

export const INDICATOR_GROUPS = Object.keys(INDICATORS) as IndicatorGroup[];

export function namesOf<Group extends IndicatorGroup>(group: Group): IndicatorName<Group>[] {
  return Object.keys(INDICATORS[group]) as IndicatorName<Group>[];
}
