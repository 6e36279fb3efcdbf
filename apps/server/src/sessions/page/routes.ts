// The page that launch URLs lead to, and its files.

import { registerBuiltPage } from '../../platform/http/pages/built.ts';
import type { PageFiles } from '../../platform/http/pages/files.ts';
import { html } from '../../platform/http/pages/html.ts';
import type { Page } from '../../platform/http/pages/page.ts';
import { launchHeaders } from '../../platform/http/security-headers.ts';
import type { HttpServer } from '../../platform/http/types.ts';
import type { Embedders } from '../lifecycle/embedders.ts';

/** The same for every session id: a link preview or a guess learns nothing from it. */
const NOT_BUILT: Page = {
  title: 'Check not available',
  body: html`<main class="welcome">
<h1>The check is not available</h1>
<p class="lead">The page of this check is missing on the server. Nothing was recorded.</p>
<p>You can close this page and return to the app or website that sent you here.</p>
<p>For whoever runs this service: <code>npm run build</code> makes the page; then start the service again.</p>
</main>`,
};

interface LaunchPageOptions {
  files: PageFiles;
  embedders: Embedders;
}

interface OfSession {
  Querystring: { sessionId?: unknown };
}

export function registerLaunchPage(app: HttpServer, { files, embedders }: LaunchPageOptions): void {
  const ofSession = ({ sessionId }: OfSession['Querystring']) => {
    // The page takes the first of several, and who may frame it must be told of the same one.
    const [first] = [sessionId].flat();
    return embedders(typeof first === 'string' ? first : '');
  };
  registerBuiltPage(app, {
    path: '/launch',
    files,
    headers: {
      page: async ({ query }) => launchHeaders(await ofSession(query as OfSession['Querystring'])).page,
      script: launchHeaders([]).script,
    },
    missing: NOT_BUILT,
  });
  // For the page in a frame: from whom it may take a message.
  app.get<OfSession>('/launch/embedders', { schema: { hide: true } }, async ({ query }) => ({
    origins: await ofSession(query),
  }));
}
