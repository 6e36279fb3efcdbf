// Chosen options as a request and as equivalent code.
import { describe, expect, it } from 'vitest';
import {
  applyPreset,
  buildRequest,
  DEFAULT_OPTIONS,
  isChosen,
  metadataProblem,
  metadataText,
  PRESETS,
} from './options.ts';
import { sampleCode } from './sample-code.ts';
import { passkeyAddress } from './verification-options.ts';

const preset = (name: string) => PRESETS.find((known) => known.name === name)!;
const plain = { ...DEFAULT_OPTIONS, metadata: '' };

describe('the request', () => {
  it('contains only values that differ from the service’s defaults', () => {
    expect(buildRequest(plain)).toEqual({ ageThreshold: 18, enableDesktop: true });
    expect(buildRequest({ ...plain, desktop: false, locale: 'de' })).toEqual({ ageThreshold: 18, locale: 'de' });
  });

  it('follows the Challenge 25 preset', () => {
    expect(buildRequest(applyPreset(plain, preset('Challenge 25')))).toEqual({
      ageThreshold: 25,
      documentAgeThreshold: 18,
      stepUpEnabled: true,
      acceptedProofs: ['age_key', 'wallet'],
      enableDesktop: true,
    });
  });

  it('omits options of steps that are not requested', () => {
    const about = {
      documentAgeThreshold: 21,
      documentFormat: 'both',
      faceFormat: 'exact',
      documentFile: true,
    } as const;
    expect(buildRequest({ ...plain, ...about })).toEqual({
      ageThreshold: 18,
      facialAgeEstimationReturnFormat: 'exact',
      enableDesktop: true,
    });
    expect(buildRequest({ ...plain, ...about, steps: 'identity_document', stepUp: true })).toEqual({
      requirements: ['identity_document'],
      ageThreshold: 18,
      documentAgeThreshold: 21,
      documentAgeReturnFormat: 'both',
      enableDocumentFile: true,
      enableDesktop: true,
    });
  });

  it('requests light as chosen if a face is requested', () => {
    expect(buildRequest({ ...plain, light: 'required' })).toMatchObject({ light: 'required' });
    expect(buildRequest({ ...plain, light: 'optional', purpose: 'ENROLL' })).toMatchObject({ light: 'optional' });
    expect(buildRequest({ ...plain, purpose: 'ENROLL' })).not.toHaveProperty('light');
    expect(buildRequest({ ...plain, light: 'required', steps: 'identity_document' })).not.toHaveProperty('light');
    expect(applyPreset({ ...plain, light: 'required' }, preset('Over 18')).light).toBe('service');
  });

  it('names accepted proofs, the faster one first', () => {
    expect(buildRequest({ ...plain, wallet: true })).toMatchObject({ acceptedProofs: ['wallet'] });
    expect(buildRequest(applyPreset(plain, preset('Wallet or age key')))).toEqual({
      ageThreshold: 18,
      acceptedProofs: ['age_key', 'wallet'],
      enableDesktop: true,
    });
  });

  it('requests both steps in order', () => {
    const asked = (steps: 'both' | 'turned') => buildRequest({ ...plain, steps }).requirements;
    expect(asked('both')).toEqual(['face', 'identity_document']);
    expect(asked('turned')).toEqual(['identity_document', 'face']);
  });
});

describe('the request about a face', () => {
  const bare = { ...plain, transactionId: ' ' };
  const all = {
    ...plain,
    desktop: false,
    document: true,
    passkey: true,
    estimateAge: true,
    email: true,
    phone: true,
    sendImages: true,
    userId: ' p-1 ',
    transactionId: 'mine',
  };

  it('contains only values that differ from the service’s defaults, and the language if required', () => {
    expect(buildRequest({ ...bare, purpose: 'ENROLL' })).toEqual({ type: 'ENROLL', enableDesktop: true });
    expect(buildRequest({ ...bare, purpose: 'ENROLL', locale: 'de' })).toMatchObject({ locale: 'de' });
    expect(buildRequest({ ...bare, purpose: 'SIGN-IN' })).toEqual({
      type: 'SIGN-IN',
      locale: 'en',
      enableDesktop: true,
    });
  });

  it('omits options of other operations', () => {
    expect(buildRequest({ ...all, purpose: 'ENROLL' })).toEqual({
      type: 'ENROLL',
      requirements: ['face', 'identity_document', 'passkey'],
      estimateAge: true,
      contact: ['email', 'phone'],
      sendImages: true,
      transactionID: 'mine',
    });
    const sign = { requirements: ['face', 'passkey'], sendImages: true, locale: 'en', transactionID: 'mine' };
    expect(buildRequest({ ...all, purpose: 'SIGN-IN' })).toEqual({ type: 'SIGN-IN', ...sign });
    expect(buildRequest({ ...all, purpose: 'VERIFY' })).toEqual({ type: 'VERIFY', userId: 'p-1', ...sign });
  });
});

