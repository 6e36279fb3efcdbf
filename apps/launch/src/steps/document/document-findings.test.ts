import { describe, expect, test } from 'vitest';
import { DOCUMENT_STEP, findDocument } from '../../../testing/fakes/fake-documents.ts';
import type { DocumentFound } from '../../document/kinds.ts';
import { comparePortrait, toDocumentFindings } from './document-findings.ts';

const NOW = Date.parse('2026-03-01T12:34:56.789Z');
const found = (changes: Partial<DocumentFound> = {}) => findDocument(changes).outcome as DocumentFound;

describe('findings of a document', () => {
  test.each([
    [17, 'AGE_BELOW_THRESHOLD'],
    [18, 'AGE_AT_THRESHOLD'],
    [19, 'AGE_ABOVE_THRESHOLD'],
  ])('maps %i years to %s and reports no age', (age, thresholdResult) => {
    expect(toDocumentFindings(DOCUMENT_STEP, { found: found({ age }), fromFile: false }, NOW)).toEqual({
      thresholdResult,
      matchScore: null,
      type: 'passport',
      country: 'SWE',
      verifiedAt: '2026-03-01T12:34:56Z',
      signs: [],
    });
  });

  test('reports the age if the plan asks for it', () => {
    const step = { ...DOCUMENT_STEP, report: 'age' } as const;
    const findings = toDocumentFindings(step, { found: found({ age: 41, country: null }), fromFile: false }, NOW);
    expect(findings).toMatchObject({ age: 41, country: null });
    expect(findings).not.toHaveProperty('thresholdResult');
  });

  test('reports no age if the plan asks for none', () => {
    const step = { ...DOCUMENT_STEP, report: 'none' } as const;
    const findings = toDocumentFindings(step, { found: found({ age: 41 }), fromFile: false }, NOW);
    expect(Object.keys(findings).sort()).toEqual(['country', 'matchScore', 'signs', 'type', 'verifiedAt']);
  });

  test('reports a file together with the signs of a copy', () => {
    const outcome = { found: found({ signs: ['photocopy'] }), fromFile: true };
    expect(toDocumentFindings(DOCUMENT_STEP, outcome, NOW).signs).toEqual(['photocopy', 'file']);
  });

  test.each([
    [[0.6, 0.8], [0.6, 0.8], 1],
    [[1, 0], [0.6, 0.8], 0.6],
    [[1, 0], [-1, 0], -1],
  ])('compares the faces %o and %o with the score %d', (live, portrait, matchScore) => {
    const findings = toDocumentFindings(DOCUMENT_STEP, { found: found(), fromFile: false }, NOW);
    const known = { findings, portrait: Float32Array.from(portrait) };
    expect(comparePortrait(known, Float32Array.from(live))).toEqual({ ...findings, matchScore });
  });

  test('gives no score without a live face', () => {
    const findings = toDocumentFindings(DOCUMENT_STEP, { found: found(), fromFile: false }, NOW);
    expect(comparePortrait({ findings, portrait: Float32Array.of(1, 0) }, null).matchScore).toBeNull();
  });

  test('keeps the score of another device', () => {
    const findings = toDocumentFindings(DOCUMENT_STEP, { found: found(), fromFile: false }, NOW);
    const known = { findings: { ...findings, matchScore: 0.7 }, portrait: null };
    expect(comparePortrait(known, Float32Array.of(1, 0)).matchScore).toBe(0.7);
  });
});
