// Signs of the camera stream in the risk: weights, scope, and no decision by one alone.
import { CAMERA_SIGN_NAMES, type CameraSign } from '@limen/plan';
import { expect, it } from 'vitest';
import { evaluate } from '#testing/sessions/risk-facts.ts';

const riskOf = (...cameraSigns: CameraSign[]) => evaluate([], {}, { cameraSigns });

it.each([
  ['frame_timing', 'CAMERA_FRAME_TIMING', 15, 'ALLOW'],
  ['settings_mismatch', 'CAMERA_SETTINGS_MISMATCH', 15, 'ALLOW'],
  ['request_ignored', 'CAMERA_REQUEST_IGNORED', 15, 'ALLOW'],
  ['repeated_noise', 'CAMERA_REPEATED_NOISE', 40, 'REVIEW'],
  ['standing_clock', 'CAMERA_STANDING_CLOCK', 20, 'ALLOW'],
] as const)('%s raises %s with %i, and alone it is %s', (sign, code, score, recommendation) => {
  const risk = riskOf(sign);
  expect(risk).toMatchObject({ score, recommendation, flags: [code] });
  expect(risk.signals).toEqual({ behavioral: { score: 0, flags: [] }, browser: { score, flags: [code] } });
});

it('are reviewed in pairs and blocked all together', () => {
  for (const one of CAMERA_SIGN_NAMES) {
    for (const other of CAMERA_SIGN_NAMES) if (one !== other) expect(riskOf(one, other).recommendation).toBe('REVIEW');
  }
  expect(riskOf(...CAMERA_SIGN_NAMES).recommendation).toBe('BLOCK');
});

it('count even without browser data', () => {
  const risk = evaluate([], {}, { indicators: null, cameraSigns: ['standing_clock'] });
  expect(risk.signals.browser).toEqual({ score: 20, flags: ['CAMERA_STANDING_CLOCK'] });
});
