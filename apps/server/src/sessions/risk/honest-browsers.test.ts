// Unusual honest browsers are allowed or reviewed; only a remote-controlled one is blocked.
import { DOCUMENT_SIGNS } from '@limen/plan';
import { describe, expect, it } from 'vitest';
import { evaluate, HARD_TIME, INDICATOR_NAMES, isWeak } from '#testing/sessions/risk-facts.ts';

// Composed from public reports of false alarms and the features that these browsers disable.
describe('an honest browser often taken for a bot', () => {
  const brave = [
    ...['headless.plugins', 'headless.deviceMemory', 'headless.connectionType', 'headless.webGL'],
    'browserAnomalies.inconsistentFingerprint',
  ];
  const wechat = [
    ...['headless.notification', 'headless.permissions', 'headless.plugins', 'headless.connectionType'],
    'browserAnomalies.missingWebAPIs',
  ];
  const browsers: Record<string, string[]> = {
    Brave: brave,
    'Brave without WebRTC': [...brave, 'headless.webRTC'],
    'Brave with the Phantom wallet': [...brave, 'headless.phantom'],
    'Chrome with the Phantom wallet': ['headless.phantom'],
    'Firefox with developer tools that pose as a phone': [
      ...['headless.connectionType', 'headless.deviceMemory', 'headless.chrome', 'headless.timing'],
      'browserAnomalies.inconsistentFingerprint',
    ],
    'WeChat on an iPhone': [...wechat, 'headless.deviceMemory'],
    'WeChat on Android': [...wechat, 'headless.chrome'],
    'ungoogled-chromium': [
      ...['headless.plugins', 'headless.webRTC', 'headless.chrome', 'headless.permissions', 'headless.webGL'],
      'headless.connectionType',
    ],
    'Chrome that downloads PDF files': ['headless.plugins'],
    'Brave without WebRTC, with the Phantom wallet': [...brave, 'headless.webRTC', 'headless.phantom'],
  };

  it.each(Object.entries(browsers))('is allowed: %s', (_, raised) => {
    const risk = evaluate(raised);
    expect(risk).toMatchObject({ level: 'LOW', recommendation: 'ALLOW' });
    expect(risk.flags).toHaveLength(raised.length);
  });

  it.each(Object.entries(browsers))('is not blocked for a struggling person either: %s', (_, raised) => {
    const { level, recommendation } = evaluate(raised, HARD_TIME);
    expect({ level, recommendation }).toEqual({
      level: expect.stringMatching(/LOW|MEDIUM/),
      recommendation: expect.stringMatching(/ALLOW|REVIEW/),
    });
  });

  it.each(Object.entries(browsers))('is reviewed, not blocked, if a stranger has its link: %s', (_, raised) => {
    for (const otherDeviceAttempts of [1, 5]) {
      expect(evaluate(raised, { otherDeviceAttempts }).recommendation).toBe('REVIEW');
      expect(evaluate(raised, { ...HARD_TIME, otherDeviceAttempts }).recommendation).toBe('REVIEW');
    }
  });

  it.each(Object.entries(browsers))(
    '%s is reviewed and not blocked when its document is taken for a copy',
    (_, raised) => {
      expect(evaluate(raised, {}, { documentSigns: DOCUMENT_SIGNS }).recommendation).toBe('REVIEW');
    },
  );

  it('is not blocked for every weak flag at once', () => {
    expect(evaluate(INDICATOR_NAMES.filter(isWeak)).recommendation).toBe('REVIEW');
  });

  it('is blocked if headless and remote-controlled', () => {
    expect(evaluate(['headless.webdriver', 'headless.userAgent']).recommendation).toBe('BLOCK');
  });
});
