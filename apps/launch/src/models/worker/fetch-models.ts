// Fetches the manifest and the models from the page's server and verifies their hashes.
import type { FaceModel } from '@limen/face-models';
import type { ModelRole, Thresholds } from '../../face/index.ts';
import { type FetchOptions, fetchBytes, fetchVerified, hashBytes } from '../../loading/fetch-bytes.ts';
import { ModelLoadError } from '../../loading/load-error.ts';

/** Model as listed in the manifest. */
export type ModelEntry = Pick<FaceModel, 'role' | 'file' | 'sha256' | 'bytes' | 'identity' | 'input'> & {
  thresholds: Thresholds;
};
export type ModelEntries = ReadonlyMap<ModelRole, ModelEntry>;

const MAX_MANIFEST_BYTES = 1024 * 1024;

/**
 * Fetches the manifest and returns it with its hash. The plan's hash pins it. Without a hash, as on
 * the first screen or for a plan created before the models were ready, the current manifest is
 * used.
 */
export async function fetchManifest(modelsUrl: string, sha256: string | null, options: FetchOptions) {
  const url = new URL('manifest.json', modelsUrl).href;
  const maxBytes = MAX_MANIFEST_BYTES;
  const bytes =
    sha256 === null
      ? await fetchBytes({ ...options, url, maxBytes })
      : await fetchVerified(url, { sha256, maxBytes }, options);
  // Written and validated by the server.
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
