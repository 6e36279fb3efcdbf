// Encryption in a browser for the token benchmark: a page with only the device's role.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, extname, join, normalize } from 'node:path';
import { chromium } from 'playwright-core';
import { SEAL_ALIAS } from '../../../apps/launch/build/seal-file.ts';
import type { DeviceKey } from '../../../packages/token/device/index.ts';

const PACKAGE = join(import.meta.dirname, '../../../packages/token');
const SEAL = dirname(SEAL_ALIAS[0]!.replacement);
const TYPES = new Map([
  ['.js', 'text/javascript'],
  ['.ts', 'text/javascript'],
  ['.wasm', 'application/wasm'],
]);
const IMPORTS = JSON.stringify({ imports: { 'node-seal': '/seal/index_throws.js' } });
const PAGE = `<!doctype html><title>bench</title><script type="importmap">${IMPORTS}</script>`;

export interface PageFigures {
  /** From requesting the library to the first token. */
  firstMs: number;
  encryptMs: number[];
}

/** Runs in the page: one call per token, including parsing its key. */
const measureIn = (key: DeviceKey, modelId: string, times: number) => `(async () => {
  const start = performance.now();
  const { openDevice } = await import('/token/device/index.ts');
  const device = await openDevice({ wasmUrl: '/seal/seal_throws.wasm' });
  const key = { ...${JSON.stringify({ ...key, publicKey: [...key.publicKey] })} };
  key.publicKey = Uint8Array.from(key.publicKey);
  const encryptMs = [];
  let firstMs;
  for (let time = 0; time < ${times}; time += 1) {
    const vector = Float32Array.from({ length: 512 }, (_, index) => Math.sin(index * (time + 1)));
    const from = performance.now();
    const token = device.encrypt(vector, key, '${modelId}');
    encryptMs.push(performance.now() - from);
    if (token.length !== 13352) throw new Error('No token');
    firstMs ??= performance.now() - start;
  }
  return { firstMs, encryptMs };
})()`;

export async function measurePage(
  executablePath: string,
  key: DeviceKey,
  modelId: string,
  times: number,
): Promise<PageFigures> {
  const server = createServer(({ url = '/' }, response) => {
    const found = findFile(new URL(url, 'http://localhost').pathname);
    response.writeHead(found ? 200 : 404, { 'content-type': found?.type ?? 'text/plain' }).end(found?.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    return (await page.evaluate(measureIn(key, modelId, times))) as PageFigures;
  } finally {
    await browser.close();
    server.closeAllConnections();
    server.close();
  }
}

function findFile(path: string): { type: string; body: string | Uint8Array } | undefined {
  if (path === '/') return { type: 'text/html', body: PAGE };
  const [, root, rest] = /^\/(token|seal)\/(.+)$/.exec(normalize(path)) ?? [];
  const type = TYPES.get(extname(path));
  if (!root || !rest || !type) return undefined;
  const bytes = readFileSync(join(root === 'seal' ? SEAL : PACKAGE, rest));
  return { type, body: extname(path) === '.ts' ? stripTypeScriptTypes(bytes.toString()) : bytes };
}
