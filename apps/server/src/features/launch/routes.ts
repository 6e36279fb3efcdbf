// The page that launch URLs lead to, and its files.

import type { HttpServer } from '../../platform/http/http-server.ts';
import { registerBuiltPage } from '../../platform/http/pages/built-page.ts';
import { html } from '../../platform/http/pages/html.ts';
import type { Page } from '../../platform/http/pages/page.ts';
import type { PageFiles } from '../../platform/http/pages/page-files.ts';
import { launchHeaders } from '../../platform/http/security-headers.ts';

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
  /** Origins that may show the page in a frame. */
  frameAncestors: readonly string[] | undefined;
}

export function registerLaunchPage(app: HttpServer, { files, frameAncestors }: LaunchPageOptions): void {
  registerBuiltPage(app, { path: '/launch', files, headers: launchHeaders(frameAncestors), missing: NOT_BUILT });
}
