// Light in the risk: what each finding does alone, and that nothing but a lit face passes where light is required.
import { LIGHT_FINDINGS, type LightFinding } from '@limen/plan';
import { expect, it } from 'vitest';
import { evaluate } from '#testing/sessions/risk-facts.ts';
import { listLightFindings } from './light-findings.ts';

const riskOf = (light: LightFinding, policy?: 'optional' | 'required') =>
  evaluate([], {}, { findings: listLightFindings({ spoof: false, light }, policy) });

it.each([
  ['lit', 0, 'ALLOW', []],
  ['not_lit', 50, 'REVIEW', ['LIGHT_NOT_AS_DRAWN']],
  ['inconclusive', 0, 'ALLOW', ['LIGHT_INCONCLUSIVE']],
  ['declined', 0, 'ALLOW', ['LIGHT_INCONCLUSIVE']],
] as const)('a face that is %s weighs %i and is %s', (light, score, recommendation, flags) => {
  for (const policy of [undefined, 'optional'] as const) {
    expect(riskOf(light, policy)).toMatchObject({ score, recommendation, flags });
  }
});

it('where light is required, only a lit face is allowed', () => {
  const allowed = LIGHT_FINDINGS.filter((light) => riskOf(light, 'required').recommendation === 'ALLOW');
  expect(allowed).toEqual(['lit']);
  expect(riskOf('declined', 'required').flags).toEqual(['LIGHT_INCONCLUSIVE', 'LIGHT_REQUIRED']);
  // Nothing said is nothing shown.
  expect(listLightFindings({ spoof: false }, 'required')).toEqual(['lightRequired']);
});

it('says nothing of a spoof, or of nobody', () => {
  expect(listLightFindings({ spoof: true }, 'required')).toEqual([]);
  expect(listLightFindings(undefined, 'required')).toEqual([]);
});