it.each([
  ['http://127.0.0.1:8080', 'http://localhost:8080'],
  ['http://[::1]:8080/limen', 'http://localhost:8080'],
  ['http://localhost:8080', undefined],
  ['https://limen.example', undefined],
])('suggests for passkeys at %s instead: %s', (baseUrl, address) => {
  expect(passkeyAddress(baseUrl)).toBe(address);
});

describe('a preset', () => {
  it('resets another preset’s options but keeps language and metadata', () => {
    const options = { ...DEFAULT_OPTIONS, locale: 'th', metadata: '{"a":1}' };
    const there = applyPreset(options, preset('Challenge 25'));
    expect(isChosen(there, preset('Challenge 25'))).toBe(true);
    expect(isChosen(there, preset('Over 18'))).toBe(false);
    expect(applyPreset(there, preset('Over 18'))).toEqual(options);
  });
});

it.each(['{', '[]', '5', 'null', '"text"'])('rejects metadata of %s', (text) => {
  expect(metadataProblem(text)).toContain('JSON object');
});

it.each(['', '  ', '{}', '{"a":{"b":[1]}}'])('accepts metadata of "%s"', (text) => {
  expect(metadataProblem(text)).toBeUndefined();
});

describe('the code', () => {
  /** Runs the code and returns what it passes to `create`. */
  function runCreate(code: string): unknown {
    const body = code.slice(code.indexOf('create({') + 7, code.indexOf('});\n//') + 1);
    return new Function('jsonText', `return (${body})`)((text: string) => ({ text }));
  }

  it.each([
    DEFAULT_OPTIONS,
    applyPreset(DEFAULT_OPTIONS, preset('Challenge 25')),
    { ...DEFAULT_OPTIONS, redirect: false, steps: 'both' as const, documentFile: true },
    { ...DEFAULT_OPTIONS, metadata: '{"it\'s":"a \\"quote\\" and \\\\ and \\n","x-y":[null,true,{"deep":{}}]}' },
  ])('makes exactly the demo’s request (%#)', (options) => {
    const made = runCreate(sampleCode(options, 'https://x')) as Record<string, unknown>;
    const { callback, redirectUrl, metadata, ...rest } = made;
    expect(rest).toEqual(buildRequest(options));
    expect(metadata).toEqual(JSON.parse(metadataText(options)!));
    expect(callback).toEqual({ url: expect.any(String) });
    expect(redirectUrl !== undefined).toBe(options.redirect);
  });

  it.each(['{ "order": 9007199254740993 }', '{"price":1.10}', '{"b":1,"9":2,"1":3}'])(
    'passes metadata as text if JavaScript would change it: %s',
    (metadata) => {
      const code = sampleCode({ ...DEFAULT_OPTIONS, metadata }, 'https://x');
      expect(runCreate(code)).toMatchObject({ metadata: { text: metadata } });
      expect(code).toContain('import { createLimenClient, decide, jsonText, verifyWebhook }');
    },
  );

  it.each(['ENROLL', 'SIGN-IN', 'VERIFY'] as const)('does so for %s, which always redirects back', (purpose) => {
    const options = { ...DEFAULT_OPTIONS, purpose, userId: 'p-1', email: true, redirect: false };
    const code = sampleCode(options, 'https://x');
    const { callback: _, redirectURL, ...rest } = runCreate(code) as Record<string, unknown>;
    expect(rest).toEqual(buildRequest(options));
    expect(redirectURL).toEqual(expect.any(String));
    expect(code).toMatch(/nonce into redirectURL.*cookie.*\n.*never on the webhook alone/);
    expect(code).toContain('limen.verificationSessions.getResult(sessionId)');
    expect(code).toContain('verifyWebhook(rawBody, headers, apiKey)');
    expect(code).toContain('decide(webhook.body)');
  });

  it('names the running service and no key', () => {
    const code = sampleCode(DEFAULT_OPTIONS, 'https://limen.example/prefix');
    expect(code).toContain("const baseUrl = 'https://limen.example/prefix';");
    expect(code).toContain('process.env.LIMEN_API_KEY');
  });
});
