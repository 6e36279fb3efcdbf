// Defaults of session creation, and refusals beyond types.

import { METADATA_MAX_BYTES, REQUESTER_MAX_LENGTH } from '@limen/contract';
import { describe, expect, it } from 'vitest';
import { readContents } from './contents.ts';

describe('defaults', () => {
  it('match the reference', () => {
    expect(readContents({}, true)).toEqual({
      settings: {
        requirements: ['face'],
        ageThreshold: 18,
        documentAgeThreshold: 18,
        faceMatchThreshold: 0.42,
        stepUpEnabled: false,
        facialAgeEstimationReturnFormat: 'threshold',
        documentAgeReturnFormat: 'threshold',
      },
      locale: 'en',
      enableDesktop: false,
      enableDocumentFile: false,
      redirectUrl: undefined,
      handoff: 'allow',
      callback: undefined,
      metadata: '{}',
      simulable: true,
      requester: null,
    });
  });

  it('set the document threshold to the age threshold and keep the order of steps', () => {
    const { settings } = readContents({ ageThreshold: 21, requirements: ['identity_document', 'face'] }, true);
    expect(settings).toMatchObject({ documentAgeThreshold: 21, requirements: ['identity_document', 'face'] });
    expect(readContents({ ageThreshold: 21, documentAgeThreshold: 16 }, true).settings.documentAgeThreshold).toBe(16);
  });
});

describe('locales', () => {
  it.each([
    ['de', 'de'],
    ['en_US', 'en-US'],
    ['zh-hant-tw', 'zh-Hant-TW'],
    ['i-klingon', 'tlh'],
    ['zh-cmn-Hans', 'zh-Hans'],
    ['x-private', 'en'],
    ['EN_gb_OED', 'en-GB'],
    ['zh-min-nan', 'zh'],
    ['i-default', 'en'],
  ])('reads %s as %s', (given, kept) => {
    expect(readContents({ locale: given }, true).locale).toBe(kept);
  });

  it.each(['', '-', 'e', 'english language', 'de-', '../en', 'i-unknown', 'constructor'])(
    'refuses the locale %j',
    (locale) => {
      expect(() => readContents({ locale }, true)).toThrow('body.locale');
    },
  );
});

it('accepts metadata up to its limit in bytes', () => {
  const around = JSON.stringify({ note: '' }).length;
  const fits = 'é'.repeat((METADATA_MAX_BYTES - around) / 2);
  expect(readContents({ metadata: { note: fits } }, true).metadata).toBe(JSON.stringify({ note: fits }));
  expect(() => readContents({ metadata: { note: `${fits}aa` } }, true)).toThrow('body.metadata');
});

it.each(['ftp://shop.example', 'shop.example/hook', 'javascript:alert(1)'])('refuses the callback %s', (url) => {
  expect(() => readContents({ callback: { url } }, true)).toThrow('body.callback.url');
});

it('refuses a line break in a callback header', () => {
  const callback = { url: 'https://shop.example/hook', headers: { 'x-shop': 'a\r\nx-other: b' } };
  expect(() => readContents({ callback }, true)).toThrow('body.callback.headers');
});

it.each<[string | null, string | null]>([
  [null, null],
  ['', null],
  [' \n\u0000 ', null],
  ['Wine shop', 'Wine shop'],
  ['  Wine\r\n\tshop\u0007 ', 'Wine shop'],
  ['Wine\u2069\u202e shop\u200f', 'Wine shop'],
  ['می\u200cخانه', 'می\u200cخانه'],
  ['\u2066\u061c', null],
  ['酒'.repeat(REQUESTER_MAX_LENGTH), '酒'.repeat(REQUESTER_MAX_LENGTH)],
  ['🍷'.repeat(REQUESTER_MAX_LENGTH + 1), '🍷'.repeat(REQUESTER_MAX_LENGTH)],
])('shows the key label %j as the requester, on one line and truncated', (label, requester) => {
  expect(readContents({}, true, label).requester).toBe(requester);
});

