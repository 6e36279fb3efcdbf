// Puts the launch page together: its files, and the face models that it fetches.
import { openModels } from '../../faces/models/open.ts';
import { registerModelRoutes } from '../../faces/models/routes.ts';
import type { Context } from '../../platform/context.ts';
import type { PageFiles } from '../../platform/http/pages/files.ts';
import type { Door } from '../../platform/http/types.ts';
import type { Embedders } from '../lifecycle/embedders.ts';
import { registerLaunchPage } from './routes.ts';

export interface LaunchSettings {
  files: PageFiles;
  modelsFolder: string;
  /** The operator's list of models instead of the shipped one. */
  modelManifest: string | undefined;
  /** Whether the models are prepared once the service listens. */
  prepareModels: boolean;
}

export interface OpenedLaunch {
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
