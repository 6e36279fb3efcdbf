// The peer of the launch benchmark: @vladmandic/human with its own models and WebAssembly, on the
// same picture.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { BrowserContext } from 'playwright-core';
import { countTraffic } from './browser.ts';
import { FRAMES } from './engine.ts';

const MODULES = join(import.meta.dirname, '../peers/node_modules');
const HUMAN = join(MODULES, '@vladmandic/human');
const WASM = join(MODULES, '@tensorflow/tfjs-backend-wasm/dist');
const TYPES = new Map([
  ['.js', 'text/javascript'],
  ['.json', 'application/json'],
  ['.wasm', 'application/wasm'],
  ['.html', 'text/html; charset=utf-8'],
]);

export interface PeerFigures {
  threads: number;
  bytes: number;
  firstMs: number;
  /** Only detection and face mesh. */
  watchMs: number[];
  /** With age, sex and embedding. */
  wholeMs: number[];
}

export function isPeerInstalled(): boolean {
  return existsSync(join(HUMAN, 'dist/human.esm.js')) && existsSync(WASM);
}

/** Disables frame skipping and everything without a counterpart in ours. */
const PROGRAM = `(async () => {
  const cores = navigator.hardwareConcurrency;
  // It uses half of the reported cores. Reporting twice as many makes it use all, as ours does.
  Object.defineProperty(navigator, 'hardwareConcurrency', { get: () => cores * 2 });
  const { Human } = await import('/dist/human.esm.js');
  const off = { enabled: false };
  const face = {
    enabled: true,
    detector: { enabled: true, rotation: false, maxDetected: 1, skipFrames: 0, skipTime: 0 },
    mesh: { enabled: true },
    description: { enabled: true, skipFrames: 0, skipTime: 0 },
    iris: off,
    emotion: off,
    antispoof: off,
    liveness: off,
    attention: off,
  };
  const human = new Human({
    backend: 'wasm',
    wasmPath: '/wasm/',
    modelBasePath: '/models/',
    debug: false,
    warmup: 'none',
    cacheModels: false,
    cacheSensitivity: 0,
    filter: off,
    gesture: off,
    face,
    body: off,
    hand: off,
    object: off,
    segmentation: off,
  });
  human.tf.setThreadsCount(cores);
  await human.load();
  const picture = await createImageBitmap(await (await fetch('/picture.jpg')).blob());
  const detect = async (description) => {
    human.config.face.description.enabled = description;
    const { face: [found], error } = await human.detect(picture);
    if (error || !found?.mesh?.length) throw new Error('The peer found no face: ' + error);
    if (description && !(found.age > 0 && found.embedding?.length)) throw new Error('The peer found no age');
  };
  const time = async (times, description) => {
    const all = [];
    for (let i = 0; i < times; i += 1) {
      const start = performance.now();
      await detect(description);
      all.push(performance.now() - start);
    }
    return all;
  };
  await detect(true);
  const firstMs = performance.now();
  await time(3, true);
  await time(3, false);
  const watchMs = await time(${FRAMES}, false);
  const wholeMs = await time(${FRAMES}, true);
  const threads = human.env.wasm.multithread ? (human.tf.getThreadsCount?.() ?? 0) : 1;
  if (human.tf.getBackend() !== 'wasm' || !human.env.wasm.simd) throw new Error('The peer does not run on WebAssembly');
  return { threads, firstMs, watchMs, wholeMs };
})()`;

export async function measurePeer(
  context: BrowserContext,
  picture: Uint8Array<ArrayBuffer>,
  isolated: boolean,
): Promise<PeerFigures> {
  const server = await servePeer(picture, isolated);
  const traffic = countTraffic(context);
  const page = await context.newPage();
  try {
    await page.goto(server.url);
    const seen = await page.evaluate<Omit<PeerFigures, 'bytes'>>(PROGRAM);
    await traffic.settle();
    return { ...seen, bytes: traffic.total() - traffic.of(/picture/) };
  } finally {
    traffic.stop();
    await page.close();
    server.close();
  }
}

const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
const compressed = new Map<string, Buffer<ArrayBuffer>>();

/** Compressed as ours: models with gzip, the rest with Brotli. Done before timing. */
async function compressFiles(): Promise<void> {
  const models = ['blazeface', 'facemesh', 'faceres'].flatMap((name) => [`${name}.json`, `${name}.bin`]);
  const wasm = ['tfjs-backend-wasm-simd.wasm', 'tfjs-backend-wasm-threaded-simd.wasm'];
  const files = [
    ...models.map((name) => [`/models/${name}`, join(HUMAN, 'models', name)] as const),
    ...wasm.map((name) => [`/wasm/${name}`, join(WASM, name)] as const),
    ['/dist/human.esm.js', join(HUMAN, 'dist/human.esm.js')] as const,
  ];
  for (const [path, file] of files) {
    if (compressed.has(path)) continue;
    const bytes = await readFile(file);
    compressed.set(path, path.endsWith('.bin') ? gzipSync(bytes, { level: 9 }) : brotliCompressSync(bytes, BROTLI));
  }
}

async function servePeer(picture: Uint8Array<ArrayBuffer>, isolated: boolean) {
  await compressFiles();
  const find = (path: string) => {
    if (path === '/') return Buffer.from('<!doctype html><link rel="icon" href="data:,"><title>Peer</title>');
    return path === '/picture.jpg' ? picture : compressed.get(path);
  };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    response.setHeader('content-type', TYPES.get(extname(pathname) || '.html') ?? 'application/octet-stream');
    if (isolated) {
      response.setHeader('cross-origin-opener-policy', 'same-origin');
      response.setHeader('cross-origin-embedder-policy', 'require-corp');
    }
    const body = find(pathname);
    if (!body) return response.writeHead(404).end();
    if (compressed.has(pathname)) response.setHeader('content-encoding', pathname.endsWith('.bin') ? 'gzip' : 'br');
    response.setHeader('content-length', body.length);
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
