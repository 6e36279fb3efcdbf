// The OpenAPI document of an application with every area.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../apps/server/src/app.ts';
import { loadConfig } from '../../apps/server/src/config.ts';
import { createLogSink } from '../../apps/server/src/platform/base/logging.ts';
import { listOperations, type Operation } from '../../apps/server/src/platform/http/reference/operations.ts';

export async function readOperations(): Promise<Operation[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'limen-docs-'));
  const app = await createApp({ config: loadConfig({ DATA_DIR: dataDir }), log: createLogSink('silent').log });
  const operations = listOperations(app.http.swagger());
  await app.close();
  rmSync(dataDir, { recursive: true, force: true });
  return operations;
}
