// Raw JSON texts that JSON.stringify and the reply writers insert unchanged, and only in their own
// place.
import {
  AgeOutcome,
  AgeSessionError,
  AgeSessionResult,
  Indicators,
  Review,
  RiskEvaluation,
  RiskSignal,
} from '@limen/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyObjectText } from '#testing/json-texts.ts';
import { buildSerializer } from '../http/body/serialization.ts';
import { verbatim, withVerbatim, writeJson } from './verbatim.ts';

const definitions = { AgeSessionResult, AgeOutcome, Indicators, RiskEvaluation, RiskSignal, Review, AgeSessionError };
const writeResult = buildSerializer(definitions)({ schema: { $ref: 'AgeSessionResult' } });
const RESULT = {
  token: '$&',
  sessionId: 'a3bb189e-8bf9-4c5f-9f2a-5a1d8f7c6b21',
  sessionStatus: 'AGE_UNKNOWN',
  status: 'AGE_UNKNOWN',
  thresholds: { ageThreshold: 18, compareThreshold: 0.4, faceMatchThreshold: 0.4 },
  errors: [],
};

describe('a raw text', () => {
  it('is in the reply byte for byte, for 1,000 random documents', () => {
    fc.assert(
      fc.property(anyObjectText, (text) => {
        const metadata = verbatim(text);
        expect(writeResult({ ...RESULT, metadata })).toContain(`,"metadata":${text},`);
        expect(writeJson({ a: '{"metadata":', metadata })).toBe(`{"a":"{\\"metadata\\":","metadata":${text}}`);
      }),
      { numRuns: 1_000 },
    );
  });

  it('keeps its place among several', () => {
    expect(writeJson([verbatim('{ }'), { b: verbatim('{"n":1.0}') }, verbatim('{ }')])).toBe(
      '[{ },{"b":{"n":1.0}},{ }]',
    );
  });

  it('is a plain value for a writer that inserts no raw texts, even after a failed write', () => {
    const fails = () =>
      withVerbatim(() => {
        throw new Error('no');
      });
    expect(fails).toThrow('no');
    expect(JSON.stringify({ metadata: verbatim('{ "n": 1.10 }') })).toBe('{"metadata":{"n":1.1}}');
  });
});
