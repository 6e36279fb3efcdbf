// Builds the gallery into a folder of its own and serves it on loopback.
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { build } from 'vite';

const TYPES = new Map([
  ['.html', 'text/html'],
  ['.js', 'text/javascript'],
  ['.css', 'text/css'],
]);
/** As strict as the real page's about styles and scripts. */
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'";

export interface GalleryServer {
  url: string;
  folder: string;
  close(): Promise<void>;
}

export async function serveGallery(): Promise<GalleryServer> {
  const folder = await mkdtemp(join(tmpdir(), 'limen-gallery-'));
  await build({
    configFile: false,
    root: import.meta.dirname,
    base: './',
    publicDir: false,
    logLevel: 'error',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: { outDir: folder, emptyOutDir: true, target: 'es2022', modulePreload: { polyfill: false } },
  });
  const server = createServer(({ url = '/' }, response) => {
    const { pathname } = new URL(url, 'http://gallery.example');
    const file = pathname === '/' ? '/index.html' : pathname;
    try {
      const body = readFileSync(join(folder, file));
      const type = TYPES.get(extname(file)) ?? 'application/octet-stream';
      response.writeHead(200, { 'content-type': `${type}; charset=utf-8`, 'content-security-policy': POLICY });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    folder,
    async close() {
      server.closeAllConnections();
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
