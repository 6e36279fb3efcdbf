// The page that launch URLs lead to.
import { html } from '../../platform/http/pages/html.ts';
import { type Page, sendPage } from '../../platform/http/pages/page.ts';
import type { HttpServer } from '../../platform/http/server.ts';

/** The same for every session id: a link preview or a guess learns nothing from it. */
const NOT_AVAILABLE_YET: Page = {
  title: 'Check not available yet',
  body: html`<main class="welcome">
<h1>The check is not available yet</h1>
<p class="lead">This service cannot run the check in the browser so far. Nothing was recorded.</p>
<p>You can close this page and return to the app or website that sent you here.</p>
</main>`,
};

export function registerLaunchPage(app: HttpServer): void {
  app.get('/launch', { config: { unlimited: true }, schema: { hide: true } }, async (_request, reply) =>
    sendPage(reply, NOT_AVAILABLE_YET),
  );
}
