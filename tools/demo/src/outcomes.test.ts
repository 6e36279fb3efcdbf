import { describe, expect, it } from 'vitest';
import { type Asked, listOutcomes } from './outcomes.ts';

const lacking = (asked: Asked) =>
  Object.fromEntries(
    listOutcomes(asked).flatMap(({ outcome, lacking: needs }) => (needs === undefined ? [] : [[outcome, needs]])),
  );

describe('what cannot be simulated', () => {
  it('of a document alone is whatever needs a face', () => {
    const asked: Asked = { requirements: ['identity_document'] };
    expect(lacking(asked)).toEqual({ spoof: 'a face', face_mismatch: 'a face and a document' });
    expect(lacking({ ...asked, stepUpEnabled: true })).toEqual(lacking(asked));
  });

  it('of a face alone, which is the default, is whatever needs a document', () => {
    const needs = { document_failure: 'a document', face_mismatch: 'a face and a document' };
    expect(lacking({})).toEqual(needs);
    expect(lacking({ requirements: ['face'], stepUpEnabled: false })).toEqual(needs);
  });

  it('of a check that takes computers is one that was refused', () => {
    expect(lacking({ stepUpEnabled: true, enableDesktop: true })).toEqual({ desktop: '“Computers too” off' });
  });

  it.each<Asked>([
    { requirements: ['face', 'identity_document'] },
    { requirements: ['identity_document', 'face'] },
    { stepUpEnabled: true },
  ])('of both, or a face that may step up, is nothing (%j)', (asked) => {
    expect(lacking(asked)).toEqual({});
  });
});

it('what people may bring can be simulated where the check takes it', () => {
  const brought = (asked: Asked) => listOutcomes(asked).flatMap(({ proof, text }) => (proof ? [[proof, text]] : []));
  expect(brought({})).toEqual([]);
  expect(brought({ acceptedProofs: ['age_key', 'wallet'] })).toEqual([
    ['age_key', 'Shows an age key'],
    ['wallet', 'Shows a wallet'],
  ]);
});

it('every end of a face can be simulated, under a name that says what it means there', () => {
  const named = (type: 'ENROLL' | 'SIGN-IN' | 'VERIFY') =>
    listOutcomes({ type }).map(({ outcome, text, lacking: needs }) => [outcome, text, needs]);
  const rest = [
    ['spoof', 'A photo of a face', undefined],
    ['cancelled', 'Gives up', undefined],
    ['expired', 'Expired', undefined],
  ];
  expect(named('ENROLL').slice(2)).toEqual(rest);
  expect(named('SIGN-IN').slice(0, 2)).toEqual([
    ['success', 'Recognised', undefined],
    ['not_recognized', 'Nobody known', undefined],
  ]);
  expect(named('VERIFY')[1]).toEqual(['not_recognized', 'Somebody else', undefined]);
});
