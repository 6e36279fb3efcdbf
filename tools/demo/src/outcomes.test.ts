import { describe, expect, it } from 'vitest';
import { type Asked, listOutcomes } from './outcomes.ts';

const lacking = (asked: Asked) =>
  Object.fromEntries(
    listOutcomes(asked).flatMap(({ outcome, lacking: needs }) => (needs === undefined ? [] : [[outcome, needs]])),
  );

describe('what cannot be simulated', () => {
  it('excludes outcomes of a face if only a document is requested', () => {
    const asked: Asked = { requirements: ['identity_document'] };
    expect(lacking(asked)).toEqual({ spoof: 'a face', face_mismatch: 'a face and a document' });
    expect(lacking({ ...asked, stepUpEnabled: true })).toEqual(lacking(asked));
  });

  it('excludes outcomes of a document if only a face is requested, the default', () => {
    const needs = { document_failure: 'a document', face_mismatch: 'a face and a document' };
    expect(lacking({})).toEqual(needs);
    expect(lacking({ requirements: ['face'], stepUpEnabled: false })).toEqual(needs);
  });

  it('excludes the desktop refusal if computers are accepted', () => {
    expect(lacking({ stepUpEnabled: true, enableDesktop: true })).toEqual({ desktop: '“Computers too” off' });
  });

  it.each<Asked>([
    { requirements: ['face', 'identity_document'] },
    { requirements: ['identity_document', 'face'] },
    { stepUpEnabled: true },
  ])('excludes nothing if both, or a step-up, are requested (%j)', (asked) => {
    expect(lacking(asked)).toEqual({});
  });
});

it('includes proofs that the check accepts', () => {
  const brought = (asked: Asked) => listOutcomes(asked).flatMap(({ proof, text }) => (proof ? [[proof, text]] : []));
  expect(brought({})).toEqual([]);
  expect(brought({ acceptedProofs: ['age_key', 'wallet'] })).toEqual([
    ['age_key', 'Shows an age key'],
    ['wallet', 'Shows a wallet'],
  ]);
});

it('includes every end of a face session, named after its meaning there', () => {
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
