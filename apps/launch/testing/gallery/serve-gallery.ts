// Builds the gallery and serves it from memory on loopback.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
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
/** As strict about styles and scripts as the real page's policy. */
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'";

export interface GalleryServer {
  url: string;
  /** Lets the process end. */
  unref(): void;
  close(): void;
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
  const files = new Map<string, Buffer>();
  for (const name of await readdir(folder, { recursive: true })) {
    if (TYPES.has(extname(name))) files.set(`/${name}`, await readFile(join(folder, name)));
  }
  // Removed at once, so that a killed process leaves nothing behind.
  await rm(folder, { recursive: true, force: true });
  const server = createServer(({ url = '/' }, response) => {
    const { pathname } = new URL(url, 'http://gallery.example');
    const file = pathname === '/' ? '/index.html' : pathname;
    const body = files.get(file);
    if (!body) return response.writeHead(404).end();
    const type = TYPES.get(extname(file));
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8`, 'content-security-policy': POLICY });
    return response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    unref: () => void server.unref(),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
