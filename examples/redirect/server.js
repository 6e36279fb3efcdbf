// Serves the route handlers below `app` as Next.js would: the path is the folder, the method is the function.
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import * as back from './app/back/route.js';
import * as check from './app/check/route.js';
import * as shop from './app/route.js';
import * as webhook from './app/webhook/route.js';
import { hostUrl } from './limen.js';

const ROUTES = { '/': shop, '/check': check, '/webhook': webhook, '/back': back };

const server = createServer(async (incoming, outgoing) => {
  const url = new URL(incoming.url, hostUrl);
  const handle = ROUTES[url.pathname]?.[incoming.method];
  const body = incoming.method === 'POST' ? { body: Readable.toWeb(incoming), duplex: 'half' } : {};
  const request = new Request(url, { method: incoming.method, headers: incoming.headers, ...body });
  let response;
  try {
    response = handle ? await handle(request) : new Response('There is nothing here.', { status: 404 });
  } catch (error) {
    console.error(`${url.pathname}: ${error.message}`);
    response = new Response('Something went wrong. Is the service running?', { status: 500 });
  }
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(await response.text());
});
server.listen(new URL(hostUrl).port, () => console.log(`The shop is at ${hostUrl}`));
