// Risk of a session, in areas C and D: the browser's signals and what is made of them.
import { type Static, Type } from 'typebox';
import { ref } from './ref.ts';

const flag = (description: string) => Type.Boolean({ description });

export const Indicators = Type.Object(
  {
    headless: Type.Object(
      {
        webdriver: flag('The browser says that it is remote-controlled.'),
        userAgent: flag('The user agent names a headless browser.'),
        webGL: flag('Graphics come from a software renderer, or there are none.'),
        phantom: flag('Names that PhantomJS leaves in the page; a wallet extension leaves one of them too.'),
        selenium: flag('Names that Selenium or its driver leaves in the page.'),
        chrome: flag('A Chromium user agent without the `chrome` object.'),
        permissions: flag('Two ways to ask for the notification permission disagree.'),
        plugins: flag('The list of plugins is empty where it should not be.'),
        languages: flag('The list of languages is empty.'),
        webRTC: flag('No WebRTC.'),
        notification: flag('No notification interface.'),
        deviceMemory: flag('The amount of memory is missing or odd.'),
        connectionType: flag('The kind of connection is missing or odd.'),
        timing: flag('The clocks of the page behave oddly.'),
      },
      { description: 'Signs of a browser without a person in front of it.' },
    ),
    virtualCamera: Type.Object(
      {
        virtualCameraSoftware: flag('The camera has the name of a known virtual camera.'),
        suspiciousLabels: flag('The camera’s name looks like that of a virtual or capture device.'),
        noMediaDevices: flag('The browser lists no camera.'),
        mediaDevicesError: flag('The list of cameras could not be read.'),
      },
      { description: 'Signs of a camera that is not one.' },
    ),
    browserAnomalies: Type.Object(
      {
        missingWebAPIs: flag('Interfaces that every current browser has are missing.'),
        inconsistentFingerprint: flag('Statements of the browser about itself contradict each other.'),
        automationProperties: flag('Names that automation tools leave in the page.'),
      },
      { description: 'Other oddities of the browser.' },
    ),
  },
  { $id: 'Indicators', description: 'Raw browser signals as the page saw them; `true` is the suspicious side.' },
);
export type Indicators = Static<typeof Indicators>;

/** For the test mode: what is left out is false. */
export const SimulatedRisk = {
  flags: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), {
      uniqueItems: true,
      maxItems: 64,
      description:
        'Risk flags to raise, by their codes (docs/risk.md). Those of the browser set their indicator. Those of a handoff need a session that allows one, those of a document an outcome that reads one. Score, level and recommendation follow from them as they would for a device.',
    }),
  ),
  indicators: Type.Optional(
    Type.Partial(
      Type.Object({
        headless: Type.Partial(Indicators.properties.headless),
        virtualCamera: Type.Partial(Indicators.properties.virtualCamera),
        browserAnomalies: Type.Partial(Indicators.properties.browserAnomalies),
      }),
      {
        description:
          'Browser signals as the page would have seen them; what is left out is false, and a name that is none is refused.',
      },
    ),
  ),
};

const Score = Type.Number({ minimum: 0, maximum: 100 });
const Flags = Type.Array(Type.String(), { description: 'Codes of what contributed, heaviest first.' });

export const RiskSignal = Type.Object(
  { score: Score, flags: Flags },
  { $id: 'RiskSignal', description: 'What one source contributed.' },
);
export type RiskSignal = Static<typeof RiskSignal>;

export const RiskEvaluation = Type.Object(
  {
    score: Score,
    level: Type.Union([Type.Literal('LOW'), Type.Literal('MEDIUM'), Type.Literal('HIGH'), Type.Literal('CRITICAL')], {
      description: 'Below 25, below 50, below 75, and from there on.',
    }),
    recommendation: Type.Union([Type.Literal('ALLOW'), Type.Literal('REVIEW'), Type.Literal('BLOCK')], {
      description:
        'What to act on. `ALLOW` needs level `LOW`, a completed flow, no errors, no flag that forbids it and, in area C, an age at or above the threshold. `BLOCK` is level `CRITICAL`, a spoof, a face that is not the document’s, an answer that was forged or replayed and, in area C, an age below the threshold. All else is `REVIEW`, also a face of which only the lower bound is below.',
    }),
    flags: Flags,
    signals: Type.Object({
      behavioral: Type.Union([ref(RiskSignal), Type.Null()], {
        description:
          'Course of the flow and what it found. In area D always null; what would be in it counts all the same.',
      }),
      browser: ref(RiskSignal, 'Empty without browser data.'),
    }),
  },
  { $id: 'RiskEvaluation' },
);
export type RiskEvaluation = Static<typeof RiskEvaluation>;
