// A host's site on its own origin: a page written by the test, and the SDK's element as a module.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join, normalize, resolve } from 'node:path';

const SDK = resolve(import.meta.dirname, '../../../../packages/sdk/src');

export interface HostSite {
  /** On 127.0.0.1. Launch URLs use localhost, which browsers treat as another site. */
  url: string;
  /** Sets body and headers of the page for later requests. */
  show(body: string, headers?: Record<string, string>): void;
}

/** Unreferenced, so that it does not keep the tests from ending. */
export async function startHostSite(): Promise<HostSite> {
  let body = '';
  let headers: Record<string, string> = {};
  const server = createServer(({ url = '/' }, response) => {
    if (url.startsWith('/sdk/')) {
      const source = readFileSync(join(SDK, normalize(url.slice('/sdk/'.length))), 'utf8');
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(stripTypeScriptTypes(source));
    } else {
      const head = '<!doctype html><meta name="viewport" content="width=device-width"><title>Shop</title>';
      const script = '<script type="module">import "/sdk/element.ts";</script>';
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(head + script + body);
    }
  });
  await once(server.listen(0, '127.0.0.1').unref(), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    show(next, nextHeaders = {}) {
      body = next;
      headers = nextHeaders;
    },
  };
}
