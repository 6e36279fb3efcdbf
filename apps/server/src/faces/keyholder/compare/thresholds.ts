// From which score on the key-holder takes two faces for one person. The service has no say in it.
import { loadManifest } from '@limen/face-models';
import { createMatchThresholds } from '../../models/match-threshold.ts';

/** As the service names the gallery of a model: the beginning of its file's hash. */
const VERSION_DIGITS = 16;

/**
 * `configured` replaces the measured base for every model. A model version that the manifest does not have gets the
 * stricter default of the table, so that naming another one makes nothing easier.
 */
export async function loadThresholds(
  configured: number | undefined,
  manifestFile: string | undefined,
): Promise<(modelVersion: string, rows: number) => number> {
  const { models } = await loadManifest(manifestFile);
  const measured = new Map(
    models
      .filter(({ role }) => role === 'embedding')
      .map(({ sha256, thresholds }) => [versionOf(sha256), thresholds.get('falseMatch1In100000')]),
  );
  return (modelVersion, rows) => createMatchThresholds(configured ?? measured.get(modelVersion)).of(modelVersion, rows);
}

function versionOf(sha256: string): string {
  return `LIMEN_${sha256.slice(0, VERSION_DIGITS).toUpperCase()}`;
}
