// The page at `/` for browsers: facts about the service, and links.
import { VERSION } from '../../platform/base/version.ts';
import { type Html, html } from '../../platform/http/pages/html.ts';
import type { Page } from '../../platform/http/pages/page.ts';

export interface WelcomeFacts {
  address: string;
  database: string;
  parts: string[];
  openAreas: string[];
  production: boolean;
  hasDemo: boolean;
  consoleUrl: string | undefined;
}

export function renderWelcome(facts: WelcomeFacts): Page {
  const { address, database, parts, openAreas, production, hasDemo, consoleUrl } = facts;
  return {
    title: 'Limen',
    body: html`<main class="welcome">
<header>
<h1>Limen</h1>
<p class="lead">Identity and age verification that you run yourself. Faces stay on the device that sees them.</p>
</header>
<nav aria-label="Pages">
<ul class="cards">
${hasDemo && html`<li><a href="/demo"><strong>Demo</strong><span>Start a check and watch request, webhook and result</span></a></li>`}
<li><a href="/docs"><strong>API reference</strong><span>Every operation, field and refusal</span></a></li>
${consoleUrl !== undefined && html`<li><a href="${consoleUrl}"><strong>Console</strong><span>Sessions, reviews, webhooks and keys, for operators</span></a></li>`}
<li><a href="/openapi.json"><strong>OpenAPI document</strong><span>The same for programs and generators</span></a></li>
<li><a href="/ready"><strong>Readiness</strong><span>Which parts are up</span></a></li>
<li><a href="/metrics"><strong>Metrics</strong><span>Prometheus text, from this machine</span></a></li>
</ul>
</nav>
<section aria-labelledby="running">
<h2 id="running">What is running</h2>
<dl>
<div><dt>Version</dt><dd>${VERSION}</dd></div>
<div><dt>Mode</dt><dd>${production ? 'production' : 'development'}</dd></div>
<div><dt>Database</dt><dd>${database}</dd></div>
<div><dt>Parts</dt><dd>${parts.join(', ')}</dd></div>
<div><dt>Open without a key</dt><dd>${openAreas.join(', ') || 'none'}</dd></div>
</dl>
</section>
<section aria-labelledby="guides">
<h2 id="guides">Guides</h2>
<p>The folder <code>docs</code> of the service has them: <code>ages.md</code> to check ages, <code>sign-in.md</code> to sign people in, <code>screening.md</code> to screen names, <code>operate.md</code> to run it for others.</p>
</section>
<section aria-labelledby="try">
<h2 id="try">Try it</h2>
<pre tabindex="0" aria-label="Example"><code>${parts.includes('core') ? createString(address, openAreas) : html`curl ${address}/health`}</code></pre>
</section>
</main>`,
  };
}

function createString(address: string, openAreas: readonly string[]): Html {
  const key =
    !openAreas.includes('strings') &&
    html`     -H 'x-api-key: YOUR KEY' \\
`;
  return html`curl -H 'content-type: application/json' \\
${key}     -d '{"value":"hello"}' ${address}/strings`;
}
