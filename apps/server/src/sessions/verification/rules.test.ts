// Outcomes of a verification session, over all findings and answers.
import type { Operation } from '@limen/plan';
import { describe, expect, it } from 'vitest';
import { named, type PersonId, type Puid } from '../../platform/base/ids.ts';
import { decideVerification, type ProvenFacts, type VerificationAnswer } from './rules.ts';

const ANN = { personId: named<PersonId>('ann'), puid: named<Puid>('puid-ann'), guid: 'guid' };
const LIVE: VerificationAnswer = { face: { spoof: false } };
const DOCUMENT = {
  type: 'passport',
  country: null,
  verifiedAt: '2026-01-01T00:00:00Z',
  signs: [],
} satisfies Partial<VerificationAnswer['document']>;

function decide(shown: Partial<ProvenFacts>, answer: VerificationAnswer = LIVE) {
  const nothing = {
    type: 'SIGN-IN',
    wantsDocument: false,
    wantsPasskey: false,
    person: ANN,
    passkey: undefined,
  } as const;
  const { status, errors, person } = decideVerification({ ...nothing, ...shown }, { answer });
  return [status, errors.map(({ code }) => code), person?.personId];
}

describe('the outcome of an answer', () => {
  it('is a success with the found person', () => {
    expect(decide({})).toEqual(['SUCCESS', [], 'ann']);
  });

  it.each<[Operation, number]>([
    ['ENROLL', 152],
    ['SIGN-IN', 153],
    ['VERIFY', 153],
  ])('is a failure for %s without a person', (type, code) => {
    expect(decide({ type, person: undefined })).toEqual(['FAILED', [code], undefined]);
  });

  it('is a spoof before anything else', () => {
    expect(decide({ person: undefined, wantsPasskey: true }, { face: { spoof: true } })).toEqual([
      ...['FAILED', [1], undefined],
    ]);
  });

  it.each([
    [0.42, 'SUCCESS'],
    [0.419, 'FAILED'],
    [null, 'FAILED'],
    [Number.NaN, 'FAILED'],
  ])('for a document whose face scores %s is %s', (matchScore, status) => {
    const document = { ...DOCUMENT, matchScore };
    expect(decide({ wantsDocument: true }, { ...LIVE, document })[0]).toBe(status);
  });

  it('is a failure without the requested document or passkey', () => {
    expect(decide({ wantsDocument: true })).toEqual(['FAILED', [-9], undefined]);
    expect(decide({ wantsPasskey: true })).toEqual(['FAILED', [154], undefined]);
  });

  it('accepts only the passkey of the same person', () => {
    expect(decide({ wantsPasskey: true, passkey: { personId: named('ann') } })[0]).toBe('SUCCESS');
    expect(decide({ wantsPasskey: true, passkey: { personId: named('bob') } })).toEqual(['FAILED', [154], undefined]);
  });
});
