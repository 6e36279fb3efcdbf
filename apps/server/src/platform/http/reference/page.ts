// `/docs`: the API reference, rendered from the OpenAPI document, with samples and forms to try it.
import { VERSION } from '../../base/version.ts';
import { type Html, html } from '../pages/html.ts';
import { loadAsset, type Page, registerAsset, sendPage } from '../pages/page.ts';
import type { HttpServer } from '../types.ts';
import { COMMON_REPLIES, type Field, listOperations, type Operation } from './render.ts';

/** Script of the forms, which stay hidden without it */
const TRY_IT = loadAsset(new URL('./try-it.js', import.meta.url), 'text/javascript; charset=utf-8');

export function registerReferencePage(app: HttpServer): void {
  let page: Page | undefined;
  registerAsset(app, TRY_IT);
  app.get('/docs', { config: { unlimited: true }, schema: { hide: true } }, async (_request, reply) => {
    page ??= renderReference(listOperations(app.swagger()));
    return sendPage(reply, page);
  });
}

function renderReference(operations: Operation[]): Page {
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  return {
    title: 'Limen API reference',
    script: TRY_IT,
    body: html`<a class="skip" href="#content">Skip to the operations</a>
<div class="reference">
<nav aria-label="Operations">
<p><a href="/">Limen</a> ${VERSION}</p>
<details><summary>All operations</summary>
${tags.map(
  (tag) => html`<h2>${tag}</h2>
<ul>${operations
    .filter((operation) => operation.tag === tag)
    .map(({ id, method, path }) => html`<li><a href="#${id}">${badge(method)} ${breakable(path)}</a></li>`)}</ul>`,
)}
</details>
</nav>
<main id="content" tabindex="-1">
<h1>API reference</h1>
<p class="lead">Every reply carries <code>x-request-id</code>; every refusal carries a stable code in <code>x-error-code</code>. The same as <a href="/openapi.json">OpenAPI 3.1</a>.</p>
<p>${withCode(COMMON_REPLIES)}</p>
<p>In the examples <code>LIMEN</code> is the address of this service and <code>LIMEN_API_KEY</code> your key.</p>
${CREDENTIALS}
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

/** Credentials for all forms; stored nowhere but in the page */
const CREDENTIALS = html`<form id="credentials" class="try" autocomplete="off" hidden>
<h2>Try it from here</h2>
<p>What you send is real: use a <strong>test key</strong>. Nothing you type here is stored.</p>
${credential('key', 'API key')}
<details><summary>Client id and secret, or a bearer token</summary>
${credential('client', 'Client id')}
${credential('secret', 'Client secret')}
${credential('bearer', 'Bearer token')}
</details>
</form>`;

/** Hidden like a password field, which browsers would offer to store. */
function credential(name: string, label: string): Html {
  return html`<label>${label} <input class="secret" name="${name}" autocomplete="off" autocapitalize="off" spellcheck="false"></label>`;
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
${operation.samples.length > 0 && html`<h4>Example</h4>`}
${operation.samples.map(
  ({ language, code }, index) => html`<details ${index === 0 ? html`open` : ''}>
<summary>${language}</summary>
<pre tabindex="0">${code}</pre>
</details>`,
)}
${operation.canTry && renderForm(operation)}
</article>`;
}

function renderForm({ method, path, parameters, contentType, sampleBody, credentials, body }: Operation): Html {
  return html`<form class="try" data-method="${method}" data-path="${path}" data-credentials="${credentials ?? ''}" aria-label="Try ${method} ${path}" autocomplete="off" hidden>
<details><summary>Try it</summary>
${parameters.map(
  ({ name, place, required }) =>
    html`<label>${name} ${!required && html`<span class="optional">optional</span>`} <input name="${place}:${name}" ${required ? html`required` : ''} spellcheck="false"></label>`,
)}
${
  contentType === 'multipart/form-data'
    ? body.map(({ name }) => html`<label>${name} <input type="file" name="file:${name}" required></label>`)
    : sampleBody !== undefined &&
      html`<label>Body <textarea name="body" rows="${Math.min(sampleBody.split('\n').length + 1, 16)}" spellcheck="false">${sampleBody}</textarea></label>`
}
<button>Send</button>
<output aria-live="polite"></output>
</details>
</form>`;
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

/** Lets a long path wrap at a slash. */
function breakable(path: string): Html[] {
  return path.split(/(?<=.)(?=\/)/).map((part) => html`<wbr>${part}`);
}

function badge(method: string): Html {
  return html`<span class="method method-${method.toLowerCase()}">${method}</span>`;
}

function withCode(text: string): Html[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}
