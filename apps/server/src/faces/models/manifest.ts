// The manifest of the face models: the shipped one or the operator's, and the part that the launch page gets.
import { createHash } from 'node:crypto';
import { loadManifest, type Manifest, ManifestError } from '@limen/face-models';
import { StartError } from '../../platform/base/errors.ts';

/** Throws StartError with every mistake in the operator's file. */
export async function readManifest(operatorsFile: string | undefined): Promise<Manifest> {
  try {
    return await loadManifest(operatorsFile);
  } catch (error) {
    const problems = manifestProblems(error);
    if (operatorsFile === undefined || !problems) throw error;
    const count = `${problems.length} problem${problems.length === 1 ? '' : 's'}`;
    throw new StartError(`MODEL_MANIFEST: the file ${operatorsFile} has ${count}.`, { problems });
  }
}

export function manifestProblems(error: unknown): readonly string[] | undefined {
  if (error instanceof ManifestError) return error.problems;
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined ? undefined : [`it cannot be read (${code})`];
}

/** Renders the part that a browser needs, with its SHA-256 in hex. */
export function renderPageManifest({ models }: Manifest) {
  const entries = models.map(({ name, role, file, sha256, bytes, identity, input, thresholds }) => {
    return { name, role, file, sha256, bytes, identity, input, thresholds: Object.fromEntries(thresholds) };
  });
  const text = JSON.stringify({ models: entries });
  return { text, hash: createHash('sha256').update(text).digest('hex') };
}
