// Proxies the service and adds a script with the test camera to the launch page. This works in
// every engine, independent of its driver. Never shipped.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface CameraProxy {
  origin: string;
  /** Script for pages loaded from now on. */
  script: string;
  close(): Promise<void>;
}

const SCRIPT_PATH = '/launch/test-camera.js';

/** Starts a proxy on any free port if `port` is 0. Each has its own origin and storage. */
export async function startCameraProxy(service: string, script: string, port: number): Promise<CameraProxy> {
  const server = createServer((incoming, outgoing) => {
    if (incoming.url === SCRIPT_PATH) {
      outgoing.writeHead(200, { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-store' });
      outgoing.end(proxy.script);
    } else forward(service, incoming, outgoing);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const proxy: CameraProxy = {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    script,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return proxy;
}

function forward(service: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { 'accept-encoding': _, ...headers } = incoming.headers;
  const onward = request(new URL(incoming.url!, service), { method: incoming.method, headers }, async (reply) => {
    const { statusCode = 500 } = reply;
    if (!reply.headers['content-type']?.startsWith('text/html')) {
      outgoing.writeHead(statusCode, reply.headers);
      return void reply.pipe(outgoing);
    }
    const { 'content-length': _, ...kept } = reply.headers;
    const page = await text(reply);
    outgoing.writeHead(statusCode, kept);
    outgoing.end(page.replace('<head>', `<head><script src="${SCRIPT_PATH}"></script>`));
  });
  onward.on('error', () => outgoing.destroy());
  outgoing.on('close', () => onward.destroy());
  incoming.pipe(onward);
}
