// All risk flags: codes, weights, causes, and who raises them innocently.
import type { Indicators } from '@limen/contract';
import type { CameraSign, DocumentSign } from '@limen/plan';
import type { BehaviorMeasures } from './measure-behavior.ts';

export const LEVELS = [
  { level: 'LOW', from: 0 },
  { level: 'MEDIUM', from: 25 },
  { level: 'HIGH', from: 50 },
  { level: 'CRITICAL', from: 75 },
] as const;

export interface RiskFlag {
  code: string;
  weight: number;
  /** Best possible recommendation with this flag, at any score */
  atBest?: 'REVIEW' | 'BLOCK';
}

export interface BrowserFlag extends RiskFlag {
  innocent: string;
}

/** Weights below 25 are weak: flags of a misjudged honest browser stay below 25, all weak ones below 75. */
export const BROWSER_FLAGS: { [G in keyof Indicators]: { [I in keyof Indicators[G]]: BrowserFlag } } = {
  headless: {
    webdriver: { code: 'HEADLESS_WEBDRIVER', weight: 60, innocent: '' },
    userAgent: { code: 'HEADLESS_USER_AGENT', weight: 60, innocent: '' },
    webGL: { code: 'HEADLESS_WEBGL', weight: 4, innocent: 'Brave, virtual machines, graphics switched off' },
    phantom: { code: 'HEADLESS_PHANTOM', weight: 4, innocent: 'the Phantom wallet' },
    selenium: { code: 'HEADLESS_SELENIUM', weight: 50, innocent: '' },
    chrome: { code: 'HEADLESS_CHROME', weight: 4, innocent: 'WeChat, ungoogled-chromium, Firefox posing as a phone' },
    permissions: { code: 'HEADLESS_PERMISSIONS', weight: 4, innocent: 'WeChat, ungoogled-chromium' },
    plugins: { code: 'HEADLESS_PLUGINS', weight: 4, innocent: 'Brave, WeChat, Chrome set to download PDF files' },
    languages: { code: 'HEADLESS_LANGUAGES', weight: 5, innocent: 'some web views' },
    webRTC: { code: 'HEADLESS_WEBRTC', weight: 3, innocent: 'Brave and ungoogled-chromium with WebRTC switched off' },
    notification: { code: 'HEADLESS_NOTIFICATION', weight: 3, innocent: 'WeChat, Safari on iPhones' },
    deviceMemory: { code: 'HEADLESS_DEVICE_MEMORY', weight: 2, innocent: 'Firefox, Safari, Brave' },
    connectionType: { code: 'HEADLESS_CONNECTION_TYPE', weight: 2, innocent: 'Firefox, Safari, Brave, WeChat' },
    timing: { code: 'HEADLESS_TIMING', weight: 4, innocent: 'open developer tools, coarse clocks' },
  },
  virtualCamera: {
    virtualCameraSoftware: { code: 'CAMERA_VIRTUAL_SOFTWARE', weight: 40, innocent: 'people who stream' },
    suspiciousLabels: {
      code: 'CAMERA_SUSPICIOUS_LABEL',
      weight: 25,
      innocent: 'capture cards, phones used as cameras',
    },
    noMediaDevices: { code: 'CAMERA_NONE_LISTED', weight: 5, innocent: 'browsers that hide the list' },
    mediaDevicesError: { code: 'CAMERA_LIST_ERROR', weight: 5, innocent: 'a camera in use elsewhere' },
  },
  browserAnomalies: {
    missingWebAPIs: { code: 'ANOMALY_MISSING_WEB_APIS', weight: 4, innocent: 'WeChat, old web views' },
    inconsistentFingerprint: {
      code: 'ANOMALY_INCONSISTENT_FINGERPRINT',
      weight: 5,
      innocent: 'Brave, Firefox with developer tools',
    },
    automationProperties: { code: 'ANOMALY_AUTOMATION_PROPERTIES', weight: 50, innocent: '' },
  },
};

/** Signs of the camera stream count with the browser. None blocks alone; all together do. */
export const CAMERA_FLAGS: Readonly<Record<CameraSign, BrowserFlag>> = {
  frame_timing: {
    code: 'CAMERA_FRAME_TIMING',
    weight: 15,
    innocent: 'none known; a program that forwards a real camera’s picture by a timer may',
  },
  settings_mismatch: {
    code: 'CAMERA_SETTINGS_MISMATCH',
    weight: 15,
    innocent: 'web views and cameras that state their capabilities wrongly',
  },
  request_ignored: {
    code: 'CAMERA_REQUEST_IGNORED',
    weight: 15,
    innocent: 'extensions that wrap the browser’s functions, drivers that keep their rate whatever they say',
  },
  repeated_noise: { code: 'CAMERA_REPEATED_NOISE', weight: 40, innocent: 'cameras that freeze for a while' },
  standing_clock: {
    code: 'CAMERA_STANDING_CLOCK',
    weight: 20,
    innocent: 'none known: without times from the browser the sign is not raised',
  },
};

export interface FindingFlag extends BrowserFlag {
  meaning: string;
}

