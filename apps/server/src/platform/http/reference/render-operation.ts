// Renders one operation of the API reference: what it takes, what it answers, a sample and a form to try it.
import { type Html, html } from '../pages/html.ts';
import { renderInline } from './markdown.ts';
import type { Field, Operation, Reply } from './operations.ts';

const PLACES: Record<string, string> = { path: 'Path', query: 'Query', header: 'Headers' };

/** Creates renderers for one page, which fold inner fields. The second use of a named object links to the first. */
export function createRenderer() {
  const anchors = new Map<string, string>();

  function renderOperation(operation: Operation): Html {
    const { id, method, path, description, parameters, body, replies, curl } = operation;
    const { true: refusals = [], false: answers = [] } = Object.groupBy(replies, ({ status }) => `${status >= '400'}`);
    return html`<p>${badge(method)} <code>${breakable(path)}</code></p>
${description && html`<p>${renderInline(description)}</p>`}
<p><strong>Authentication:</strong> ${renderInline(describeAuthentication(operation))}</p>
${curl && html`<div class="request"><pre tabindex="0" aria-label="Sample request">${curl}</pre>${renderForm(operation)}</div>`}
${[...Map.groupBy(parameters, ({ place }) => place)].map(
  ([place, fields]) => html`<h3>${PLACES[place] ?? place}</h3>${renderFields(fields, `${id}.${place}`)}`,
)}
${body.length > 0 && html`<h3>Body</h3>${renderFields(body, `${id}.body`)}`}
<h3>Replies</h3>
<ul class="list">${answers.map((reply) => html`<li>${renderReply(reply, id)}</li>`)}${refusals.map(
      ({ status, description }) =>
        html`<li><a href="/docs/errors#http-${status}">${status}</a> ${renderInline(description)}</li>`,
    )}</ul>`;
  }

  function renderReply({ status, description, object, anchor, fields }: Reply, owner: string): Html {
    const summary = html`${status && html`<b>${status}</b> `}${renderInline(description)}`;
    const first = object && anchors.get(object);
    if (first || fields.length === 0) return html`${summary}${first && html` <a href="#${first}">${object}</a>`}`;
    const id = `${owner}.${anchor}`;
    if (object) anchors.set(object, id);
    return html`<details><summary>${summary}</summary><div id="${id}">${renderFields(fields, id, true)}</div></details>`;
  }

  function renderFields(fields: Field[], owner: string, isReply = false): Html {
    return html`<ul class="list">${fields.map((field) => {
      const { name, type, required, description, object, isList } = field;
      const id = `${owner}.${name}`;
      const first = object && anchors.get(object);
      if (object && !first) anchors.set(object, id);
      const inner = first ? [] : field.listFields();
      return html`<li id="${id}"><code>${name}</code> <span class="quiet">${first ? html`<a href="#${first}">${type}</a>` : type}${
        required !== isReply && (isReply ? ', optional' : html`, <b>required</b>`)
      }</span>${description && html`<p>${renderInline(description)}</p>`}${
        inner.length > 0 &&
        html`<details><summary>Fields of <code>${name}${isList && '[]'}</code></summary>${renderFields(inner, id, isReply)}</details>`
      }</li>`;
    })}</ul>`;
  }

  return { renderOperation, renderReply };
}

function describeAuthentication({ schemes, body, isSigned }: Operation): string {
  if (isSigned) return 'signature of the device';
  if (schemes.includes('metricsToken')) return '`METRICS_TOKEN` as the bearer token, if it is set';
  if (!schemes.includes('apiKey')) return 'none';
  const parts = ['[API key](/docs/authentication#api-keys)'];
  if (body.some(({ name }) => name === 'api_key')) parts.push(' in `x-api-key` or in the body');
  if (schemes.includes('client'))
    parts.push(', with the [client id and secret](/docs/authentication#client-credentials) of a key that has them');
  if (schemes.includes('bearer')) parts.push('; a bearer token is checked if the service has `OIDC_ISSUER`');
  return parts.join('');
}

/** Inputs of the forms and the security schemes that need them. Styled as passwords, because browsers offer to store real ones. */
const CREDENTIALS: [name: string, label: string, ...schemes: string[]][] = [
  ['key', 'API key', 'apiKey'],
  ['client', 'Client id', 'client'],
  ['secret', 'Client secret', 'client'],
  ['bearer', 'Bearer token', 'bearer', 'metricsToken'],
];

function renderForm({ method, path, parameters, contentType, sampleBody = '', schemes, body }: Operation): Html {
  const credentials = CREDENTIALS.filter(([, , ...accepted]) => schemes.some((scheme) => accepted.includes(scheme)));
  return html`<form class="try" data-method="${method}" data-path="${path}" data-type="${contentType ?? ''}" aria-label="Try ${method} ${path}" autocomplete="off" hidden>
<details><summary>Try it</summary>
<p>The call is real: use a <strong>test key</strong>. Nothing you type is stored.</p>
${credentials.map(
  ([name, label]) =>
    html`<label>${label} <input class="secret" name="credential:${name}" autocomplete="off" autocapitalize="off" spellcheck="false"></label>`,
)}
${parameters.map(
  ({ name, place, required }) =>
    html`<label>${name}${!required && html` <span class="quiet">optional</span>`} <input name="${place}:${name}"${required && html` required`} spellcheck="false"></label>`,
)}
${
  contentType === 'multipart/form-data'
    ? body.map(({ name }) => html`<label>${name} <input type="file" name="file:${name}" required></label>`)
    : contentType &&
      html`<label>Body <textarea name="body:" rows="${Math.min(sampleBody.split('\n').length + 1, 16)}" spellcheck="false">${sampleBody}</textarea></label>`
}
<button>Send</button>
<output aria-live="polite"></output>
</details>
</form>`;
}

/** Lets a long path wrap at a slash. */
export function breakable(path: string): Html[] {
  return path.split(/(?<=.)(?=\/)/).map((part) => html`<wbr>${part}`);
}

export function badge(method: string): Html {
  return html`<span class="method method-${method.toLowerCase()}">${method}</span>`;
}
