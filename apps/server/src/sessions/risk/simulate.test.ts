// Risk in the test mode: the real evaluation raises every requested flag, and no other.
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

describe.each(['age', 'verification'] as const)('simulated risk in a session of the kind %s', (kind) => {
  it('raises each possible flag, alone and all together', () => {
    const raisable = listRaisable(kind);
    for (const code of raisable) expect(evaluate(kind, { flags: [code] }).flags).toEqual([code]);
    // Light has one finding at a time, and missing browser data excludes other signs.
    const alone = ['LIGHT_INCONCLUSIVE', 'BROWSER_DATA_MISSING'];
    const together = raisable.filter((code) => !alone.includes(code));
    const all = evaluate(kind, { flags: together });
    expect(all).toMatchObject({ score: 100, recommendation: 'BLOCK' });
    expect([...all.flags].sort()).toEqual(together.sort());
  });

  it('refuses flags implied by the outcome, and lists the possible ones', () => {
    for (const code of ['FACE_SPOOF', 'FACE_MISMATCH', 'AGE_BELOW', 'AGE_BELOW_BOUND', 'HEADLESS', '']) {
      expect(() => makeUpRisk(kind, { flags: ['BEHAVIOR_RETRIES', code] }, ALL_PLACES)).toThrow(
        /^body\.flags\.1 cannot be raised.*BEHAVIOR_RETRIES.*HEADLESS_WEBDRIVER/,
      );
    }
  });
});

it('allows a new device only in verification sessions', () => {
  expect(evaluate('verification', { flags: ['NEW_DEVICE'] }).recommendation).toBe('REVIEW');
  expect(() => makeUpRisk('age', { flags: ['NEW_DEVICE'] }, ALL_PLACES)).toThrow('body.flags.0');
});

it('lets a change of devices pass if allowed', () => {
  const flags = ['CROSS_DEVICE'];
  expect(evaluate('age', { flags })).toMatchObject({ recommendation: 'ALLOW', flags });
  expect(evaluate('verification', { flags })).toMatchObject({ recommendation: 'REVIEW', flags });
});

it('treats browser flags and indicators alike', () => {
  const byFlag = evaluate('age', { flags: ['HEADLESS_WEBDRIVER'] });
  const byIndicator = evaluate('age', { indicators: { headless: { webdriver: true, plugins: false } } });
  expect(byFlag).toEqual(byIndicator);
  expect(byFlag.indicators?.headless).toMatchObject({ webdriver: true, plugins: false });
  expect(Object.values(byFlag.indicators ?? {}).map((group) => Object.keys(group).length)).toEqual([14, 4, 3]);
});

it('includes browser data if requested, even without flags', () => {
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
])('requires a fitting session for %s: %s', (code, place, sentence) => {
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
])('reports misspelled indicators: %j', (indicators, sentence) => {
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