/** Signs of a document count with behavior. The first two raise the level; together they do not block. */
export const DOCUMENT_FLAGS: Readonly<Record<DocumentSign, FindingFlag>> = {
  screen: {
    code: 'DOCUMENT_ON_SCREEN',
    weight: 25,
    meaning: 'The document seems to be shown on a screen.',
    innocent:
      'documents with a rainbow foil over much of them, or held where the light of the screen does not reach them',
  },
  photocopy: {
    code: 'DOCUMENT_PHOTOCOPY',
    weight: 25,
    meaning: 'The document seems to be a copy on paper.',
    innocent: 'documents with few colors, in poor light',
  },
  file: {
    code: 'DOCUMENT_FROM_FILE',
    weight: 0,
    meaning:
      'The document came as an image file, which the session allows. This is for information and weighs nothing.',
    innocent: 'everyone who chooses a file',
  },
};

/** Findings count with behavior. Weight 0 acts through `atBest` alone: being young is no risk. */
export const FINDING_FLAGS = {
  faceSpoof: {
    code: 'FACE_SPOOF',
    weight: 75,
    atBest: 'BLOCK',
    meaning: 'The face was a picture, a screen or a mask (error 1).',
    innocent: 'poor light, strong reflections',
  },
  faceMismatch: {
    code: 'FACE_MISMATCH',
    weight: 60,
    atBest: 'BLOCK',
    meaning: 'The face is not the one on the document, or the document shows none to compare with (error -9).',
    innocent: 'old or worn portraits',
  },
  ageBelow: {
    code: 'AGE_BELOW',
    weight: 0,
    atBest: 'BLOCK',
    meaning:
      'Age sessions: the age on the document is below its threshold or, if the face decides, the plain estimate is.',
    innocent: 'adults who look younger than the threshold, if a face decides',
  },
  ageBelowBound: {
    code: 'AGE_BELOW_BOUND',
    weight: 0,
    atBest: 'REVIEW',
    meaning:
      'Age sessions: the face decides, and only its lower bound is known to be below the threshold; the estimate is not, or an older page does not say.',
    innocent: 'many adults a few years above the threshold',
  },
  browserDataMissing: {
    code: 'BROWSER_DATA_MISSING',
    weight: 25,
    atBest: 'REVIEW',
    meaning:
      'The session was finished without browser data (`indicators` null), which the launch page always sends. API keys of native apps are exempt (`limen keys create --native-app`).',
    innocent: 'native apps whose API key is not marked',
  },
  addressBurst: {
    code: 'ADDRESS_BURST',
    weight: 0,
    atBest: 'REVIEW',
    meaning:
      'More than `BURST_PER_MINUTE` answers for one API key came from one IPv4 address or IPv6 /64 within a minute. Sessions that an age key or a wallet ends are not counted. It is raised for live keys only, and only where the service knows the address of the client. API keys marked as kiosks are exempt (`limen keys create --kiosk`).',
    innocent: 'events, schools and offices where many people check at once behind one address',
  },
  logRepeated: {
    code: 'BEHAVIOR_LOG_REPEATED',
    weight: 50,
    atBest: 'REVIEW',
    meaning:
      'The times between the movements are those of an earlier check of the same customer within a day, to within about 2 ms. Only logs with three movements or more are compared.',
    innocent: '',
  },
  newDevice: {
    code: 'NEW_DEVICE',
    weight: 0,
    atBest: 'REVIEW',
    meaning:
      'Verification sessions: the person was already enrolled, and only the face identifies them: no device or passkey that is [vouched for](sign-in.md#what-a-face-alone-is-worth).',
    innocent: 'everyone on a new phone or after clearing their browser, until you trust it',
  },
  crossDevice: {
    code: 'CROSS_DEVICE',
    weight: 0,
    atBest: 'REVIEW',
    meaning:
      'The session moved from one device to another, so the person who finished it may not be the one who started it. With `handoff: "review"`, the default of verification sessions, the recommendation is then at most `REVIEW`, unless a vouched-for passkey of the person was used on the device that started it. With `handoff: "allow"`, the default of age sessions, the flag is for information only ([binding a session](sign-in.md#binding-a-session-to-the-browser-that-began-it)).',
    innocent: 'everyone who starts on a computer and continues on a phone',
  },
  lightNotAsDrawn: {
    code: 'LIGHT_NOT_AS_DRAWN',
    weight: 50,
    atBest: 'REVIEW',
    meaning:
      'The screen lit the face in the colors that the server drew. The camera’s pictures did not show them in time, or showed them as on a flat surface. With `LIGHT_CHALLENGE=enforce` this is a spoof instead.',
    innocent:
      'people in daylight or in front of a very dim screen, screens with a color filter, lamps that change color',
  },
  lightInconclusive: {
    code: 'LIGHT_INCONCLUSIVE',
    weight: 0,
    meaning:
      'The light could not be judged: too little of it reached the face, it lay on the face like paint on a picture, or the person went on without it. The reason is not reported, because it could hint at the person’s health. For information only.',
    innocent:
      'people in bright rooms, with small or dim screens, with a mark over half of the face or a screen far to the side, and people who cannot tolerate changing colors',
  },
  lightRequired: {
    code: 'LIGHT_REQUIRED',
    weight: 0,
    atBest: 'REVIEW',
    meaning: 'The session asks for `light: "required"`, and the face was not found lit as drawn.',
    innocent: 'the same people',
  },
  ageKeyUsed: {
    code: 'AGE_KEY_USED',
    weight: 0,
    meaning:
      'Age sessions: an [age key](proofs.md) proved the age without a camera. Anyone who can unlock the device or account that holds the key can use it. For information only.',
    innocent: 'everyone who uses one',
  },
  walletUsed: {
    code: 'WALLET_USED',
    weight: 0,
    meaning:
      'Age sessions: a [wallet](proofs.md) proved the age without a camera. Anyone who can unlock the wallet can use it. For information only.',
    innocent: 'everyone who uses one',
  },
} as const satisfies Readonly<Record<string, FindingFlag>>;
export type Finding = keyof typeof FINDING_FLAGS;

