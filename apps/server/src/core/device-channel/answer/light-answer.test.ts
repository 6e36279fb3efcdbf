// What may be said of the light, by the plan and by what was shown; and when it makes a spoof of a face.
import { LIGHT_FINDINGS, type LightPlan } from '@limen/plan';
import { expect, it } from 'vitest';
import { chooseLight, fitsLight, isSpoofByLight } from './light-answer.ts';

const PLAN: LightPlan = { attempts: [{ colours: ['red', 'blue'], again: [], colourMs: 450 }], required: false };

it('light is declined if and only if none was shown', () => {
  expect(LIGHT_FINDINGS.filter((found) => fitsLight(PLAN, found, true))).toEqual(['lit', 'not_lit', 'inconclusive']);
  expect(LIGHT_FINDINGS.filter((found) => fitsLight(PLAN, found, false))).toEqual(['declined']);
});

it('something is said of it if and only if the plan asks for it', () => {
  for (const lit of [true, false]) {
    expect(fitsLight(PLAN, undefined, lit)).toBe(false);
    expect(LIGHT_FINDINGS.some((found) => fitsLight(undefined, found, lit))).toBe(false);
  }
  expect(fitsLight(undefined, undefined, false)).toBe(true);
});

it('a face that was not lit as drawn is a spoof where that is enforced, and only there', () => {
  const spoofs = (challenge: 'off' | 'flag' | 'enforce') =>
    LIGHT_FINDINGS.filter((light) => isSpoofByLight(challenge, { spoof: false, light }));
  expect([spoofs('off'), spoofs('flag'), spoofs('enforce')]).toEqual([[], [], ['not_lit']]);
  expect(isSpoofByLight('enforce', undefined)).toBe(false);
  expect(isSpoofByLight('enforce', { spoof: false })).toBe(false);
});

it('what a session asks for comes before what the service asks for', () => {
  expect(chooseLight(undefined, 'off')).toBeUndefined();
  expect([chooseLight(undefined, 'flag'), chooseLight(undefined, 'enforce')]).toEqual(['optional', 'optional']);
  expect([chooseLight('required', 'off'), chooseLight('optional', 'off')]).toEqual(['required', 'optional']);
});
