// A page to keep: it contains its style, needs nothing from elsewhere, and is streamed.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { PAGE_HEADERS } from '../security-headers.ts';
import { Html, html } from './html.ts';

export interface StandalonePage {
  title: string;
  style: ReturnType<typeof loadInlineStyle>;
  parts: AsyncIterable<Html>;
}

/** Returns a style, and a policy that allows nothing else on the page. */
export function loadInlineStyle(file: URL) {
  const css = readFileSync(file, 'utf8');
  const hash = createHash('sha256').update(css).digest('base64');
  return { css, policy: `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'` };
}

export function sendStandalonePage(reply: FastifyReply, page: StandalonePage): FastifyReply {
  return reply
    .headers({ ...PAGE_HEADERS, 'content-security-policy': `${page.style.policy}; frame-ancestors 'none'` })
    .type('text/html; charset=utf-8')
    .send(Readable.from(renderStandalonePage(page)));
}

/** Repeats the policy in the page, for copies on a disk. */
export async function* renderStandalonePage({ title, style, parts }: StandalonePage): AsyncGenerator<string> {
  yield html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${style.policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${new Html(style.css)}</style>
</head>
<body>
`.markup;
  for await (const part of parts) yield part.markup;
  yield '</body>\n</html>\n';
}
