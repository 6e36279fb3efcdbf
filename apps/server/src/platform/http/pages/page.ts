// The frame of the service's own pages: one style sheet, no script, nothing from elsewhere.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyReply } from 'fastify';
import { PAGE_HEADERS } from '../security-headers.ts';
import type { HttpServer } from '../server.ts';
import { type Html, html } from './html.ts';

const STYLE = readFileSync(new URL('./page.css', import.meta.url));
const STYLE_PATH = `/assets/page-${createHash('sha256').update(STYLE).digest('hex').slice(0, 12)}.css`;

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
<link rel="stylesheet" href="${STYLE_PATH}">
</head>
<body>
${body}
</body>
</html>
`;
}

/** The style sheet's name carries its hash, so that it may be cached for ever. */
export function registerPageAssets(app: HttpServer): void {
  app.get(STYLE_PATH, { schema: { hide: true } }, async (_request, reply) =>
    reply.header('cache-control', 'public, max-age=31536000, immutable').type('text/css; charset=utf-8').send(STYLE),
  );
}
