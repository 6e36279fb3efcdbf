// Puts the launch page together: its files, and the face models that it fetches.
import { openModels } from '../faces/models/open.ts';
import { registerModelRoutes } from '../faces/models/routes.ts';
import type { Context } from '../platform/context.ts';
import { registerBuiltPage } from '../platform/http/pages/built.ts';
import type { PageFiles } from '../platform/http/pages/files.ts';
import { html } from '../platform/http/pages/html.ts';
import type { Page } from '../platform/http/pages/page.ts';
import { launchHeaders } from '../platform/http/security-headers.ts';
import type { Door, HttpServer } from '../platform/http/types.ts';
import type { Embedders } from './lifecycle/embedders.ts';

export interface LaunchSettings {
  files: PageFiles;
  modelsFolder: string;
  /** The operator's list of models instead of the shipped one. */
  modelManifest: string | undefined;
  /** Whether the models are prepared once the service listens. */
  prepareModels: boolean;
}

interface OpenedLaunch {
  /** SHA-256 of the model manifest as it is served, in hex; null while the models are not there. */
  modelManifest: () => string | null;
  /** Once there are sessions: they say who may show the page in a frame. */
  openPage(embedders: Embedders): void;
  close(): Promise<void>;
}

/** Throws a StartError with every mistake in the operator's manifest. */
export async function openLaunch(
  { readiness, log }: Context,
  { http }: Door,
  { files, modelsFolder, modelManifest: manifestFile, prepareModels }: LaunchSettings,
): Promise<OpenedLaunch> {
  const models = await openModels({ folder: modelsFolder, manifestFile, log });
  if (prepareModels) {
    readiness.addOptional('models', () => models.state());
    http.addHook('onListen', async () => models.start());
  }
  if (!files.page) log.warn('the launch page is not built (npm run build): /launch answers 503');
  registerModelRoutes(http, models);
  return {
    modelManifest: models.readyHash,
    openPage: (embedders) => registerLaunchPage(http, { files, embedders }),
    close: models.close,
  };
}

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
