// The manifest of the face models: the shipped one or the operator's, and what of it the launch page is told.
import { createHash } from 'node:crypto';
import { loadManifest, type Manifest, ManifestError } from '@limen/face-models';
import { StartError } from '../../platform/base/errors.ts';

/** Every mistake in the operator's file is said at once. */
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

/** Undefined where it is not the file that is to blame. */
export function manifestProblems(error: unknown): readonly string[] | undefined {
  if (error instanceof ManifestError) return error.problems;
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined ? undefined : [`it cannot be read (${code})`];
}

export interface PageManifest {
  text: string;
  /** SHA-256 of the text, in hex. */
  hash: string;
}

/** What a browser needs; where a model came from is the operator's business. */
export function renderPageManifest({ models }: Manifest): PageManifest {
  const told = models.map(({ name, role, file, sha256, bytes, identity, input, thresholds }) => {
    return { name, role, file, sha256, bytes, identity, input, thresholds: Object.fromEntries(thresholds) };
  });
  const text = JSON.stringify({ models: told });
  return { text, hash: createHash('sha256').update(text).digest('hex') };
}
