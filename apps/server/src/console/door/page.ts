// The console's page and its files.
import { registerBuiltPage } from '../../platform/http/pages/built.ts';
import type { PageFiles } from '../../platform/http/pages/files.ts';
import { html } from '../../platform/http/pages/html.ts';
import { SCRIPTED_PAGE_HEADERS } from '../../platform/http/security-headers.ts';
import type { HttpServer } from '../../platform/http/types.ts';
import { isLocalAlias, requireOwnHost } from './guard.ts';

/** Keeps the page from turning text into script by mistake. */
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

export function registerConsolePage(app: HttpServer, files: PageFiles, consoleUrl: () => string): void {
  registerBuiltPage(app, {
    path: '/console',
    files,
    missing: {
      title: 'Console not built',
      body: html`<main class="welcome">
<h1>The console is not built</h1>
<p class="lead">Run <code>npm run build</code>, then start the service again.</p>
</main>`,
    },
    headers: HEADERS,
    async onRequest(request, reply) {
      const own = new URL(consoleUrl());
      // The target comes from the settings, never from the request. Browsers keep the fragment of an invite.
      if (isLocalAlias(request, own)) return reply.header('cache-control', 'no-store').redirect(consoleUrl());
      requireOwnHost(request, own);
    },
  });
}
