// `/docs`: the API reference, one page for each area of the API, rendered from the OpenAPI document.
import { existsSync, readFileSync } from 'node:fs';
import { type ErrorRow, listErrors } from '@limen/contract';
import { AppError } from '../../base/errors.ts';
import { VERSION } from '../../base/version.ts';
import { type Html, html } from '../pages/html.ts';
import { loadAsset, type Page, registerAsset, sendPage } from '../pages/page.ts';
import type { HttpServer } from '../types.ts';
import { AREAS, type ReferenceArea } from './areas.ts';
import { readSections, renderInline } from './markdown.ts';
import { COMMON_REPLIES, listEvents, listOperations, type Operation } from './operations.ts';
import { badge, breakable, createRenderer } from './render-operation.ts';

/** Search and forms, which stay hidden without it */
const SCRIPT = loadAsset(new URL('./reference.js', import.meta.url), 'text/javascript; charset=utf-8');

/** Part of a page with an entry in the sidebar and in the search index */
interface Block {
  id: string;
  title: string;
  body: Html | Html[];
  /** Only for operations */
  operation?: Operation;
}

type ServedArea = ReferenceArea & { address: string; operations: Operation[] };

export function registerReferencePages(app: HttpServer): void {
  let reference: ReturnType<typeof renderReference> | undefined;
  const read = () => (reference ??= renderReference(app.swagger()));
  const options = { config: { unlimited: true as const }, schema: { hide: true } };
  registerAsset(app, SCRIPT);
  app.get('/docs', options, async (_request, reply) => sendPage(reply, read().pages.get('/docs')!));
  app.get('/docs/search.json', options, async (_request, reply) =>
    reply.type('application/json; charset=utf-8').header('cache-control', 'max-age=300').send(read().index),
  );
  app.get('/llms.txt', options, async (_request, reply) => reply.type('text/plain; charset=utf-8').send(read().llms));
  app.get<{ Params: { area: string } }>('/docs/:area', options, async ({ params }, reply) => {
    const page = read().pages.get(`/docs/${params.area}`);
    if (!page) throw new AppError('not_found', 'The reference has no such page. See /docs.');
    return sendPage(reply, page);
  });
}

