// A local HTTP server that replies with the next step of a script and records requests.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export interface Received {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

export type Step = (response: ServerResponse) => void;

export interface ScriptedServer {
  url: string;
  received: Received[];
}

/** Replies with 500 after the end of the script. Closed when the test ends. */
export async function startScriptedServer(...script: Step[]): Promise<ScriptedServer> {
  const received: Received[] = [];
  const steps = [...script];
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    received.push({ method, url, headers, body: await text(request) });
    (steps.shift() ?? reply(500))(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

/** Replies with a JSON body. Strings are sent unchanged. */
export function reply(status: number, body?: unknown, headers: Record<string, string> = {}): Step {
  return (response) => {
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

/** Refuses in the service's format. */
export function refuse(status: number, code: string, headers: Record<string, string> = {}): Step {
  const body = { statusCode: status, error: 'Error', message: `refused: ${code}`, requestId: 'r-1' };
  return reply(status, body, { 'x-error-code': code, 'x-request-id': 'r-1', ...headers });
}

/** Closes the connection instead of replying. */
export const reset: Step = (response) => {
  response.socket?.resetAndDestroy();
};

/** Sends less than announced, then closes the connection. */
export const breakOff: Step = (response) => {
  response.writeHead(200, { 'content-length': '1000' });
  response.write('{"id":', () => response.socket?.resetAndDestroy());
};

/** Never replies. */
export const hang: Step = () => {};
