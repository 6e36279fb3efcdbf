// Tells the lists that can be searched from the damaged ones, for commands that show what is there.
import type { DatasetFolder, DatasetInfo } from './folder.ts';

export interface ExaminedLists {
  sound: DatasetInfo[];
  /** One sentence per damaged list. */
  problems: string[];
}

export async function examineLists(folder: DatasetFolder, depth: 'head' | 'whole'): Promise<ExaminedLists> {
  const surveyed = await folder.survey();
  const sound: DatasetInfo[] = [];
  const problems = surveyed.flatMap(({ problem }) => problem ?? []);
  for (const { info, problem } of surveyed) {
    if (!info || problem !== undefined) continue;
    const damage = await folder.examineIndex(info, depth);
    if (damage === undefined) sound.push(info);
    else problems.push(damage);
  }
  return { sound, problems };
}