export type BehaviorFlag = RiskFlag & {
  meaning: string;
  measure: keyof BehaviorMeasures;
} & ({ below: number } | { atLeast: number });

/** The limits are estimates with a margin, not measurements. */
export const BEHAVIOR_FLAGS: readonly BehaviorFlag[] = [
  {
    code: 'BEHAVIOR_REPLAY',
    weight: 100,
    atBest: 'BLOCK',
    measure: 'replayAttempts',
    atLeast: 1,
    meaning:
      'An answer was sent that cannot be opened or was made for another session or plan. A second, different answer after the end is refused (-15) and cannot change the result; the same answer again, after a lost reply, is acknowledged.',
  },
  {
    code: 'BEHAVIOR_OUT_OF_PLAN',
    weight: 100,
    atBest: 'BLOCK',
    measure: 'outOfPlanAnswers',
    atLeast: 1,
    meaning: 'An answer did not fit the plan that the server drew: a step or challenge skipped, added or reordered.',
  },
  {
    code: 'BEHAVIOR_CAPTURE_TOO_FAST',
    weight: 50,
    measure: 'captureMsPerStep',
    below: 2000,
    meaning:
      'By the server’s clock, the capture took less time than a person needs for the steps that were started, the light not counted.',
  },
  {
    code: 'BEHAVIOR_CHALLENGE_TOO_FAST',
    weight: 50,
    measure: 'fastestChallengeMs',
    below: 250,
    meaning: 'A challenge was done faster than a person can see it and move.',
  },
  {
    code: 'BEHAVIOR_LOG_OUT_OF_ORDER',
    weight: 40,
    measure: 'logOrderBreaks',
    atLeast: 1,
    meaning: 'The times in the step log run backwards.',
  },
  {
    code: 'BEHAVIOR_LOG_TOO_LONG',
    // A capture that was too fast shows the same haste: both together do not block.
    weight: 20,
    atBest: 'REVIEW',
    measure: 'logOverrunMs',
    atLeast: 500,
    meaning:
      'The step log names a time that had not come yet: when it was reported, less time had passed on the server’s clock since the plan was served. Half a second and a thousandth of that time are allowed for clocks that differ.',
  },
  {
    code: 'HANDOFF_NUMBER_WRONG',
    weight: 0,
    atBest: 'REVIEW',
    measure: 'handoffNumbersWrong',
    atLeast: 1,
    meaning:
      'A person with a handoff code picked a number that the first device did not show, or answered that it showed none of them or that they had not started the check. They may not have seen its screen.',
  },
  {
    code: 'BEHAVIOR_OTHER_DEVICE',
    weight: 30,
    measure: 'otherDeviceAttempts',
    atLeast: 1,
    meaning:
      'A device that does not belong to the session made one of its calls, or a third device tried to claim it. Anyone with the link can raise this; it leads to a review and, together with the flags of an odd but honest browser, never to a block.',
  },
  {
    code: 'BEHAVIOR_CHALLENGE_UNIFORM',
    weight: 25,
    measure: 'challengeSpreadMs',
    below: 20,
    meaning: 'Three or more challenges took the same time to within a few milliseconds.',
  },
  {
    code: 'BEHAVIOR_RETRIES_EXCESSIVE',
    weight: 25,
    measure: 'retries',
    atLeast: 10,
    meaning: 'Steps were repeated very often.',
  },
  {
    code: 'BEHAVIOR_HANDOFF_TOO_FAST',
    weight: 6,
    measure: 'fastestHandoffMs',
    below: 1500,
    meaning: 'A handoff code was used faster than anyone can scan it.',
  },
  {
    code: 'BEHAVIOR_HANDOFF_REPEATED',
    weight: 4,
    measure: 'handoffs',
    atLeast: 2,
    meaning: 'The session changed devices more than once.',
  },
  {
    code: 'BEHAVIOR_RETRIES',
    weight: 3,
    measure: 'retries',
    atLeast: 4,
    meaning: 'Steps were repeated often.',
  },
  {
    code: 'BEHAVIOR_CHALLENGE_SLOW',
    weight: 3,
    measure: 'slowestChallengeMs',
    atLeast: 12_000,
    meaning: 'A challenge took nearly all the time that the plan allows.',
  },
];
