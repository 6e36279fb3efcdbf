// HTTP routes of the demo: its page, and the page's small back end. Development only.
import { SimulateAgeSessionRequest, SimulateVerificationSessionRequest, UNKNOWN_FIELDS_MAX } from '@limen/contract';
import { Type } from 'typebox';
import { AppError } from '../../../apps/server/src/platform/base/errors.ts';
import { registerBuiltPage } from '../../../apps/server/src/platform/http/pages/built.ts';
import type { PageFiles } from '../../../apps/server/src/platform/http/pages/files.ts';
import { html } from '../../../apps/server/src/platform/http/pages/html.ts';
import type { Page } from '../../../apps/server/src/platform/http/pages/page.ts';
import { PAGE_HEADERS } from '../../../apps/server/src/platform/http/security-headers.ts';
import type { HttpServer } from '../../../apps/server/src/platform/http/types.ts';
import { requireOwnHost, requireSameOrigin } from './own-page.ts';
import type { Demo } from './service.ts';
import { type LiveCheck, streamCheck } from './stream-check.ts';

/**
 * Room for metadata over the limit, with every quotation mark escaped, because the service's
 * refusal is part of the demo.
 */
const BODY_LIMIT = 64 * 1024;
/** Maximum number of concurrently updated pages. */
const MAX_STREAMS = 100;

const SCRIPT_HEADERS = { 'cross-origin-resource-policy': 'same-origin' };
/** Must not be framed or cached. */
const PICTURE_HEADERS = { ...SCRIPT_HEADERS, 'content-type': 'image/jpeg', 'cache-control': 'no-store' };
/** Headers of our other pages, allowing its own script and calls to its own address. */
const DEMO_HEADERS = {
  ...PAGE_HEADERS,
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

const NOT_BUILT: Page = {
  title: 'Demo not built',
  body: html`<main class="welcome">
<h1>The demo is not built</h1>
<p class="lead">Run <code>npm run build</code>, then start the service again.</p>
</main>`,
};

const CheckPath = Type.Object({ id: Type.String() });
const PicturePath = Type.Object({ id: Type.String(), place: Type.Integer() });
const NewCheckBody = Type.Object({
  kind: Type.Union([Type.Literal('age'), Type.Literal('verification')]),
  options: Type.Unsafe<Record<string, unknown>>({ type: 'object', maxProperties: UNKNOWN_FIELDS_MAX }),
  metadata: Type.Optional(Type.String()),
  redirect: Type.Boolean(),
});
const SimulateBody = Type.Object({
  outcome: Type.Union([
    SimulateAgeSessionRequest.properties.outcome,
    SimulateVerificationSessionRequest.properties.outcome,
  ]),
  proof: SimulateAgeSessionRequest.properties.proof,
});

interface DemoRoutes {
  demo: Demo;
  files: PageFiles;
  /** URL of the service. */
  baseUrl: () => string;
}

export function registerDemoRoutes(app: HttpServer, { demo, files, baseUrl }: DemoRoutes): void {
  registerBuiltPage(app, {
    path: '/demo',
    files,
    missing: NOT_BUILT,
    headers: { page: DEMO_HEADERS, script: SCRIPT_HEADERS },
  });
  const ownHost = requireOwnHost(baseUrl);
  const hidden = { onRequest: ownHost, config: { unlimited: true }, schema: { hide: true } } as const;
  const onCheck = { hide: true, params: CheckPath };
  const ofPage = { onRequest: [ownHost, requireSameOrigin], bodyLimit: BODY_LIMIT };

  app.get('/demo/setup', hidden, async () => demo.setup());
  app.post('/demo/checks', { ...ofPage, schema: { hide: true, body: NewCheckBody } }, async (request, reply) =>
    reply.code(201).send(await demo.start(request.body)),
  );
  app.get('/demo/checks/:id', { onRequest: ownHost, schema: onCheck }, async ({ params }) => demo.view(params.id));
  app.post('/demo/checks/:id/simulate', { ...ofPage, schema: { ...onCheck, body: SimulateBody } }, async (request) =>
    demo.simulate(request.params.id, request.body),
  );
  app.post('/demo/checks/:id/result', { ...ofPage, schema: onCheck }, async ({ params }) =>
    demo.fetchResult(params.id),
  );
  app.get(
    '/demo/checks/:id/pictures/:place',
    { onRequest: ownHost, schema: { hide: true, params: PicturePath } },
    async ({ params: { id, place } }, reply) => reply.headers(PICTURE_HEADERS).send(demo.picture(id, place)),
  );

  const followed = new Set<LiveCheck>();
  const stream = { onRequest: ownHost, schema: onCheck, exposeHeadRoute: false };
  app.get('/demo/checks/:id/events', stream, async ({ params: { id } }, reply) => {
    if (followed.size >= MAX_STREAMS) throw new AppError('unavailable', 'Too many pages are following a check.');
    const live = streamCheck({ view: () => demo.view(id), watch: (changed) => demo.watch(id, changed) });
    followed.add(live);
    live.stream.once('close', () => followed.delete(live));
    return reply
      .headers({ 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' })
      .send(live.stream);
  });
  app.addHook('preClose', (done) => {
    demo.giveUpCalls();
    for (const { end } of followed) end(); // an open stream would keep the server from closing
    done();
  });
}