function renderReference(openApi: unknown) {
  const operations = listOperations(openApi);
  const areas = AREAS.map((area) => ({
    ...area,
    address: area.path === 'overview' ? '/docs' : `/docs/${area.path}`,
    operations: operations.filter(({ tag }) => area.tags.includes(tag)),
  })).filter(({ tags, operations }) => tags.length === 0 || operations.length > 0);
  const index: [title: string, detail: string, address: string, anchors: string[]][] = [];
  const pages = areas.map((area): [string, Page] => {
    const { address, title, sentence } = area;
    const blocks = listBlocks(area, areas, openApi);
    const contents = blocks.map(({ id, title, body, operation }) => {
      const content = html`<section id="${id}"><h2><a href="#${id}">${title}</a></h2>${body}</section>`;
      const anchors = [...content.markup.matchAll(/<li id="[^".]+\.([^"]+)"/g)].map(([, anchor]) => anchor!);
      const name = operation ? `${operation.method} ${operation.path}` : title;
      index.push([name, operation ? title : area.title, `${address}#${id}`, anchors]);
      return content;
    });
    const body = html`<a class="skip" href="#content">Skip to the content</a>
<div class="reference">
${renderSidebar(areas, area, blocks)}
<main id="content" tabindex="-1">
<h1>${title}</h1>
<p class="lead">${renderInline(sentence)}</p>
${contents}
</main>
</div>`;
    return [address, { title: `${title} | Limen API`, script: SCRIPT, body }];
  });
  return { pages: new Map(pages), index: JSON.stringify(index), llms: renderLlms(areas) };
}

/** Lists the pages for language models, in the form of llmstxt.org. */
function renderLlms(areas: readonly ServedArea[]): string {
  const groups = [...Map.groupBy(areas, ({ group }) => group)].map(([group, members]) => {
    const lines = members.map(({ title, address, sentence }) => `- [${title}](${address}): ${sentence}`);
    return `## ${group}\n\n${lines.join('\n')}\n`;
  });
  const summary = 'Self-hosted service for age checks, sign-in with a face, and sanctions screening.';
  return `# Limen\n\n> ${summary} OpenAPI 3.1: /openapi.json\n\n${groups.join('\n')}`;
}

function listBlocks({ path, operations }: ServedArea, areas: ServedArea[], openApi: unknown): Block[] {
  const renderer = createRenderer();
  const summaries = operations.map(({ summary }) => summary);
  const guide = new URL(`./guides/${path}.md`, import.meta.url);
  return [
    ...(existsSync(guide) ? readSections(readFileSync(guide, 'utf8')) : []),
    ...(path === 'overview' ? listOverview(areas) : []),
    ...(path === 'errors' ? listErrorTables() : []),
    ...(path === 'webhooks' ? listEvents(openApi) : []).map(({ event, when, bodies }) => {
      const id = event.replaceAll(/\W|_/g, '-');
      const body = html`<p>${renderInline(when)}</p>${bodies.map((reply) => renderer.renderReply(reply, id))}`;
      return { id, title: event, body };
    }),
    ...operations.map((operation) => ({
      id: operation.id,
      title:
        summaries.indexOf(operation.summary) === summaries.lastIndexOf(operation.summary)
          ? operation.summary
          : `${operation.summary}: ${operation.path}`,
      operation,
      body: renderer.renderOperation(operation),
    })),
  ];
}

function renderSidebar(areas: ServedArea[], current: ServedArea, blocks: Block[]): Html {
  const contents = html`<ul>${blocks.map(
    ({ id, title, operation }) => html`<li><a href="#${id}">${operation && badge(operation.method)} ${title}</a></li>`,
  )}</ul>`;
  return html`<nav aria-label="Reference">
<p><a href="/docs"><strong>Limen API</strong></a> ${VERSION}</p>
<div id="search" role="search" hidden>
<input type="search" role="combobox" aria-label="Search the reference" placeholder="Search: press /" aria-expanded="false" aria-controls="hits" aria-autocomplete="list" autocomplete="off" spellcheck="false">
<ul id="hits" role="listbox" aria-label="Search results" hidden></ul>
</div>
<details><summary>Menu</summary>
${[...Map.groupBy(areas, ({ group }) => group)].map(
  ([group, members]) => html`<h2>${group}</h2>
<ul>${members.map(
    (area) =>
      html`<li><a href="${area.address}"${area === current && html` aria-current="page"`}>${area.title}</a>${area === current && contents}</li>`,
  )}</ul>`,
)}
</details>
</nav>`;
}

/** Lists all areas, and all operations under the anchors of the former single page. */
function listOverview(areas: ServedArea[]): Block[] {
  const groups = [...Map.groupBy(areas, ({ group }) => group)].slice(1).map(([title, members]) => ({
    id: title.toLowerCase().replaceAll(' ', '-'),
    title,
    body: html`<ul class="cards">${members.map(
      ({ address, title, sentence }) =>
        html`<li><a href="${address}"><strong>${title}</strong><span>${sentence}</span></a></li>`,
    )}</ul>`,
  }));
  const operations = areas.flatMap(({ address, operations }) =>
    operations.map(
      ({ id, method, path, summary }) =>
        html`<li id="${id}"><a href="${address}#${id}">${badge(method)} <code>${breakable(path)}</code></a> ${summary}</li>`,
    ),
  );
  return [
    ...groups,
    { id: 'operations', title: 'All operations', body: html`<ul class="list index">${operations}</ul>` },
  ];
}

const ERROR_AREAS: Record<ErrorRow['area'], [title: string, place: string]> = {
  http: ['HTTP errors', `The code is in the \`x-error-code\` header. ${COMMON_REPLIES}`],
  session: ['Session errors', 'The code is in `errors` or `errorCodes` of results and webhooks.'],
  node: ['Biometric node errors', 'The code is `status` in the body. 0 is a success.'],
  delivery: ['Webhook delivery errors', 'The code is `lastError` in the list of deliveries.'],
};

function listErrorTables(): Block[] {
  return [...Map.groupBy(listErrors(), ({ area }) => area)].map(([area, errors]) => ({
    id: area,
    title: ERROR_AREAS[area][0],
    body: html`<p>${renderInline(ERROR_AREAS[area][1])}</p>
<ul class="list codes">${errors.map(
      ({ code, status, message, meaning, remedy }, row) => html`<li id="${area}.${status ?? 'code'}.${code}">
<span${area === 'http' && status !== errors[row - 1]?.status && html` id="http-${status ?? ''}"`}>${status} <code>${code}</code></span>
<p>${message && html`<q>${message}</q> `}${renderInline(meaning)}</p><p>${renderInline(remedy)}</p></li>`,
    )}</ul>`,
  }));
}
