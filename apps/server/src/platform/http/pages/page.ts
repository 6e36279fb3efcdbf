// The frame of the service's own pages: one style sheet, one script at most, nothing from elsewhere.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { FastifyReply } from 'fastify';
import { PAGE_HEADERS, SCRIPTED_PAGE_HEADERS } from '../security-headers.ts';
import type { HttpServer } from '../types.ts';
import { type Html, html } from './html.ts';

const STYLE = loadAsset(new URL('./page.css', import.meta.url), 'text/css; charset=utf-8');
const ICON = loadAsset(new URL('./icon.svg', import.meta.url), 'image/svg+xml');

export interface Page {
  title: string;
  body: Html;
  /** Optional for the reader: the page works without scripts */
  script?: Asset;
}

export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  return reply
    .headers(page.script ? SCRIPTED_PAGE_HEADERS : PAGE_HEADERS)
    .type('text/html; charset=utf-8')
    .send(renderPage(page).markup);
}

function renderPage({ title, body, script }: Page): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${ICON.path}" type="image/svg+xml">
<link rel="stylesheet" href="${STYLE.path}">
${script && html`<script type="module" src="${script.path}"></script>`}
</head>
<body>
${body}
</body>
</html>
`;
}

export interface Asset {
  path: string;
  type: string;
  bytes: Buffer;
}

export function loadAsset(file: URL, type: string): Asset {
  const bytes = readFileSync(file);
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
  return { path: `/assets/${basename(file.pathname).replace('.', `-${hash}.`)}`, type, bytes };
}

export function registerPageAssets(app: HttpServer): void {
  registerAsset(app, STYLE);
  registerAsset(app, ICON);
}

export function registerAsset(app: HttpServer, { path, type, bytes }: Asset): void {
  app.get(path, { config: { unlimited: true }, schema: { hide: true } }, async (_request, reply) =>
    reply.header('cache-control', 'public, max-age=31536000, immutable').type(type).send(bytes),
  );
}
