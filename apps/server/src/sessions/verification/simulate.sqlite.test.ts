// Test mode of verification sessions: produces every outcome, and refuses impossible ones.
import type { VerificationSessionResult } from '@limen/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { newVerificationHost, useVerificationApp, type VerificationHost } from '#testing/sessions/verification-app.ts';

const room = useVerificationApp();
let host: VerificationHost;
beforeAll(async () => {
  host = await newVerificationHost(room);
});

async function simulate(type: string, settings: object, request: object) {
  const id = await host.start(type, settings);
  const { status, body, text } = await host.call<VerificationSessionResult>(
    'POST',
    `/v2/verification-session/${id}/simulate`,
    request,
  );
  if (status === 200) expect((await host.result(id)).body).toEqual(body);
  return { status, body, text };
}

const PASSKEY = { requirements: ['face', 'passkey'] };
const MISSPELT = { outcome: 'success', indicators: { headless: { webDriver: true } } };
const DOCUMENT = { requirements: ['face', 'identity_document'] };

describe('a simulation', () => {
  it.each([
    ['ENROLL', {}, 152, 'REVIEW'],
    ['SIGN-IN', {}, 153, 'REVIEW'],
    ['SIGN-IN', PASSKEY, 154, 'REVIEW'],
    ['ENROLL', PASSKEY, 154, 'REVIEW'],
    ['ENROLL', DOCUMENT, -9, 'BLOCK'],
  ])('produces the failure of %s with %j by %i', async (type, settings, errorCode, recommendation) => {
    const { body } = await simulate(type, settings, { outcome: 'not_recognized', errorCode, retryAfter: 60 });
    expect(body).toMatchObject({ status: 'FAILED', errors: [{ code: errorCode }], retryAfter: 60 });
    expect(body.riskEvaluation).toMatchObject({ recommendation });
  });

  it.each([
    [-7, 'REVIEW', []],
    [-20, 'REVIEW', []],
    [-15, 'BLOCK', ['BEHAVIOR_REPLAY']],
  ])('produces a cancellation with %i', async (errorCode, recommendation, flags) => {
    const { body } = await simulate('ENROLL', {}, { outcome: 'cancelled', errorCode });
    expect(body).toMatchObject({ status: 'CANCELLED', errors: [{ code: errorCode }] });
    expect(body.riskEvaluation).toMatchObject({ recommendation, flags });
  });

  it('produces signs of a copied document, even of another person, and an unreadable document', async () => {
    const flags = ['DOCUMENT_ON_SCREEN'];
    const good = await simulate('ENROLL', DOCUMENT, { outcome: 'success', flags });
    expect(good.body).toMatchObject({ status: 'SUCCESS', riskEvaluation: { recommendation: 'REVIEW', flags } });
    const others = await simulate('ENROLL', DOCUMENT, { outcome: 'not_recognized', errorCode: -9, flags });
    expect(others.body.riskEvaluation?.flags).toEqual(['FACE_MISMATCH', ...flags]);
    const unread = await simulate('ENROLL', DOCUMENT, { outcome: 'cancelled', errorCode: -23 });
    expect(unread.body).toMatchObject({ status: 'CANCELLED', errors: [{ code: -23 }] });
  });

  it("produces the person's captured data", async () => {
    const contactInformation = { email: 'ann@example.org' };
    const { body } = await simulate('ENROLL', { contact: ['email'] }, { outcome: 'success', contactInformation });
    expect(body).toMatchObject({ status: 'SUCCESS', contactInformation, message: 'Enrollment successful' });
  });

  it('produces a person on a new device, who is reviewed', async () => {
    const newDevice = { outcome: 'success', newDevice: true };
    const signIn = await simulate('SIGN-IN', {}, newDevice);
    expect(signIn.body).toMatchObject({ status: 'SUCCESS', message: 'Sign-in successful' });
    expect(signIn.body.riskEvaluation).toMatchObject({ score: 0, recommendation: 'REVIEW', flags: ['NEW_DEVICE'] });
    expect((await simulate('ENROLL', {}, newDevice)).body.message).toBe('User already enrolled');
  });

  it('produces browser signals and flags with the resulting risk', async () => {
    const indicators = { virtualCamera: { virtualCameraSoftware: true } };
    const flags = ['BEHAVIOR_CHALLENGE_TOO_FAST'];
    const { body } = await simulate('SIGN-IN', {}, { outcome: 'success', indicators, flags });
    expect(body.indicators).toMatchObject({ ...indicators, headless: { webdriver: false } });
    expect(body.riskEvaluation).toEqual({
      score: 90,
      level: 'CRITICAL',
      recommendation: 'BLOCK',
      flags: ['BEHAVIOR_CHALLENGE_TOO_FAST', 'CAMERA_VIRTUAL_SOFTWARE'],
      signals: { behavioral: null, browser: { score: 40, flags: ['CAMERA_VIRTUAL_SOFTWARE'] } },
    });
  });
});

describe('a refused simulation', () => {
  it.each<[string, string, object, object]>([
    ['body.errorCode', 'SIGN-IN', {}, { outcome: 'not_recognized', errorCode: 154 }],
    ['body.errorCode', 'SIGN-IN', {}, { outcome: 'not_recognized', errorCode: 152 }],
    ['body.errorCode', 'SIGN-IN', {}, { outcome: 'not_recognized', errorCode: -7 }],
    ['body.errorCode', 'ENROLL', {}, { outcome: 'not_recognized', errorCode: -9 }],
    ['body.errorCode', 'ENROLL', {}, { outcome: 'success', errorCode: 152 }],
    ['body.errorCode', 'ENROLL', {}, { outcome: 'cancelled', errorCode: 7 }],
    ['body.retryAfter', 'SIGN-IN', {}, { outcome: 'success', retryAfter: 5 }],
    ['body.newDevice', 'SIGN-IN', {}, { outcome: 'spoof', newDevice: true }],
    ['body.contactInformation', 'ENROLL', {}, { outcome: 'success', contactInformation: { email: 'a@b.example' } }],
    ['body.contactInformation', 'ENROLL', {}, { outcome: 'spoof', contactInformation: {} }],
    ['body.flags.0', 'ENROLL', {}, { outcome: 'success', flags: ['FACE_SPOOF'] }],
    ['body.flags.0', 'ENROLL', {}, { outcome: 'success', flags: ['DOCUMENT_ON_SCREEN'] }],
    ['body.flags.0', 'ENROLL', DOCUMENT, { outcome: 'cancelled', flags: ['DOCUMENT_ON_SCREEN'] }],
    ['body.flags.0', 'ENROLL', DOCUMENT, { outcome: 'success', flags: ['DOCUMENT_FROM_FILE'] }],
    ['body.flags.0', 'SIGN-IN', { handoff: 'refuse' }, { outcome: 'success', flags: ['CROSS_DEVICE'] }],
    ['body.flags.0', 'SIGN-IN', {}, { outcome: 'not_recognized', flags: ['NEW_DEVICE'] }],
    ['body.errorCode', 'ENROLL', {}, { outcome: 'cancelled', errorCode: -23 }],
    ['body.errorCode', 'ENROLL', { enableDesktop: true }, { outcome: 'cancelled', errorCode: -5 }],
    ['body.indicators.headless.webDriver', 'SIGN-IN', {}, MISSPELT],
  ])('names %s of %s with %j and %j', async (path, type, settings, request) => {
    const { status, body } = await simulate(type, settings, request);
    expect(status).toBe(400);
    expect(body.details?.[0]?.path).toMatch(path);
  });
});
