// The device client in verification sessions of a real service: enroll with a selfie, sign in
// locally, forget.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { VerificationWebhook } from '@limen/contract';
import { expect, it, onTestFinished } from 'vitest';
import { openDevice } from '../../../token/device/index.ts';
import { randomVector } from '../../../token/testing/vectors.ts';
import { createLossyFetch, startLiveService } from '../../testing/live-service.ts';
import { recordMovements } from '../../testing/record-movements.ts';
import { startWebhookReceiver } from '../../testing/webhook-receiver.ts';
import { createDeviceClient, type DeviceClient, type DeviceClientOptions, generateDeviceKeyPair } from '../device.ts';
import type { CreateVerificationSessionRequest } from '../index.ts';

const JPEG = new Uint8Array([0xff, 0xd8, 0xff, 0xe0, ...Array(5_000).fill(7)]);

/**
 * Clocks on which everything takes as long as it takes a person, with variation. An enrollment at a
 * program's pace gets BLOCK.
 */
function createHumanClocks() {
  let [ahead, looks] = [0, 0];
  const service = { now: () => Date.now() + ahead };
  const device = () => {
    looks += 1;
    ahead += 700 + (looks % 5) * 90;
    return service.now();
  };
  return { service, device };
}

/** Completes everything before the token step, and starts that. */
async function beginTokenStep(device: DeviceClient): Promise<void> {
  const { steps } = await device.claim();
  for (const [position, step] of steps.entries()) {
    await device.record('started', position);
    if (step.step === 'token') return;
    await recordMovements(device, step);
    const colors = step.step === 'face' ? (step.light?.attempts[0]?.colours ?? []) : [];
    for (const index of colors.keys()) await device.record('lit', index);
    await device.record('finished', position);
  }
}

async function encryptFace(device: DeviceClient, face: Float32Array) {
  const opened = await device.tokenChallenge();
  if (opened.outcome !== 'ready') throw new Error('there is no challenge');
  const { encrypt, close } = await openDevice();
  const key = { publicKey: Buffer.from(opened.publicKey, 'base64'), keyId: opened.challenge };
  const probe = encrypt(face, key, opened.modelId);
  close();
  return { probe };
}

it('enrolls with a selfie, signs in locally and is forgotten, with camera facts only in the audit', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'limen-audit-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const clocks = createHumanClocks();
  const settings = { SERVE: 'core,launch', DATA_DIR: dataDir };
  const { app, url, connect } = await startLiveService(settings, undefined, clocks.service);
  const { apiKey } = await app.apiKeys.create({ kind: 'test', clientCredentials: false });
  const limen = connect({ apiKey });
  const receiver = await startWebhookReceiver(apiKey);
  const open = async (
    request: Partial<CreateVerificationSessionRequest>,
    options: Partial<DeviceClientOptions> = {},
  ) => {
    const { sessionId } = await limen.verificationSessions.create({
      type: 'SIGN-IN',
      redirectURL: 'https://shop.example/',
      callback: { url: receiver.url },
      locale: 'en',
      ...request,
    });
    return createDeviceClient({
      baseUrl: url,
      sessionId,
      sleep: async () => {},
      monotonicNow: clocks.device,
      ...options,
    });
  };
  const pair = await generateDeviceKeyPair();
  const face = randomVector();

  const enrollment = await open({ type: 'ENROLL', sendImages: true, contact: ['email'] });
  await beginTokenStep(enrollment);
  const capture = { light: 131, width: 1280, height: 720, rate: 30, orientation: 'portrait-primary' } as const;
  const pieces = { ...(await encryptFace(enrollment, face)), deviceKey: pair.publicKey, capture };
  const enrolled = await enrollment.sendToken(pieces);
  expect(enrolled).toEqual({ outcome: 'enrolled', deviceId: expect.any(String), triesLeft: 2 });
  expect(await enrollment.sendToken(pieces)).toEqual(enrolled);
  await enrollment.sendSelfie(JPEG);
  await enrollment.record('finished', 1);
  await enrollment.record('started', 2);
  const findings = { face: { spoof: false, light: 'lit' }, contact: { email: 'ann@example.org' } } as const;
  expect((await enrollment.submit(findings, { finish: 2 })).end).toMatchObject({ flowStatus: 'COMPLETED', errors: [] });
  while ((await app.jobs.runDue()) > 0);
  const webhook = receiver.webhooks[0]?.body as unknown as VerificationWebhook;
  expect(webhook).toMatchObject({ status: 'SUCCESS', contactInformation: { email: 'ann@example.org' } });
  const audit = readFileSync(join(dataDir, 'keyholder', 'audit.jsonl'), 'utf8');
  const facts = { type: 'ENROLL', light: 131, cameraWidth: 1280, cameraHeight: 720, cameraRate: 30 };
  expect(audit).toContain(JSON.stringify({ ...facts, orientation: 'portrait-primary' }));
  expect(JSON.stringify(webhook)).not.toMatch(/camera|orientation|portrait-primary/);
  expect(webhook.images).toEqual([{ type: 'selfie', data: Buffer.from(JPEG).toString('base64') }]);

  const person = { deviceId: enrolled.deviceId!, privateKey: pair.privateKey };
  const signIn = await open({}, { fetch: createLossyFetch() });
  await beginTokenStep(signIn);
  expect(await signIn.signInLocally(person)).toEqual({ outcome: 'matched' });
  await signIn.submit({ face: { spoof: false, light: 'lit' } }, { finish: 1 });
  expect(await limen.verificationSessions.getResult(signIn.sessionId)).toMatchObject({
    status: 'SUCCESS',
    puid: webhook.puid,
  });

  const last = await open({});
  await last.claim();
  await last.forgetDevice(person);
  await beginTokenStep(last);
  expect(await last.signInLocally(person)).toEqual({ outcome: 'refused' });
  const { probe } = await encryptFace(last, face);
  expect(await last.sendToken({ probe })).toEqual({ outcome: 'matched', triesLeft: 2 });
});
