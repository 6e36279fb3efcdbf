// Serves the launch page and the face models that it fetches.
import { openModels } from '../faces/models/open.ts';
import { registerModelRoutes } from '../faces/models/routes.ts';
import type { Context } from '../platform/context.ts';
import { registerBuiltPage } from '../platform/http/pages/built.ts';
import type { PageFiles } from '../platform/http/pages/files.ts';
import { html } from '../platform/http/pages/html.ts';
import type { Page } from '../platform/http/pages/page.ts';
import { launchHeaders } from '../platform/http/security-headers.ts';
import type { Door, HttpServer } from '../platform/http/types.ts';
import type { FindEmbedders } from './lifecycle/embedders.ts';

export interface LaunchSettings {
  files: PageFiles;
  modelsFolder: string;
  /** Operator's list of models, if not the shipped one. */
  modelManifest: string | undefined;
  /** Whether the models are prepared once the service listens. */
  prepareModels: boolean;
}

/** Throws a StartError with every mistake in the operator's manifest. */
export async function openLaunch(
  { readiness, log }: Context,
  { http }: Door,
  { files, modelsFolder, modelManifest: manifestFile, prepareModels }: LaunchSettings,
) {
  const models = await openModels({ folder: modelsFolder, manifestFile, log });
  if (prepareModels) {
    readiness.addOptional('models', () => models.state());
    http.addHook('onListen', async () => models.start());
  }
  if (!files.page) log.warn('the launch page is not built (npm run build): /launch answers 503');
  registerModelRoutes(http, models);
  return {
    modelManifest: models.readyHash,
    /** Called once there are sessions, which define the sites that may frame the page. */
    openPage: (embedders: FindEmbedders) => registerLaunchPage(http, { files, embedders }),
    close: models.close,
  };
}

/** Shown for every session id, so that a guess learns nothing. */
const NOT_BUILT: Page = {
  title: 'Check not available',
  body: html`<main class="welcome">
<h1>The check is not available</h1>
<p class="lead">The page of this check is missing on the server. Nothing was recorded.</p>
<p>You can close this page and return to the app or website that sent you here.</p>
<p>For whoever runs this service: <code>npm run build</code> makes the page; then start the service again.</p>
</main>`,
};

interface LaunchQuery {
  sessionId?: unknown;
}

export function registerLaunchPage(
  app: HttpServer,
  { files, embedders }: { files: PageFiles; embedders: FindEmbedders },
) {
  const findEmbedders = ({ sessionId }: LaunchQuery) => {
    // The page uses the first of several ids, so its frame policy must use the same one.
    const [first] = [sessionId].flat();
    return embedders(typeof first === 'string' ? first : '');
  };
  registerBuiltPage(app, {
    path: '/launch',
    files,
    headers: {
      page: async ({ query }) => launchHeaders(await findEmbedders(query as LaunchQuery)).page,
      script: launchHeaders([]).script,
    },
    missing: NOT_BUILT,
  });
  // A page in a frame accepts messages from these origins only.
  app.get<{ Querystring: LaunchQuery }>('/launch/embedders', { schema: { hide: true } }, async ({ query }) => ({
    origins: await findEmbedders(query),
  }));
}
