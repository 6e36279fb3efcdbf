// Risk of a session's findings: ends that never pass, and ends that need a review.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyBehavior, anyIndicators, evaluate } from '#testing/sessions/risk-facts.ts';
import { BEHAVIOR_FLAGS, FINDING_FLAGS, type Finding } from './table.ts';

describe('a finding at the end', () => {
  const levels: [Finding, number, string, string][] = [
    ['faceSpoof', 75, 'CRITICAL', 'BLOCK'],
    ['faceMismatch', 60, 'HIGH', 'BLOCK'],
    ['ageBelow', 0, 'LOW', 'BLOCK'],
    ['ageBelowBound', 0, 'LOW', 'REVIEW'],
    ['newDevice', 0, 'LOW', 'REVIEW'],
    ['crossDevice', 0, 'LOW', 'REVIEW'],
  ];

  it.each(levels)('%s weighs %i and is %s, %s, however calm the rest', (finding, score, level, recommendation) => {
    const risk = evaluate([], {}, { findings: [finding] });
    expect(risk).toMatchObject({ score, level, recommendation, flags: [FINDING_FLAGS[finding].code] });
    expect(risk.signals.behavioral).toEqual({ score, flags: [FINDING_FLAGS[finding].code] });
  });

  it('never lets a spoof, mismatch, low age or forged answer be allowed or reviewed', () => {
    const blocking = levels.filter(([, , , recommendation]) => recommendation === 'BLOCK').map(([finding]) => finding);
    const facts = fc.record({ passed: fc.boolean(), hasErrors: fc.boolean(), tellsBehavior: fc.boolean() });
    fc.assert(
      fc.property(
        anyIndicators,
        anyBehavior,
        fc.constantFrom(...blocking),
        facts,
        (raised, behavior, finding, rest) => {
          expect(evaluate(raised, behavior, { findings: [finding], ...rest }).recommendation).toBe('BLOCK');
        },
      ),
    );
  });

  it('never allows an unsuccessful end, even without other findings', () => {
    expect(evaluate([]).recommendation).toBe('ALLOW');
    fc.assert(
      fc.property(anyIndicators, anyBehavior, fc.boolean(), (raised, behavior, tellsBehavior) => {
        expect(evaluate(raised, behavior, { passed: false, tellsBehavior }).recommendation).not.toBe('ALLOW');
      }),
    );
  });

  it('reports a change of devices and lets it pass only if allowed', () => {
    const handoffMs = [9000];
    expect(evaluate([], { handoffMs })).toMatchObject({ score: 0, flags: ['CROSS_DEVICE'], recommendation: 'ALLOW' });
    const reviewed = evaluate([], { handoffMs }, { mayCrossDevices: false });
    expect(reviewed).toMatchObject({ score: 0, flags: ['CROSS_DEVICE'], recommendation: 'REVIEW' });
    expect(evaluate([], {}, { mayCrossDevices: false })).toMatchObject({ flags: [], recommendation: 'ALLOW' });
  });

  it('requests a review after a wrong number, and a stranger with a code cannot make it a block', () => {
    expect(evaluate([], { handoffNumbersWrong: 1 }).recommendation).toBe('REVIEW');
    const stranger = { handoffNumbersWrong: 5, otherDeviceAttempts: 5, handoffMs: [9000] };
    expect(evaluate(['headless.webGL', 'headless.phantom'], stranger).recommendation).toBe('REVIEW');
  });

  it('raises simulated flags like observed ones, each once', () => {
    const madeUp = [FINDING_FLAGS.newDevice, ...BEHAVIOR_FLAGS.filter(({ code }) => code === 'BEHAVIOR_RETRIES')];
    const risk = evaluate([], { retries: 4 }, { madeUp });
    expect(risk).toMatchObject({ score: 3, recommendation: 'REVIEW', flags: ['BEHAVIOR_RETRIES', 'NEW_DEVICE'] });
  });
});
