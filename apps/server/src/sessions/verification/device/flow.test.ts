// Answers of verification sessions compared with their plans.
import type { PlanStep } from '@limen/plan';
import { describe, expect, it } from 'vitest';
import { readDeviceAnswer } from './flow.ts';

const COURSE = {
  servedAt: Date.UTC(2026, 0, 1),
  answeredAt: Date.UTC(2026, 0, 1, 0, 1),
  begun: [0],
  client: undefined,
  rhythm: [],
  carried: [],
  light: { colours: 0, isStopped: false },
};
const face = (report: 'age' | 'none'): PlanStep => ({
  step: 'face',
  when: 'always',
  report,
  ageThreshold: 0,
  challenges: ['blink'],
  challengeMs: 15_000,
});
const document: PlanStep = {
  step: 'identity_document',
  when: 'always',
  report: 'none',
  ageThreshold: 0,
  fromFile: false,
};
const token: PlanStep = {
  step: 'token',
  when: 'always',
  operation: 'ENROLL',
  gallery: 'g',
  modelId: 'm',
  sendsSelfie: false,
};
const contact: PlanStep = { step: 'contact', when: 'always', fields: ['email'] };
const READ = { matchScore: 0.9, type: 'passport', country: 'NLD', verifiedAt: '2026-01-01T00:00:30Z', signs: [] };

function read(steps: PlanStep[], other: object) {
  const answer = { version: 1, sessionId: 's', nonce: 'n', face: { spoof: false }, indicators: null, log: [] };
  return readDeviceAnswer(steps, { ...answer, ...other }, COURSE);
}

describe('an answer', () => {
  it.each<[string, PlanStep[], object]>([
    ['of a face alone', [face('none'), token], {}],
    ['with an age', [face('age'), token], { face: { spoof: false, estimate: 30, lowerBound: 25 } }],
    ['with a document', [face('none'), document, token], { document: READ }],
    ['with contact', [face('none'), token, contact], { contact: { email: 'ann@example.org' } }],
    ['whose contact was skipped', [face('none'), token, contact], { contact: {} }],
    ['whose contact was left out', [face('none'), token, contact], {}],
  ])('fits with every step of the plan due: %s', (_what, steps, other) => {
    expect(read(steps, other)).toMatchObject({ stepsDue: [...steps.keys()], cutShort: false });
  });

  it('of a spoof ends at the face and carries nothing else', () => {
    const steps = [face('age'), document, token, contact];
    expect(read(steps, { face: { spoof: true } })).toMatchObject({ stepsDue: [0], cutShort: true });
    expect(read(steps, { face: { spoof: true }, document: READ })).toBe(undefined);
    expect(read(steps, { face: { spoof: true }, contact: { email: 'ann@example.org' } })).toBe(undefined);
  });

  it("has a document time within the plan's lifetime", () => {
    const late = { ...READ, verifiedAt: '2027-01-01T00:00:00Z' };
    expect(read([face('none'), document], { document: late })?.answer.document?.verifiedAt).toBe(
      '2026-01-01T00:01:00Z',
    );
  });

  it.each<[string, PlanStep[], object]>([
    ['without a face', [face('none')], { face: undefined }],
    ['with more than was asked', [face('none')], { face: { spoof: false, thresholdResult: 'AGE_ABOVE_THRESHOLD' } }],
    ['with an age that was not asked', [face('none')], { face: { spoof: false, estimate: 30, lowerBound: 25 } }],
    ['without the age', [face('age')], {}],
    ['with a bound above the age', [face('age')], { face: { spoof: false, estimate: 30, lowerBound: 31 } }],
    ['without the document', [face('none'), document], {}],
    ['with a document that was not asked', [face('none')], { document: READ }],
    ['with the age on the document', [face('none'), document], { document: { ...READ, age: 40 } }],
    ['with a file for a document', [face('none'), document], { document: { ...READ, signs: ['file'] } }],
    [
      'with a day that is none',
      [face('none'), document],
      { document: { ...READ, verifiedAt: '2026-02-30T00:00:00Z' } },
    ],
    ['with contact that was not asked', [face('none')], { contact: { email: 'ann@example.org' } }],
    ['with more contact than was asked', [face('none'), contact], { contact: { phone: '+31 20 123 4567' } }],
    ['with a line break in the address', [face('none'), contact], { contact: { email: 'ann\n@example.org' } }],
    [
      'with an unknown indicator',
      [face('none')],
      { indicators: { headless: ['x'], virtualCamera: [], browserAnomalies: [] } },
    ],
    ['with a name in it', [face('none')], { name: 'Ann' }],
  ])('does not fit: %s', (_what, steps, other) => {
    expect(read(steps, other)).toBe(undefined);
  });
});
