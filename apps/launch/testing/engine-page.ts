// Builds the engine's page and serves it like the server: isolated, under the strict policy, with
// the models.
import { mkdtemp, readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import { loadManifest, prepareModels } from '@limen/face-models';
import { build, defaultClientConditions } from 'vite';
import { renderPageManifest } from '../../server/src/faces/models/manifest.ts';
import { limitMemory } from '../build/limit-memory.ts';
import { SEAL_ALIAS } from '../build/seal-file.ts';
import { MODEL_CACHE } from './models.ts';

const TYPES = new Map([
  ['.js', 'text/javascript'],
  ['.mjs', 'text/javascript'],
  ['.wasm', 'application/wasm'],
  ['.html', 'text/html; charset=utf-8'],
]);

const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' blob:; " +
  "connect-src 'self'; worker-src 'self'; media-src 'self' blob:; report-uri /violation";

/** Builds into a temporary folder, which the caller removes. */
export async function buildEnginePage(): Promise<string> {
  const outDir = await mkdtemp(join(tmpdir(), 'limen-engine-'));
  await build({
    configFile: false,
    root: join(import.meta.dirname, 'engine-page'),
    base: './',
    publicDir: false,
    logLevel: 'error',
    // Keeps the runtime's files separate instead of inlining them.
    resolve: { conditions: ['onnxruntime-web-use-extern-wasm', ...defaultClientConditions], alias: SEAL_ALIAS },
    plugins: [limitMemory()],
    worker: { format: 'es', plugins: () => [limitMemory()] },
    build: {
      outDir,
      target: ['es2022', 'safari16.4'],
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
    experimental: {
      renderBuiltUrl: (file, { hostType }) => (hostType === 'html' ? `launch/${file}` : { relative: true }),
    },
  });
  return outDir;
}

export interface EnginePage {
  url: string;
  manifestHash: string;
  /** Requested paths, in order. */
  asked: string[];
  /** Directives that the page or a worker violated. */
  violations: string[];
  close(): void;
}

/** Without isolation, browsers allow one thread. */
export async function serveEnginePage(folder: string, { isolated = true, picture = new Uint8Array() } = {}) {
  const manifest = await loadManifest();
  const prepared = await prepareModels({ manifest, folder: MODEL_CACHE });
  const { text, hash } = renderPageManifest(manifest);
  const models = new Map(prepared.map(({ model, path }) => [model.file, path]));
  const asked: string[] = [];
  const violations: string[] = [];

  async function find(path: string): Promise<Uint8Array | string | undefined> {
    const name = basename(path);
    if (path === '/launch') return readFile(join(folder, 'index.html'));
    if (path === '/picture.jpg') return picture;
    if (path === '/launch/models/manifest.json') return text;
    const model = path.startsWith('/launch/models/') ? models.get(name) : undefined;
    if (model) return readFile(model);
    return path.startsWith('/launch/assets/') ? readFile(join(folder, 'assets', name)) : undefined;
  }

  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname === '/violation') {
      readReport(request).then(
        (directive) => violations.push(directive),
        () => violations.push('unreadable'),
      );
      return response.writeHead(204).end();
    }
    asked.push(pathname);
    const type = TYPES.get(extname(pathname)) ?? (pathname === '/launch' ? TYPES.get('.html') : undefined);
    response.setHeader('content-type', type ?? 'application/octet-stream');
    // Also on scripts, because a worker takes policy and isolation from its own script.
    response.setHeader('content-security-policy', POLICY);
    response.setHeader('cross-origin-resource-policy', 'same-origin');
    if (isolated) {
      response.setHeader('cross-origin-opener-policy', 'same-origin');
      response.setHeader('cross-origin-embedder-policy', 'require-corp');
    }
    find(pathname).then(
      (body) => response.writeHead(body === undefined ? 404 : 200).end(body),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const page: EnginePage = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/launch`,
    manifestHash: hash,
    asked,
    violations,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return page;
}

async function readReport(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return JSON.parse(body)['csp-report']['effective-directive'];
}
