// Checks the face models of the launch page: the operator's manifest, and whether each file is there and right.
import { join } from 'node:path';
import { isIntact, loadManifest, type Manifest } from '@limen/face-models';
import { manifestProblems } from '../../../faces/models/manifest.ts';
import { modelsFolder } from '../../../faces/settings.ts';
import { type Check, failure, ok, warning } from './check.ts';

export const checkModels: Check = async ({ config }) => {
  if (!config.SERVE.has('launch')) return [ok('not served by this process')];
  let manifest: Manifest;
  try {
    manifest = await loadManifest(config.MODEL_MANIFEST);
  } catch (error) {
    const problems = manifestProblems(error);
    if (!problems) throw error;
    const remedy = 'correct the file that MODEL_MANIFEST names (docs/models.md), or unset it';
    return problems.map((problem) => failure(`manifest: ${problem}`, remedy));
  }
  const folder = modelsFolder(config);
  const missing: string[] = [];
  for (const model of manifest.models) if (!(await isIntact(join(folder, model.file), model))) missing.push(model.name);
  const { length: count } = manifest.models;
  if (missing.length === 0) return [ok(`all ${count} are there, each with the right hash`)];
  const found = `${missing.length} of ${count} are missing or damaged: ${missing.join(', ')}`;
  return [warning(found, `start the server, which fetches them with npm, or copy ${folder} from another machine`)];
};
