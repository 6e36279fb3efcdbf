// Puts the launch page together: its files, and the face models that it fetches.
import type { Logger } from 'pino';
import { openModels } from '../../faces/models/open.ts';
import { registerModelRoutes } from '../../faces/models/routes.ts';
import type { PageFiles } from '../../platform/http/pages/files.ts';
import type { HttpServer } from '../../platform/http/types.ts';
import type { ReadinessChecks } from '../../platform/watch/readiness.ts';
import type { Embedders } from '../lifecycle/embedders.ts';
import { registerLaunchPage } from './routes.ts';

interface OpenLaunch {
  http: HttpServer;
  readiness: ReadinessChecks;
  files: PageFiles;
  modelsFolder: string;
  /** The operator's list of models instead of the shipped one. */
  modelManifest: string | undefined;
  /** Whether the models are brought in once the service listens. */
  prepareModels: boolean;
  log: Logger;
}

export interface OpenedLaunch {
  /** SHA-256 of the model manifest as it is served, in hex; null while the models are not there. */
  modelManifest: () => string | null;
  /** Once there are sessions: they say who may show the page in a frame. */
  openPage(embedders: Embedders): void;
  close(): Promise<void>;
}

/** Throws a StartError with every mistake in the operator's manifest. */
export async function openLaunch(options: OpenLaunch): Promise<OpenedLaunch> {
  const { http, readiness, files, modelsFolder, modelManifest: manifestFile, log } = options;
  const models = await openModels({ folder: modelsFolder, manifestFile, log });
  if (options.prepareModels) {
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
