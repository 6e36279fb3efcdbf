// The test mode's risk: every flag that can be asked for is raised by the real evaluation, and nothing else is.
import { describe, expect, it } from 'vitest';
import { evaluateRisk } from './evaluate.ts';
import { listRaisable, makeUpRisk, type RiskCircumstances, type WantedRisk } from './simulate.ts';

const ALL_PLACES: RiskCircumstances = {
  ...{ handoff: true, light: 'optional' as const, lightEnforced: false, camera: true },
  ...{ document: true, documentFile: true },
};

function evaluate(kind: 'age' | 'verification', wanted: WantedRisk) {
  const { indicators, cameraSigns, flags } = makeUpRisk(kind, wanted, ALL_PLACES);
  const risk = evaluateRisk({
    indicators,
    cameraSigns,
    madeUp: flags,
    behavior: null,
    documentSigns: [],
    findings: [],
    flowStatus: 'COMPLETED',
    hasErrors: false,
    passed: true,
    mayCrossDevices: kind === 'age',
    tellsBehavior: kind === 'age',
  });
  return { ...risk, indicators };
}

describe.each(['age', 'verification'] as const)('in a session of the kind %s', (kind) => {
  it('each flag that can be raised is, alone and all together', () => {
    const raisable = listRaisable(kind);
    for (const code of raisable) expect(evaluate(kind, { flags: [code] }).flags).toEqual([code]);
    // Light is found to be one thing or the other, and missing browser data show nothing.
    const alone = ['LIGHT_INCONCLUSIVE', 'BROWSER_DATA_MISSING'];
    const together = raisable.filter((code) => !alone.includes(code));
    const all = evaluate(kind, { flags: together });
    expect(all).toMatchObject({ score: 100, recommendation: 'BLOCK' });
    expect([...all.flags].sort()).toEqual(together.sort());
  });

  it('what the outcome says is not given beside it, and the refusal lists what can be', () => {
    for (const code of ['FACE_SPOOF', 'FACE_MISMATCH', 'AGE_BELOW', 'AGE_BELOW_BOUND', 'HEADLESS', '']) {
      expect(() => makeUpRisk(kind, { flags: ['BEHAVIOR_RETRIES', code] }, ALL_PLACES)).toThrow(
        /^body\.flags\.1 cannot be raised.*BEHAVIOR_RETRIES.*HEADLESS_WEBDRIVER/,
      );
    }
  });
});

it('a new device is of verification sessions', () => {
  expect(evaluate('verification', { flags: ['NEW_DEVICE'] }).recommendation).toBe('REVIEW');
  expect(() => makeUpRisk('age', { flags: ['NEW_DEVICE'] }, ALL_PLACES)).toThrow('body.flags.0');
});

it('a change of devices passes where it may', () => {
  const flags = ['CROSS_DEVICE'];
  expect(evaluate('age', { flags })).toMatchObject({ recommendation: 'ALLOW', flags });
  expect(evaluate('verification', { flags })).toMatchObject({ recommendation: 'REVIEW', flags });
});

it('flags of the browser and indicators are two ways to say the same', () => {
  const byFlag = evaluate('age', { flags: ['HEADLESS_WEBDRIVER'] });
  const byIndicator = evaluate('age', { indicators: { headless: { webdriver: true, plugins: false } } });
  expect(byFlag).toEqual(byIndicator);
  expect(byFlag.indicators?.headless).toMatchObject({ webdriver: true, plugins: false });
  expect(Object.values(byFlag.indicators ?? {}).map((group) => Object.keys(group).length)).toEqual([14, 4, 3]);
});

it('there is browser data where some was asked for, though nothing is raised by it', () => {
  expect(evaluate('age', {}).indicators).toBe(null);
  expect(evaluate('age', { flags: ['BEHAVIOR_RETRIES'] }).indicators).toBe(null);
  expect(evaluate('age', { indicators: {} })).toMatchObject({
    score: 0,
    indicators: { headless: { webdriver: false } },
  });
});

it.each([
  ['CROSS_DEVICE', 'handoff', /^body\.flags\.0 cannot be raised: the session stays on one device/],
  ['HANDOFF_NUMBER_WRONG', 'handoff', /handoff is "refuse"/],
  ['BEHAVIOR_HANDOFF_TOO_FAST', 'handoff', /handoff is "refuse"/],
  ['BEHAVIOR_HANDOFF_REPEATED', 'handoff', /handoff is "refuse"/],
  ['DOCUMENT_ON_SCREEN', 'document', /^body\.flags\.0 cannot be raised: this session reads no document/],
  ['DOCUMENT_FROM_FILE', 'documentFile', /only age sessions with enableDocumentFile accept an image file/],
])('%s needs a place for it: %s', (code, place, sentence) => {
  const makeUp = (places: object) => makeUpRisk('age', { flags: [code] }, { ...ALL_PLACES, ...places });
  expect(() => makeUp({ [place]: false })).toThrow(sentence);
  expect(makeUp({}).flags).toMatchObject([{ code }]);
});

it.each([
  [{ headles: { webdriver: true } }, /^body\.indicators\.headles is not a group.*headless, virtualCamera, browserAnom/],
  [
    { headless: { webDriver: true } },
    /^body\.indicators\.headless\.webDriver is not an indicator.*webdriver, userAgent/,
  ],
  [{ virtualCamera: { toString: false } }, /^body\.indicators\.virtualCamera\.toString is not an indicator/],
])('indicators that are misspelt are told and not left out: %j', (indicators, sentence) => {
  expect(() =>
    makeUpRisk('verification', { indicators: indicators as WantedRisk['indicators'] & {} }, ALL_PLACES),
  ).toThrow(sentence);
});

it.each([
  [['LIGHT_INCONCLUSIVE'], { light: 'not_asked' }, /LIGHT_CHALLENGE=off\); create the session with light/],
  [['LIGHT_NOT_AS_DRAWN'], { lightEnforced: true }, /simulate the outcome spoof/],
  [['LIGHT_NOT_AS_DRAWN'], { light: 'none' }, /choose one in which a face is/],
  [['LIGHT_NOT_AS_DRAWN', 'LIGHT_INCONCLUSIVE'], {}, /cannot have both of/],
  [['LIGHT_REQUIRED'], { light: 'required' }, /comes with another flag of the light/],
  [['CAMERA_REPEATED_NOISE'], { camera: false }, /no face is shown to the camera/],
] as const)('%j cannot be where there is %j', (flags, places, sentence) => {
  expect(() => makeUpRisk('age', { flags }, { ...ALL_PLACES, ...places })).toThrow(sentence);
});