describe('proofs', () => {
  const proofsOf = (body: Parameters<typeof readContents>[0]) => readContents(body, true).settings.proofs;

  it('are accepted if listed, fastest first, with their defaults', () => {
    expect(proofsOf({ acceptedProofs: [] })).toBeUndefined();
    expect(proofsOf({ acceptedProofs: ['wallet', 'age_key'] })).toEqual({
      accepted: ['age_key', 'wallet'],
      ageKeyMaxDays: 90,
      ageKeyStrength: 'face',
    });
    expect(proofsOf({ acceptedProofs: ['age_key'], ageKeyMaxDays: 31, ageKeyStrength: 'document' })).toEqual({
      accepted: ['age_key'],
      ageKeyMaxDays: 31,
      ageKeyStrength: 'document',
    });
  });

  it('include a required wallet before the other steps, or alone', () => {
    const both = readContents({ requirements: ['face', 'wallet_proof'] }, true).settings;
    expect(both).toMatchObject({ requirements: ['face'], proofs: { accepted: ['wallet'] } });
    const alone = readContents({ requirements: ['wallet_proof'], acceptedProofs: ['age_key'] }, true).settings;
    expect(alone).toMatchObject({ requirements: [], proofs: { accepted: ['age_key', 'wallet'] } });
  });

  it.each<[Parameters<typeof readContents>[0], string]>([
    [{}, 'face'],
    [{ stepUpEnabled: true }, 'face'],
    [{ requirements: ['face', 'identity_document'] }, 'document_and_face'],
    [{ requirements: ['identity_document', 'face', 'wallet_proof'] }, 'document_and_face'],
    [{ requirements: ['identity_document'] }, 'document'],
    [{ requirements: ['wallet_proof'] }, 'document'],
    [{ light: 'required' }, 'document'],
    [{ requirements: ['identity_document'], ageKeyStrength: 'face' }, 'face'],
    [{ requirements: ['face', 'identity_document'], ageKeyStrength: 'wallet' }, 'wallet'],
  ])("by an age key must be as strong as the session's own check: %j", (body, strength) => {
    expect(proofsOf({ acceptedProofs: ['age_key'], ...body })?.ageKeyStrength).toBe(strength);
  });

  it.each(['face', 'document'] as const)('by an age key from a %s do not replace both face and document', (weaker) => {
    const body = { requirements: ['face' as const, 'identity_document' as const], ageKeyStrength: weaker };
    expect(() => proofsOf({ acceptedProofs: ['age_key'], ...body })).toThrow('must be document_and_face or wallet');
  });

  it('by wallets alone may not ask for an age that no wallet can prove', () => {
    const create = (body: Parameters<typeof readContents>[0]) => () => readContents(body, true);
    const alone = { requirements: ['wallet_proof' as const] };
    const sentence = 'wallets prove 65 years at most, and this session requires 66';
    expect(create({ ...alone, ageThreshold: 65 })).not.toThrow();
    expect(create({ ...alone, ageThreshold: 66 })).toThrow(sentence);
    expect(create({ ...alone, ageThreshold: 18, documentAgeThreshold: 66 })).toThrow(sentence);
    expect(create({ ...alone, ageThreshold: 66, documentAgeThreshold: 65 })).not.toThrow();
    // People without a wallet have the other ways.
    expect(create({ requirements: ['wallet_proof', 'face'], ageThreshold: 66 })).not.toThrow();
    expect(create({ ...alone, acceptedProofs: ['age_key'], ageThreshold: 66 })).not.toThrow();
  });

  it('are omitted if not accepted', () => {
    for (const body of [
      { ageKeyMaxDays: 30 },
      { ageKeyFrom: 'any' as const },
      { ageKeyStrength: 'face' as const, acceptedProofs: ['wallet' as const] },
    ])
      expect(() => readContents(body, true)).toThrow(/needs "age_key" in acceptedProofs/);
  });
});
