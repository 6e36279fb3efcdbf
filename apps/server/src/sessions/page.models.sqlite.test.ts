// Face models in the whole service: loaded once it listens, shown by `/ready`, named in the plan.

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DevicePlan } from '@limen/plan';
import { PATIENCE } from '@limen/testing/patience.ts';
import { describe, expect, it, vi } from 'vitest';
import { newDevice } from '#testing/device.ts';
import { makeTestModels, sha256Of } from '#testing/model-manifest.ts';
import { newHost } from '#testing/session-app.ts';
import { startTestApp, type TestApp } from '#testing/test-app.ts';

async function planOf(app: TestApp): Promise<DevicePlan> {
  const { body } = await (await newHost(app)).create({});
  const sessionId = new URL(body.launchUrl).searchParams.get('sessionId')!;
  const device = await newDevice(app.http);
  return JSON.parse((await device.claim(sessionId)).body.plan!) as DevicePlan;
}

const readyOf = async ({ http }: TestApp) => (await http.inject('/ready')).json() as { checks: Record<string, string> };

describe('a service with models', () => {
  it('starts loading once it listens, then names the manifest in every plan', async () => {
    const { manifestFile } = makeTestModels();
    const app = await startTestApp({ environment: { MODEL_MANIFEST: manifestFile }, prepareModels: true });
    expect((await planOf(app)).modelManifest).toBeNull();
    expect((await readyOf(app)).checks['models']).toBe('preparing (0 of 8 are there)');

    const address = await app.http.listen({ port: 0 });
    await vi.waitFor(async () => expect((await readyOf(app)).checks['models']).toBe('ready'), PATIENCE);
    const served = await (await fetch(`${address}/launch/models/manifest.json`)).text();
    expect((await planOf(app)).modelManifest).toBe(sha256Of(served));
    const { models } = JSON.parse(served) as { models: { file: string; sha256: string }[] };
    for (const { file, sha256 } of models) {
      const reply = await fetch(`${address}/launch/models/${file}?v=${sha256}`);
      expect(sha256Of(Buffer.from(await reply.arrayBuffer()))).toBe(sha256);
    }
  });

  it('serves everything else while models are unavailable', async () => {
    const { manifestFile, place } = makeTestModels();
    rmSync(join(place, 'eye.bin'));
    const app = await startTestApp({ environment: { MODEL_MANIFEST: manifestFile }, prepareModels: true });
    await app.http.listen({ port: 0 });
    await vi.waitFor(async () => {
      const reply = await app.http.inject('/ready');
      expect(reply.statusCode).toBe(200);
      expect(reply.json()).toMatchObject({
        status: 'ready',
        checks: { models: 'could not be prepared, next try in a minute; the log says why' },
      });
    }, PATIENCE);
    expect((await planOf(app)).modelManifest).toBeNull();
    const missing = await app.http.inject('/launch/models/eye.onnx');
    expect([missing.statusCode, missing.headers['retry-after']]).toEqual([503, '60']);
    await app.close(); // with the next retry a minute away
  });
});

describe('a faulty manifest', () => {
  it('stops the start only of a service with sessions', async () => {
    const { manifestFile } = makeTestModels();
    writeFileSync(manifestFile, '{}');
    const environment = { MODEL_MANIFEST: manifestFile };
    await expect(startTestApp({ environment })).rejects.toThrow(/MODEL_MANIFEST: .*problem/);
    await startTestApp({ environment: { ...environment, SERVE: 'node' } });
  });
});

it('loads nothing if disabled', async () => {
  const { manifestFile } = makeTestModels();
  const app = await startTestApp({ environment: { MODEL_MANIFEST: manifestFile } });
  await app.http.listen({ port: 0 });
  expect((await readyOf(app)).checks).not.toHaveProperty('models');
  expect((await app.http.inject('/launch/models/eye.onnx')).statusCode).toBe(503);
  expect((await planOf(app)).modelManifest).toBeNull();
});
