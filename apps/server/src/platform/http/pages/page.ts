// The frame of the service's own pages: one style sheet, no script, nothing from elsewhere.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyReply } from 'fastify';
import type { HttpServer } from '../http-server.ts';
import { PAGE_HEADERS } from '../security-headers.ts';
import { type Html, html } from './html.ts';

const STYLE = loadAsset('page.css', 'text/css; charset=utf-8');
const ICON = loadAsset('icon.svg', 'image/svg+xml');

export interface Page {
  title: string;
  body: Html;
}

export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  return reply.headers(PAGE_HEADERS).type('text/html; charset=utf-8').send(renderPage(page).markup);
}

function renderPage({ title, body }: Page): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${ICON.path}" type="image/svg+xml">
<link rel="stylesheet" href="${STYLE.path}">
</head>
<body>
${body}
</body>
</html>
`;
}

interface Asset {
  path: string;
  type: string;
  bytes: Buffer;
}

/** An asset's name carries its hash, so that it may be cached for ever. */
function loadAsset(file: string, type: string): Asset {
  const bytes = readFileSync(new URL(`./${file}`, import.meta.url));
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
  return { path: `/assets/${file.replace('.', `-${hash}.`)}`, type, bytes };
}

export function registerPageAssets(app: HttpServer): void {
  for (const { path, type, bytes } of [STYLE, ICON]) {
    app.get(path, { config: { unlimited: true }, schema: { hide: true } }, async (_request, reply) =>
      reply.header('cache-control', 'public, max-age=31536000, immutable').type(type).send(bytes),
    );
  }
}
