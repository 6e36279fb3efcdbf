// Rebuilds the index of a list from the records in an index file with an older layout, in a worker thread.
import type { ScreeningIndex } from '@limen/screening';
import { buildDataset } from './build.ts';

export async function rebuildIndex(path: string): Promise<ScreeningIndex> {
  return (await buildDataset({ kind: 'file', path })).index;
}
