// Brings the manifest and the models from the server that served the page, each checked against its hash.
import type { FaceModel } from '@limen/face-models';
import type { ModelRole, Thresholds } from '../../face/index.ts';
import { type FetchOptions, fetchBytes, fetchVerified, hashBytes } from '../../loading/fetch-bytes.ts';
import { ModelLoadError } from '../../loading/load-error.ts';

/** As the manifest has it. */
export type ModelEntry = Pick<FaceModel, 'role' | 'file' | 'sha256' | 'bytes' | 'identity' | 'input'> & {
  thresholds: Thresholds;
};
export type ModelEntries = ReadonlyMap<ModelRole, ModelEntry>;

const MAX_MANIFEST_BYTES = 1024 * 1024;

/**
 * The hash comes with the session's plan: the page cannot be led to another manifest. A plan that was made before the
 * service had its models names none, and there is no plan while the first screen is read; then it is the one that the page's own
 * server has now. Either way with its hash.
 */
export async function fetchManifest(modelsUrl: string, sha256: string | null, options: FetchOptions) {
  const url = new URL('manifest.json', modelsUrl).href;
  const maxBytes = MAX_MANIFEST_BYTES;
  const bytes =
    sha256 === null
      ? await fetchBytes({ ...options, url, maxBytes })
      : await fetchVerified(url, { sha256, maxBytes }, options);
  // The server wrote and checked it.
  const { models } = JSON.parse(new TextDecoder().decode(bytes)) as { models: ModelEntry[] };
  const entries: ModelEntries = new Map(models.map((model) => [model.role, model]));
  return { hash: sha256 ?? (await hashBytes(bytes)), entries };
}

export async function fetchModel(modelsUrl: string, model: ModelEntry, options: FetchOptions) {
  const url = new URL(`${encodeURIComponent(model.file)}?v=${model.sha256}`, modelsUrl).href;
  return fetchVerified(url, { sha256: model.sha256, maxBytes: model.bytes }, options);
}

export function findEntry(entries: ModelEntries, role: ModelRole): ModelEntry {
  const entry = entries.get(role);
  if (!entry) throw new ModelLoadError('mismatch');
  return entry;
}
