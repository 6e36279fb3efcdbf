// Serves the static page, as any web server does, and makes one check for it, as whoever writes to the person would.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';

const { LIMEN_URL, LIMEN_API_KEY, PORT = '3002' } = process.env;
const hostUrl = process.env.HOST_URL ?? `http://localhost:${PORT}`;

const reply = await fetch(`${LIMEN_URL}/session`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-api-key': LIMEN_API_KEY },
  body: JSON.stringify({ ageThreshold: 18, enableDesktop: true, redirectUrl: `${hostUrl}/#back` }),
});
if (!reply.ok) throw new Error(`The service answered ${reply.status}: ${await reply.text()}`);
const { launchUrl, token } = await reply.json();

const page = await readFile(join(import.meta.dirname, 'index.html'), 'utf8');
const served = page.replace('<script>', `<script data-service="${new URL(launchUrl).origin}">`);
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(served);
});
server.listen(Number(PORT), () => {
  console.log(`The link for the person: ${hostUrl}/#${new URLSearchParams({ check: launchUrl })}`);
  console.log(`The outcome, once there is one: ${LIMEN_URL}/session/${token}/result`);
});
