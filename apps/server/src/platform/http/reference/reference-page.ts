// `/docs`: the API reference as one page, drawn on the server from the OpenAPI document.
import { VERSION } from '../../version.ts';
import type { HttpServer } from '../http-server.ts';
import { type Html, html } from '../pages/html.ts';
import { type Page, sendPage } from '../pages/page.ts';
import { COMMON_REPLIES, type Field, listOperations, type Operation } from './api-reference.ts';

export function registerReferencePage(app: HttpServer): void {
  let page: Page | undefined;
  app.get('/docs', { config: { unlimited: true }, schema: { hide: true } }, async (_request, reply) => {
    page ??= renderReference(listOperations(app.swagger()));
    return sendPage(reply, page);
  });
}

function renderReference(operations: Operation[]): Page {
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  return {
    title: 'Limen API reference',
    body: html`<a class="skip" href="#content">Skip to the operations</a>
<div class="reference">
<nav aria-label="Operations">
<p><a href="/">Limen</a> ${VERSION}</p>
${tags.map(
  (tag) => html`<h2>${tag}</h2>
<ul>${operations
    .filter((operation) => operation.tag === tag)
    .map(({ id, method, path }) => html`<li><a href="#${id}">${badge(method)} ${path}</a></li>`)}</ul>`,
)}
</nav>
<main id="content" tabindex="-1">
<h1>API reference</h1>
<p class="lead">Every reply carries <code>x-request-id</code>; every refusal carries a stable code in <code>x-error-code</code>. The same as <a href="/openapi.json">OpenAPI 3.1</a>.</p>
<p>${withCode(COMMON_REPLIES)}</p>
${tags.map(
  (tag) => html`<section aria-label="${tag}">
<h2>${tag}</h2>
${operations.filter((operation) => operation.tag === tag).map(renderOperation)}
</section>`,
)}
</main>
</div>`,
  };
}

function renderOperation(operation: Operation): Html {
  const { id, method, path, summary, description, needsApiKey, parameters, body, replies } = operation;
  return html`<article id="${id}">
<h3>${badge(method)} <code>${path}</code></h3>
<p><strong>${summary}.</strong> ${withCode(description)}</p>
${needsApiKey && html`<p>Needs <code>x-api-key</code>${body.some(({ name }) => name === 'api_key') && html`, or <code>api_key</code> in the body`}.</p>`}
${parameters.length > 0 && html`<h4>Parameters</h4>${fieldTable(parameters.map((field) => ({ ...field, name: `${field.name} (${field.place})` })))}`}
${body.length > 0 && html`<h4>Body</h4>${fieldTable(body)}`}
<h4>Replies</h4>
${replies.map(
  ({ status, description, fields }) => html`<details ${Number(status) < 300 ? html`open` : ''}>
<summary><span class="status">${status}</span> ${withCode(description)}</summary>
${fields.length > 0 ? fieldTable(fields) : html`<p>No fields.</p>`}
</details>`,
)}
</article>`;
}

function fieldTable(fields: Field[]): Html {
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Fields"><table>
<thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
<tbody>${fields.map(
    ({ name, type, required, description }) => html`<tr>
<td><code>${name}</code>${required ? '' : html` <span class="optional">optional</span>`}</td><td>${type}</td><td>${withCode(description)}</td>
</tr>`,
  )}</tbody>
</table></div>`;
}

function badge(method: string): Html {
  return html`<span class="method method-${method.toLowerCase()}">${method}</span>`;
}

/** Descriptions mark code with back-ticks, as in Markdown. */
function withCode(text: string): Html[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}
