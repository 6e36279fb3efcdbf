// The service of the launch benchmark, with the built page and models.
import { link, mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { AgeSessionResult } from '@limen/contract';
import { loadManifest, type ModelRole, prepareModels } from '@limen/face-models';
import { MODEL_CACHE } from '../../../apps/launch/testing/models.ts';
import { preparePages } from '../../../scripts/pages/prepare-pages.ts';
import { API_KEY, pause } from '../sessions/service.ts';
import { LIMEN, type Stage } from '../shared/stage.ts';

export interface LaunchService {
  url: string;
  /** A new session each time, in which a computer is allowed. */
  begin(): Promise<{ launchUrl: string; token: string }>;
  /** The host's result. */
  readResult(token: string): Promise<AgeSessionResult>;
}

const MAX_WAIT_MS = 180_000;

export async function startLaunchService(stage: Stage): Promise<LaunchService> {
  if (!(await preparePages())) throw new Error('the pages cannot be built; see: npm run build');
  const dataDir = join(stage.folder, 'launch');
  const manifest = await loadManifest();
  await provideModels(join(dataDir, 'models'));
  const { url } = await stage.startServer(LIMEN, {
    // Not `test`, in which the service does not load models.
    environment: {
      DATA_DIR: dataDir,
      DEV_API_KEY: API_KEY,
      PORT: '0',
      SERVE: 'core,launch',
      NODE_ENV: 'development',
    },
  });
  const addressOf = (role: ModelRole) => {
    const model = manifest.models.find((model) => model.role === role);
    if (!model) throw new Error(`there is no model ${role}`);
    return `${url}/launch/models/${model.file}`;
  };
  const ask = (role: ModelRole) => fetch(addressOf(role), { method: 'HEAD', headers: { 'accept-encoding': 'gzip' } });
  const roles = manifest.models.map(({ role }) => role);
  const start = performance.now();
  for (const role of roles) {
    // Waits for compressed copies, because models are served uncompressed until then.
    while ((await ask(role)).headers.get('content-encoding') !== 'gzip') {
      if (performance.now() - start > MAX_WAIT_MS) throw new Error('the service did not get its models ready');
      await pause(100);
    }
  }

  return {
    url,
    async begin() {
      const reply = await fetch(`${url}/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': API_KEY },
        body: JSON.stringify({ enableDesktop: true }),
      });
      if (!reply.ok) throw new Error(`a session was refused with ${reply.status}`);
      return (await reply.json()) as { launchUrl: string; token: string };
    },
    readResult: async (token) => (await (await fetch(`${url}/session/${token}/result`)).json()) as AgeSessionResult,
  };
}

/** Linked from the tests' folder, so that nothing is downloaded again. */
async function provideModels(folder: string): Promise<void> {
  const prepared = await prepareModels({ manifest: await loadManifest(), folder: MODEL_CACHE });
  await mkdir(folder, { recursive: true });
  for (const { path } of prepared) await link(path, join(folder, basename(path)));
}
