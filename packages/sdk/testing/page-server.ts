// A host application's web server: an empty page, the built SDK as modules, and Limen at /limen/.
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';

/** As served by a host application, or inserted by its bundler. */
const HPKE = resolve(import.meta.dirname, '../../../node_modules/@hpke');
const IMPORT_MAP = JSON.stringify({
  imports: { '@hpke/core': '/hpke/core/esm/mod.js', '@hpke/common': '/hpke/common/esm/mod.js' },
});
const PAGE = `<!doctype html><title>Host</title><script type="importmap">${IMPORT_MAP}</script>`;

interface PageServerOptions {
  sdkFolder: string;
  limenUrl: string;
}

/** Returns its port. Closed when the test ends. */
export async function startPageServer({ sdkFolder, limenUrl }: PageServerOptions): Promise<number> {
  const server = createServer((incoming, response) => {
    const path = incoming.url ?? '/';
    if (path.startsWith('/limen/')) {
      passOn(incoming, response, new URL(path.slice('/limen'.length), limenUrl));
    } else if (path.startsWith('/sdk/')) {
      const module = readFileSync(join(sdkFolder, path.slice('/sdk/'.length)));
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(module);
    } else if (path.startsWith('/hpke/')) {
      // Browsers resolve dots in a path before the request.
      const module = readFileSync(join(HPKE, path.slice('/hpke/'.length)));
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(module);
    } else {
      response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

function passOn(incoming: IncomingMessage, response: ServerResponse, url: URL): void {
  const onward = request(url, { method: incoming.method, headers: incoming.headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  incoming.pipe(onward);
}
