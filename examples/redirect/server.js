// Serves the route handlers below `app` as Next.js would: folders are paths, functions are methods.
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { hostUrl } from './app/_shop/limen.js';
import * as back from './app/back/route.js';
import * as check from './app/check/route.js';
import * as shop from './app/route.js';
import * as webhook from './app/webhook/route.js';

const ROUTES = { '/': shop, '/check': check, '/webhook': webhook, '/back': back };

const server = createServer(async (incoming, outgoing) => {
  const response = await answer(incoming);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(await response.text());
});
server.listen(process.env.PORT ?? new URL(hostUrl).port, () => console.log(`The shop is at ${hostUrl}`));

async function answer(incoming) {
  const { method, headers } = incoming;
  const url = URL.parse(incoming.url, hostUrl);
  const handle = ROUTES[url?.pathname]?.[method];
  if (!handle) return new Response('There is nothing here.', { status: 404 });
  const body = method === 'POST' ? { body: Readable.toWeb(incoming), duplex: 'half' } : {};
  try {
    return await handle(new Request(url, { method, headers, ...body }));
  } catch (error) {
    console.error(`${url.pathname}: ${error.message}`);
    return new Response('Something went wrong. Is the service running?', { status: 500 });
  }
}
