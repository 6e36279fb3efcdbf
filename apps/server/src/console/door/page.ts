// The console's page and its files.
import type { FastifyReply } from 'fastify';
import { registerBuiltPage } from '../../platform/http/pages/built.ts';
import type { PageFiles } from '../../platform/http/pages/files.ts';
import { html } from '../../platform/http/pages/html.ts';
import type { Page } from '../../platform/http/pages/page.ts';
import { SCRIPTED_PAGE_HEADERS } from '../../platform/http/security-headers.ts';
import type { HttpServer } from '../../platform/http/types.ts';
import { isLocalAlias, requireOwnHost } from './guard.ts';

/** No text becomes script by any way that the page could take by mistake. */
const PAGE_POLICY = `${SCRIPTED_PAGE_HEADERS['content-security-policy']}; require-trusted-types-for 'script'; trusted-types 'none'`;
const HEADERS = {
  page: {
    ...SCRIPTED_PAGE_HEADERS,
    'content-security-policy': PAGE_POLICY,
    'x-frame-options': 'DENY',
    'permissions-policy':
      'publickey-credentials-create=(self), publickey-credentials-get=(self), camera=(), microphone=(), geolocation=()',
  },
  script: { 'cross-origin-resource-policy': 'same-origin' },
};

const NOT_BUILT: Page = {
  title: 'Console not built',
  body: html`<main class="welcome">
<h1>The console is not built</h1>
<p class="lead">Run <code>npm run build</code>, then start the service again.</p>
</main>`,
};

export function registerConsolePage(app: HttpServer, files: PageFiles, consoleUrl: () => string): void {
  const own = () => new URL(consoleUrl());
  registerBuiltPage(app, {
    path: '/console',
    files,
    missing: NOT_BUILT,
    headers: HEADERS,
    async onRequest(request, reply) {
      if (isLocalAlias(request, own())) return redirectToOwnAddress(reply);
      requireOwnHost(request, own());
    },
  });
  /** The target comes from the settings, never from the request. The browser keeps the fragment, which an invite's link needs. */
  function redirectToOwnAddress(reply: FastifyReply): FastifyReply {
    return reply.header('cache-control', 'no-store').redirect(consoleUrl());
  }
}
